import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadFiles } from '../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-seed-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeAll(() => {
  // Sorted by name, the file that refers to others comes first.
  writeFileSync(join(folder, 'authors.csv'), 'ID,name,house\n1,Ada,10\n2,"Byron, Lord",\n')
  writeFileSync(join(folder, 'houses.json'), '[{"ID":10,"name":"Acme"}]')
})

function createBooks() {
  const House = defineDataClass('House', {
    ID: attribute.long({ key: true }),
    name: attribute.string(),
  })
  const Author = defineDataClass('Author', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ maxLength: 20 }),
    house: attribute.relatedEntity('House'),
  })
  return createDataStore({ name: 'books', dataClasses: [Author, House] })
}

test('a folder fills the dataclasses that its files name, related ones first', async () => {
  const store = createBooks()
  expect(await loadFiles(store, folder)).toEqual({ House: 1, Author: 2 })
  expect(store.Author.get(1)?.house?.name).toBe('Acme')
  expect(store.Author.get(2)?.house).toBe(null)
})

test('files can be listed, and name their dataclass', async () => {
  const store = createBooks()
  const firms = join(folder, 'firms.ndjson')
  writeFileSync(firms, '{"ID":10,"name":"Firm"}\n')
  expect(await loadFiles(store, [`House=${firms}`])).toEqual({ House: 1 })
  rmSync(firms)
  expect(await loadFiles(store, pathToFileURL(join(folder, 'authors.csv')))).toEqual({ Author: 2 })
})

test('a wrong row, a file without a dataclass, and a missing file are refused by name', async () => {
  const store = createBooks()
  const wrong = join(folder, 'authors.csv')
  await expect(loadFiles(store, [`Author=${wrong}`])).rejects.toThrow(/authors\.csv.*row/i)
  expect(store.Author.count).toBe(0)
  await expect(loadFiles(store, [`Book=${wrong}`])).rejects.toThrow('no dataclass "Book"')
  const other = join(folder, 'people.csv')
  writeFileSync(other, 'ID,name\n1,Ada\n')
  await expect(loadFiles(store, other)).rejects.toThrow(`Write it before the file: Author=${other}`)
  rmSync(other)
  await expect(loadFiles(store, join(folder, 'absent.csv'))).rejects.toThrow('absent.csv')
})
