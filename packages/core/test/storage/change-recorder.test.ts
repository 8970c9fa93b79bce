import { describe, expect, test } from 'vitest'
import { bytesOf, type Change, ChangeRecorder } from '../../src/storage/change-list.ts'
import type { WordColumn } from '../../src/storage/column.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { dice } from './dice.ts'
import { columnOf, ordinalOf } from './people-table.ts'
import { FROZEN, firmTables, mustHave, recordsOf, rowOf } from './plain-tables.ts'
import { Recorded } from './recorded-table.ts'

describe('the changes that a recorder holds', () => {
  test('are rolled back to the state before them', () => {
    for (let seed = 1; seed < 20; seed++) {
      const roll = dice(seed)
      const written = new Recorded()
      const { table } = written
      written.write(roll(20), roll)
      const list = written.recorder.finish(1, 5)
      expect(written.recorder.changes).toEqual([])
      expect([list.globalStamp, list.timestamp]).toEqual([1, 5])
      const before = recordsOf(table)
      const { sequence } = table
      written.write(1 + roll(12), roll)
      written.recorder.rollback(written.nextBirth)
      mustHave(table, before)
      expect(table.sequence).toBe(sequence)
      expect([written.recorder.changes, written.recorder.sequences]).toEqual([[], []])
      // Records that came back keep their identity.
      for (const [slot, { birth }] of before) expect(table.isSameSince(slot, birth)).toBe(true)
      written.write(5, roll)
      verifyTable(table)
    }
  })

  test('are undone one by one, and the recorded undo can be undone too', () => {
    for (let seed = 1; seed < 12; seed++) {
      const roll = dice(seed)
      const written = new Recorded()
      const { table } = written
      written.write(8, roll)
      const first = recordsOf(table)
      written.recorder.finish(1, 1)
      written.write(6, roll)
      const second = recordsOf(table)
      const { changes } = written.recorder.finish(2, 2)
      const undo = (all: readonly Change[]): readonly Change[] => {
        const clock = written.nextBirth()
        for (const change of [...all].reverse()) written.recorder.undo(change, clock)
        return written.recorder.finish(3, 3).changes
      }
      const undoing = undo(changes)
      mustHave(table, first)
      undo(undoing)
      mustHave(table, second)
    }
  })

  test('describe the state before: kind, slot, values, stamp, timestamp and birth', () => {
    const written = new Recorded()
    const { table } = written
    const name = ordinalOf(table, 'name')
    const row = rowOf(table, { ID: 1, name: 'Ada', pay: 3 })
    written.insert(row)
    written.update(0, [name], ['Bob'])
    written.recorder.remove(table, 0)
    expect(written.recorder.changes).toEqual([
      { kind: 'insert', table, slot: 0 },
      {
        kind: 'update',
        table,
        slot: 0,
        ordinals: [name],
        before: ['Ada'],
        stamp: 1,
        timestamp: 10,
      },
      {
        kind: 'remove',
        table,
        slot: 0,
        before: rowOf(table, { ID: 1, name: 'Bob', pay: 3 }),
        stamp: 2,
        timestamp: 20,
        birth: 1,
      },
    ])
  })

  test('include a bulk load, which is undone as a whole', () => {
    const written = new Recorded()
    const { table } = written
    for (const key of [1, 2, 3, 4]) written.insert(rowOf(table, { ID: key }))
    written.recorder.finish(1, 1)
    written.recorder.loaded(table, Int32Array.of(1, 3))
    expect(written.recorder.changes).toEqual([{ kind: 'load', table, slots: Int32Array.of(1, 3) }])
    const [change] = written.recorder.finish(2, 2).changes
    written.recorder.undo(change, written.nextBirth())
    expect([...table.liveSlots()]).toEqual([0, 2])
    expect(written.recorder.changes.map(({ kind }) => kind)).toEqual(['remove', 'remove'])
    written.recorder.rollback(written.nextBirth)
    expect([...table.liveSlots()]).toEqual([0, 1, 2, 3])
    verifyTable(table)
  })

  test('restore words that the dictionary has forgotten meanwhile', () => {
    for (const kind of ['update', 'remove']) {
      const written = new Recorded()
      const { table } = written
      written.insert(rowOf(table, { ID: 1, name: 'only here' }))
      written.recorder.finish(1, 1)
      if (kind === 'remove') written.recorder.remove(table, 0)
      else written.update(0, [ordinalOf(table, 'name')], ['other'])
      columnOf<WordColumn>(table, 'name').dictionary.sweep()
      const [change] = written.recorder.finish(2, 2).changes
      written.recorder.undo(change, written.nextBirth())
      expect(table.read(0, ordinalOf(table, 'name'))).toBe('only here')
      verifyTable(table)
    }
  })
})

describe('sequences', () => {
  test('are recorded with their previous values if they advanced, and are restored', () => {
    const [firms, people] = firmTables()
    const recorder = new ChangeRecorder()
    expect(recorder.sequences).toEqual([])
    recorder.setSequence(firms, 1)
    expect(recorder.sequences).toEqual([])
    recorder.setSequence(firms, 5)
    recorder.setSequence(people, 3)
    recorder.setSequence(firms, 9)
    recorder.setSequence(people, 3)
    expect([firms.sequence, people.sequence]).toEqual([9, 3])
    expect(recorder.sequences).toEqual([
      { table: firms, before: 1 },
      { table: people, before: 1 },
      { table: firms, before: 5 },
    ])
    recorder.rollback(() => 1)
    expect([firms.sequence, people.sequence, recorder.sequences]).toEqual([1, 1, []])
    recorder.setSequence(firms, 5)
    const list = recorder.finish(1, 1)
    expect(list.sequences).toEqual([{ table: firms, before: 1 }])
    expect([recorder.sequences, firms.sequence]).toEqual([[], 5])
    recorder.rollback(() => 1)
    expect(firms.sequence).toBe(5)
    // Two recorders record separately.
    new ChangeRecorder().setSequence(people, 7)
    expect(new ChangeRecorder().sequences).toEqual([])
  })
})

describe('the recorded size of a change', () => {
  test('increases with every value, with the length of texts, and with objects and bytes', () => {
    const none = bytesOf([])
    expect(none).toBeGreaterThan(0)
    for (const value of [null, 7, true, '', 'a', FROZEN])
      expect(bytesOf([value])).toBeGreaterThan(none)
    expect(bytesOf(['a'.repeat(1000)]) - bytesOf([''])).toBe(2000)
    expect(bytesOf([null])).toBeLessThan(bytesOf([FROZEN]))
    expect(bytesOf([1, 2, 'abc']) - bytesOf([1, 2])).toBe(bytesOf(['abc']) - none)
    expect(bytesOf([FROZEN, FROZEN]) - bytesOf([FROZEN])).toBe(bytesOf([FROZEN]) - none)
  })

  test('adds up over the changes of one commit', () => {
    const written = new Recorded()
    const { table } = written
    const start = written.recorder.bytes
    expect(start).toBeGreaterThan(0)
    let last = start
    const added = () => {
      const more = written.recorder.bytes - last
      last = written.recorder.bytes
      return more
    }
    const row = rowOf(table, { ID: 1, name: 'x'.repeat(500) })
    written.insert(row)
    expect(added()).toBeGreaterThan(0)
    written.update(0, [ordinalOf(table, 'name')], ['y'])
    expect(added()).toBe(bytesOf(['x'.repeat(500)]))
    const before = table.readAll(0)
    written.recorder.remove(table, 0)
    expect(added()).toBe(bytesOf(before))
    written.recorder.loaded(table, new Int32Array(100))
    expect(added()).toBeGreaterThanOrEqual(400)
    expect(written.recorder.finish(1, 1).bytes).toBe(last)
    expect(written.recorder.bytes).toBe(start)
    written.insert(row)
    written.recorder.rollback(written.nextBirth)
    expect(written.recorder.bytes).toBe(start)
  })
})
