import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { indexedHtml, searchOptions, searchWords } from '../../docs/site/.vitepress/search.mjs'
import { searchTasks } from './search-tasks.ts'
import { readText, root } from './source-files.ts'

const places = Object.keys(searchWords)

test.each(places)('the words of %s belong to an existing page and heading', (place) => {
  const [path, anchor] = place.split('#')
  const file = `docs/${path}.md`
  expect(existsSync(join(root, file))).toBe(true)
  if (anchor === undefined) return
  const headings = [...readText(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-')
      .toLowerCase(),
  )
  expect(headings).toContain(anchor)
})

// The test of the built site asserts that these places are the first hits.
test('the words of a task stand at its place', () => {
  const words: Readonly<Record<string, string>> = searchWords
  for (const [task, place] of searchTasks)
    expect([task, words[place]?.split(' ')]).toEqual([
      task,
      expect.arrayContaining(task.split(' ')),
    ])
})

test('words are indexed behind their heading, and nowhere else', () => {
  const html =
    '<h1>HTTP</h1><h2 id="parameters">Parameters</h2><h2 id="images-and-blobs">Images</h2>'
  const indexed = indexedHtml(html, 'reference/http')
  expect(indexed).toMatch(
    /^<h1>HTTP<\/h1><h2[^<]*<\/h2><p>pagination [^<]*<\/p><h2[^<]*<\/h2><p>upload /,
  )
  expect(indexedHtml(html, 'reference/sql')).toBe(html)
  expect(() => indexedHtml('<h1>Core</h1>', 'reference/core')).toThrow('nothing at reference/core#')
})

test('a guide counts more than a reference, and both more than the rest', () => {
  const [guide, reference, api, moving] = [
    '/how-to/tests#tests',
    '/reference/core#read',
    '/api/core#uploads',
    '/how-to/migrate-from-nedb#indexes',
  ].map(searchOptions.boostDocument)
  expect(guide).toBeGreaterThan(reference!)
  expect(reference).toBeGreaterThan(api!)
  expect(moving).toBe(reference)
})
