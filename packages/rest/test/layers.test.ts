import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCE = fileURLToPath(new URL('../src', import.meta.url))

/** Room -> rooms it may import. The door file of the package may import all. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ['request', []],
  ['door', ['request']],
  ['handle', ['request', 'door']],
  ['core-door', ['request', 'door']],
  ['render', ['request', 'door', 'handle']],
  ['transport', ['request', 'door', 'handle', 'core-door', 'render']],
])

const roomOf = (file: string): string => file.split('/')[0] ?? ''
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

test('every import obeys the order of the rooms', () => {
  const violations = files
    .filter((file) => file.includes('/'))
    .flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), 'utf8')
      return [...text.matchAll(/from '(\.[^']+)'/g)]
        .map(([, path]) => relative(SOURCE, join(SOURCE, dirname(file), path ?? '')))
        .filter((to) => roomOf(to) !== roomOf(file) && !MAY_IMPORT.get(roomOf(file))?.includes(roomOf(to)))
        .map((to) => `${file} -> ${to}`)
    })
  expect(files.length).toBeGreaterThan(20)
  expect(violations).toEqual([])
})

test('no module of the host, and no package but core, is imported; sharp by its own door only', () => {
  const foreign = files.flatMap((file) =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/(?:from|import\() ?'([^.'][^']*)'/g)]
      .map(([, name]) => name)
      .filter((name) => name !== '@entia/core')
      .map((name) => `${file} -> ${name}`),
  )
  expect(foreign).toEqual(['sharp.ts -> sharp'])
  const toSharp = files.filter((file) => /'\.{1,2}\/(?:.*\/)?sharp\.ts'/.test(readFileSync(join(SOURCE, file), 'utf8')))
  expect(toSharp).toEqual([])
})

test('files stay under 300 lines', () => {
  const long = files.filter((file) => readFileSync(join(SOURCE, file), 'utf8').split('\n').length > 300)
  expect(long).toEqual([])
})

test('no code is made from text and no clock, chance or prototype walk is used', () => {
  const found = files.filter((file) =>
    /\beval\(|new Function|new RegExp|Date\.now|Math\.random|for \((?:const|let) \w+ in /.test(
      readFileSync(join(SOURCE, file), 'utf8'),
    ),
  )
  expect(found).toEqual([])
})

test('entities of the store have a type without members: an attribute may be called "key"', () => {
  const found = files.filter((file) => /\b(?:AnyEntity|EntityMarks)\b/.test(readFileSync(join(SOURCE, file), 'utf8')))
  expect(found).toEqual([])
})
