import { expect, test } from 'vitest'
import { dumpStore } from '../../src/store/dump/dump.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import { linesOfDump, sealedDump } from '../sealed-dump.ts'
import { codeOf, firmStore, refusalOf, type TestStore } from './firm-store.ts'

/** One firm and one person, with a value of every type. */
function filled(): TestStore {
  const store = firmStore()
  store.insert('Firm', { name: 'Acme' })
  store.insert('Person', {
    name: 'Ada',
    day: '2024-02-29',
    pay: 1.5,
    active: true,
    notes: { tags: ['x'] },
    photo: new Uint8Array([1, 2]),
    firm: 1,
  })
  return store
}

/** The dump with changed values of its person, by attribute, under the right checksum. */
function forged(
  store: TestStore,
  change: (values: Map<string, unknown>, line: unknown[]) => void,
): Uint8Array {
  const lines = linesOfDump(dumpStore(store.catalog, store.writer.tables, 1))
  const { storage } = store.table('Person').model
  const at = lines.findIndex((line) => line.includes('"dataClass":"Person"')) + 1
  const line = JSON.parse(lines[at]) as unknown[]
  const values = new Map(storage.map(({ name, ordinal }) => [name, line[ordinal + 3]]))
  change(values, line)
  lines[at] = JSON.stringify([...line.slice(0, 3), ...storage.map(({ name }) => values.get(name))])
  return sealedDump(lines)
}

function open(bytes: Uint8Array): TestStore {
  const store = firmStore()
  const dump = new CheckedDump(bytes)
  store.writer.replace((tables, nextBirth) => {
    dump.readInto(tables, store.catalog, nextBirth)
    return dump.globalStamp
  })
  return store
}

test('an unchanged dump opens', () => {
  const store = filled()
  const opened = open(forged(store, () => undefined))
  expect(opened.read('Person', 1)).toMatchObject({ name: 'Ada', pay: 1.5, active: true, stamp: 1 })
  opened.verify()
})

test.each<[attribute: string, wrong: unknown]>([
  ['ID', null],
  ['ID', '1'],
  ['day', '2024-02-29'],
  ['day', 1.5],
  ['day', 1e9],
  ['pay', '1.5'],
  ['active', 'true'],
  ['active', 1],
  ['notes', 'x'],
  ['photo', 'AQI='],
  ['photo', ['image/png']],
  ['photo', ['image/png', 7]],
  ['photo', [7, 'AQI=']],
  ['photo', ['image/png', '*']],
])('a dump whose %s is %j is refused', (attribute, wrong) => {
  const bytes = forged(filled(), (values) => void values.set(attribute, wrong))
  expect(refusalOf(() => open(bytes)).message).toContain(`Person.${attribute}`)
})

test('record numbers out of range, and bytes that are not a dump, are refused', () => {
  expect(
    refusalOf(() => open(forged(filled(), (_, line) => void (line[0] = 2 ** 31)))).message,
  ).toMatch(/too high/)
  expect(codeOf(() => new CheckedDump('{}' as never))).toBe('dumpInvalid')
  expect(refusalOf(() => new CheckedDump(sealedDump(['{}']))).message).toMatch(/it is not a dump/)
  expect(refusalOf(() => new CheckedDump(sealedDump(['{"format":"entia"}'])).name).message).toMatch(
    /name of its store/,
  )
  for (const text of ['', 'ID,name\n1,Ada\n', '[{"ID":1}]\n', '{"format":"other"}\n'])
    expect(refusalOf(() => open(new TextEncoder().encode(text))).message).toBe(
      'The dump cannot be opened: it is not a dump. Give the bytes that dump() or dumpToFile() wrote.',
    )
  expect(codeOf(() => open(sealedDump([])))).toBe('dumpInvalid')
})
