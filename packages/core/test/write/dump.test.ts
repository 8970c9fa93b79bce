import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import { createIndex } from '../../src/storage/table-load.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { dumpStore } from '../../src/store/dump/dump.ts'
import { checksum } from '../../src/store/dump/line-writer.ts'
import { CheckedDump, checkUnique } from '../../src/store/dump/read-dump.ts'
import { runs } from '../runs.ts'
import { actions, perform } from './firm-actions.ts'
import { Badge, codeOf, Firm, firmStore, Person, refusalOf, type TestStore } from './firm-store.ts'

const bytesOf = (store: TestStore): Uint8Array =>
  dumpStore(store.catalog, store.writer.tables, store.writer.globalStamp)

/** Fills a store with every kind of content that a dump holds. */
function open({ writer, catalog }: TestStore, bytes: Uint8Array): TestStore['writer'] {
  const dump = new CheckedDump(bytes)
  writer.replace((tables, nextBirth) => {
    dump.readInto(tables, catalog, nextBirth)
    tables.forEach(checkUnique)
    return dump.globalStamp
  })
  return writer
}

const filled = fc.array(actions, { maxLength: 6 }).map((transactions) => {
  const store = firmStore()
  for (const each of transactions.flat()) {
    try {
      perform(store, each)
    } catch {
      // Refused.
    }
  }
  return store
})

test('a dump opens as the dumped store, and both continue equally', () => {
  fc.assert(
    fc.property(filled, actions, (store, more) => {
      const bytes = bytesOf(store)
      const again = firmStore()
      open(again, bytes)
      for (const table of again.writer.tables) verifyTable(table)
      expect(bytesOf(again)).toEqual(bytes)

      for (const each of more) {
        const outcomes = [store, again].map((target) => {
          try {
            perform(target, each)
            return null
          } catch (error) {
            return (error as { code: string }).code
          }
        })
        expect(outcomes[0]).toBe(outcomes[1])
      }
      expect(again.keys('Person')).toEqual(store.keys('Person'))
      expect(again.writer.globalStamp).toBe(store.writer.globalStamp)
    }),
    runs(100),
  )
})

test('equal states give equal bytes, by whatever writes they were reached', () => {
  const one = firmStore()
  one.insert('Firm', { name: 'Acme' })
  one.insert('Firm', { name: 'Bolt' })
  const other = firmStore()
  other.insert('Firm', { name: 'some other word' })
  const snapshot = other.snapshots.take()
  other.insert('Person', { name: 'nobody' })
  other.snapshots.restore(snapshot)
  createIndex(other.table('Person'), 0)
  other.update('Firm', 1, { name: 'Acme' })
  other.insert('Firm', { name: 'Bolt' })
  const withoutMarks = (store: TestStore) =>
    store
      .state()
      .replace(/^(\[\d+),\d+,\d+/gm, '$1')
      .split('\n')
      .slice(0, -2)
  expect(withoutMarks(other)).toEqual(withoutMarks(one))
})

test('every changed, missing or added byte is detected', () => {
  const store = firmStore()
  store.insert('Firm', { name: 'Äcme' })
  store.insert('Person', { firm: 1, notes: { tags: ['x'] }, photo: new Uint8Array([0, 255]) })
  const bytes = bytesOf(store)
  for (let at = 0; at < bytes.length; at++) {
    for (const flip of [1, 128]) {
      const changed = bytes.slice()
      changed[at] ^= flip
      expect(codeOf(() => open(firmStore(), changed))).toBe('dumpInvalid')
    }
    expect(codeOf(() => open(firmStore(), bytes.subarray(0, at)))).toBe('dumpInvalid')
  }
  expect(codeOf(() => open(firmStore(), new Uint8Array([...bytes, 10])))).toBe('dumpInvalid')
})

/** The dump with changed lines and the right checksum. */
function forged(store: TestStore, change: (lines: string[]) => void): Uint8Array {
  const lines = new TextDecoder().decode(bytesOf(store)).split('\n').slice(0, -2)
  change(lines)
  const content = new TextEncoder().encode(`${lines.join('\n')}\n`)
  return new TextEncoder().encode(
    `${new TextDecoder().decode(content)}{"checksum":"${checksum(content)}"}\n`,
  )
}

test.each<[string, (lines: string[]) => void]>([
  ['another version', (lines) => (lines[0] = lines[0].replace('"version":1', '"version":2'))],
  ['another format', (lines) => (lines[0] = lines[0].replace('entia', 'other'))],
  ['no JSON', (lines) => (lines[2] = '[0,1')],
  ['a key twice', (lines) => (lines[3] = lines[3].replace('[1,1', '[1,1').replace(/,2,/, ',1,'))],
  ['a unique value twice', (lines) => (lines[3] = lines[3].replace('Bolt', 'ACME'))],
  ['a value of another type', (lines) => (lines[2] = lines[2].replace('"Acme"', '7'))],
  ['a record number twice', (lines) => (lines[3] = lines[3].replace('[1,', '[0,'))],
  ['a stamp of 0', (lines) => (lines[2] = lines[2].replace('[0,1,', '[0,0,'))],
  [
    'a stamp beyond all stamps',
    (lines) => (lines[2] = lines[2].replace('[0,1,', '[0,2147483648,')),
  ],
  ['a relation that leads nowhere', (lines) => (lines[2] = lines[2].replace(/null\]$/, '9]'))],
  ['a missing entity', (lines) => lines.splice(3, 1)],
  ['one entity more', (lines) => lines.splice(3, 0, lines[3])],
  ['a missing dataclass', (lines) => lines.splice(4, 1)],
  ['something behind the end', (lines) => lines.push('[]')],
  ['a sequence of 0', (lines) => (lines[1] = lines[1].replace('"sequence":3', '"sequence":0'))],
  [
    'a sequence beyond all numbers',
    (lines) => (lines[1] = lines[1].replace(':3', ':9007199254740994')),
  ],
  [
    'a time beyond all times',
    (lines) => (lines[2] = lines[2].replace(/^\[0,1,\d+/, '[0,1,8640000000000001')),
  ],
  ['a lone surrogate', (lines) => (lines[2] = lines[2].replace('"Acme"', '"\\ud800"'))],
])('a dump with %s is refused', (_, change) => {
  const store = firmStore()
  store.insert('Firm', { name: 'Acme' })
  store.insert('Firm', { name: 'Bolt' })
  expect(
    open(
      firmStore(),
      forged(store, () => {}),
    ).tables[0].liveCount,
  ).toBe(2)
  expect(codeOf(() => open(firmStore(), forged(store, change)))).toBe('dumpInvalid')
})

test('a dump of another model is refused with the differing attribute', () => {
  const store = firmStore()
  const OtherBadge = defineDataClass('Badge', {
    code: attribute.uuid({ key: true }),
    owner: attribute.relatedEntity('Person'),
  })
  const other = buildCatalog({ name: 'test', dataClasses: [Firm, Person, OtherBadge] })
  expect(refusalOf(() => new CheckedDump(bytesOf(store)).checkModel(other)).message).toContain(
    'attribute "Badge.code" is string (the key) in it, and uuid (the key) in the model',
  )
  const less = buildCatalog({
    name: 'test',
    dataClasses: [defineDataClass('Firm', { ID: attribute.long({ key: true }) })],
  })
  expect(codeOf(() => new CheckedDump(bytesOf(store)).checkModel(less))).toBe('dumpInvalid')
  expect(Badge.name).toBe('Badge')
})
