import { expect, test } from 'vitest'
import { AttributeIndex } from '../../src/storage/attribute-index.ts'
import { History } from '../../src/storage/history.ts'
import { fillAsOf } from '../../src/storage/past-table.ts'
import { RowCache } from '../../src/storage/row-cache.ts'
import { Table } from '../../src/storage/table.ts'
import { Badge, Firm, Person } from '../write/firm-store.ts'
import { dice, upTo } from './dice.ts'
import { ordinalOf } from './people-table.ts'
import { mustHave, type PlainRecords, put, recordsOf, rowOf, tablesOf } from './plain-tables.ts'
import { Recorded } from './recorded-table.ts'

function copyAsOf(live: Table, history: History, globalStamp: number): Table {
  const copy = new Table(live.model, live.indexFactory)
  fillAsOf(copy, live, history.pastOf(live, globalStamp))
  return copy
}

/**
 * The copy has these records, finds them by key and by foreign key, has no other index, and is
 * otherwise empty.
 */
function mustBe(copy: Table, live: Table, records: PlainRecords): void {
  for (const { ordinal, relation, unique, key } of copy.model.storage) {
    const index = copy.indexes[ordinal]
    expect(index !== null).toBe(relation !== null)
    expect([index?.ordered ?? null, index?.unique ?? null]).toEqual([null, null])
    // A table must have a hash of unique values.
    if (unique && !key)
      copy.indexes[ordinal] = new AttributeIndex(
        copy.columns[ordinal],
        { ordered: false, postings: false, unique: true },
        null,
      )
    if (unique && !key) copy.indexes[ordinal]?.build(copy.liveSlots())
  }
  copy.sequence = live.sequence
  mustHave(copy, records)
  const keyAt = copy.model.key.ordinal
  for (const [slot, { values }] of records) expect(copy.findKey(values[keyAt])).toBe(slot)
  expect(copy.rowCache?.maxCharacters).toBe(live.rowCache?.maxCharacters)
}

test('a copy as of any commit equals the earlier table, and the copy and the table change independently', () => {
  for (let seed = 1; seed < 9; seed++) {
    const roll = dice(seed)
    const written = new Recorded()
    const { table, recorder } = written
    if (seed > 1) table.rowCache = new RowCache(seed)
    const history = new History(0, { commits: 100, bytes: 1e6 })
    const states = [recordsOf(table)]
    for (let stamp = 1; stamp <= 6; stamp++) {
      if (stamp === 5) {
        // Undoes everything after the second commit.
        const clock = written.nextBirth()
        for (const list of [...history.since(2)].reverse())
          for (const change of [...list.changes].reverse()) recorder.undo(change, clock)
      } else if (stamp === 4 && seed % 2 === 0) {
        for (const slot of [...table.liveSlots()].reverse()) recorder.remove(table, slot)
      } else written.write(3 + roll(8), roll)
      history.push(recorder.finish(stamp, stamp))
      states.push(recordsOf(table))
    }
    const now = recordsOf(table)
    const copies = states.map((_, stamp) => copyAsOf(table, history, stamp))
    for (const [stamp, copy] of copies.entries()) mustBe(copy, table, states[stamp])
    // The copies change independently.
    for (const copy of copies) {
      for (const slot of copy.liveSlots()) copy.removeAt(slot, copy.readAll(slot))
      put(copy, rowOf(copy, { ID: 900, name: 'new here', notes: null }), 900)
    }
    mustHave(table, now)
    const again = copyAsOf(table, history, 3)
    written.write(10, roll)
    for (const slot of table.liveSlots()) recorder.remove(table, slot)
    mustBe(again, table, states[3])
  }
})

test('a copy from before a bulk load is without its records, and ends where the table ended then', () => {
  const written = new Recorded()
  const { table, recorder } = written
  const history = new History(0, { commits: 10, bytes: 1e6 })
  written.insert(rowOf(table, { ID: 1, name: 'Ada' }))
  history.push(recorder.finish(1, 1))
  const before = recordsOf(table)
  for (const i of upTo(70)) put(table, rowOf(table, { ID: i + 2, firmID: 3 }), i + 100)
  recorder.loaded(
    table,
    Int32Array.from(upTo(70), (i) => i + 1),
  )
  history.push(recorder.finish(2, 2))
  const copy = copyAsOf(table, history, 1)
  mustBe(copy, table, before)
  expect([copy.length, copy.indexes[ordinalOf(copy, 'firmID')]?.listOfValue(3)]).toEqual([1, 0])
})

test('text keys are found in a copy', () => {
  const [, , badges] = tablesOf(Firm, Person, Badge)
  for (const [i, code] of ['b', 'A', '\uff5e'].entries())
    put(badges, rowOf(badges, { code, owner: i }), i + 1)
  const copy = copyAsOf(badges, new History(0, { commits: 1, bytes: 1 }), 0)
  expect(['b', 'A', '\uff5e', 'a'].map((key) => copy.findKey(key))).toEqual([0, 1, 2, -1])
  mustBe(copy, badges, recordsOf(badges))
})
