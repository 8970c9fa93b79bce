import { beforeAll, expect, test } from 'vitest'
import { fragments } from './docs-blocks.ts'
import {
  blocksOf,
  examplesOf,
  filesFor,
  fragmentsOf,
  fragmentText,
  isRun,
  pages,
  programsOf,
} from './docs-examples.ts'
import { freePort, openFolder, runNode } from './docs-folder.ts'
import { readText } from './source-files.ts'

const runPages = pages.filter((page) => blocksOf(page).some(isRun))
let programs: readonly string[]

beforeAll(async () => {
  programs = await programsOf(runPages)
})

test.concurrent.for(runPages)(
  '%s: every example runs with the values and output on the page',
  // A page may start PGlite, which takes seconds.
  { timeout: 300_000 },
  async (page, ending) => {
    const { expect } = ending
    // Pages run at the same time; a server listens on a port of its own.
    const program = programs[runPages.indexOf(page)] ?? ''
    const files = { 'page.mjs': program, '.env': `PORT=${await freePort()}` }
    const folder = openFolder(ending, { ...files, ...(await filesFor(program)) })
    const { output, status } = await runNode(folder, '--env-file=.env', 'page.mjs')
    expect(status, output).toBe(0)
    const { results, printed } = JSON.parse(output)
    const stated = examplesOf(page).filter(({ gives }) => gives !== null)
    expect(stated.map(({ line }, i) => [line, results[i]])).toEqual(
      stated.map(({ line, gives }) => [line, gives]),
    )
    for (const text of printed) expect(readText(page)).toContain(`\`\`\`\n${text}\n\`\`\``)
  },
)

test('the number of run examples does not decrease', () => {
  const arrows = new Map(
    runPages.map((page) => [page, examplesOf(page).filter(({ gives }) => gives !== null).length]),
  )
  for (const page of ['docs/reference/core.md', 'docs/reference/filter-language.md'])
    expect(arrows.get(page)).toBeGreaterThan(60)
  for (const page of [
    'docs/how-to/migrate-from-lokijs.md',
    'docs/how-to/migrate-from-nedb.md',
    'docs/explanation/plans.md',
  ]) {
    expect(arrows.get(page)).toBeGreaterThan(10)
  }
})

// Tasks in which the stores differ. A task for Entia alone has no line of the other store.
const differing = new Map([['docs/how-to/migrate-from-lokijs.md', ['Transactions']]])
test.each(['docs/how-to/migrate-from-lokijs.md', 'docs/how-to/migrate-from-nedb.md'])(
  '%s: both solutions of a task give the same values',
  (page) => {
    const examples = examplesOf(page).filter(({ gives }) => gives !== null)
    const tasks = [...new Set(examples.filter(({ isBefore }) => isBefore).map(({ task }) => task))]
    expect(tasks.length).toBeGreaterThan(7)
    for (const task of tasks.filter((name) => !differing.get(page)?.includes(name))) {
      const [before, now] = [true, false].map((side) =>
        examples
          .filter((example) => example.task === task && example.isBefore === side)
          .map(({ gives }) => plain(gives)),
      )
      expect([task, now!.filter((gives) => before!.includes(gives))]).toEqual([task, before])
    }
  },
)

/** Ignores brackets, and the stores' different words for a duplicate value. */
const plain = (gives: string | null) => gives?.replace('refused: uniqueViolation', 'uniqueViolated')

test('every TypeScript or JavaScript block is run, or listed with a reason', () => {
  const shown = pages.flatMap((page) => fragmentsOf(page).map(({ text }) => ({ page, text })))
  const listed = (page: string, text: string) =>
    fragments.filter((fragment) => fragment.page === page && text.startsWith(fragment.first))
  const unlisted = shown.filter(({ page, text }) => listed(page, text).length !== 1)
  expect(unlisted).toEqual([])
  expect(
    fragments.filter(
      ({ page, first }) =>
        shown.filter((block) => block.page === page && block.text.startsWith(first)).length !== 1,
    ),
  ).toEqual([])
})

test('a block that quotes an example equals the example', () => {
  for (const { page, first, sameAs } of fragments) {
    if (sameAs !== undefined) expect(fragmentText(page, first)).toBe(readText(sameAs))
  }
})
