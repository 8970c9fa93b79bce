import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AttributeIndex } from '../../src/storage/attribute-index.ts'
import { fillAsOf } from '../../src/storage/past-table.ts'
import { Table } from '../../src/storage/table.ts'
import { verifyTable } from '../../src/storage/verify-table.ts'
import { dumpStore } from '../../src/store/dump/dump.ts'
import { runs } from '../runs.ts'
import { type Action, actions, performAll } from '../write/firm-actions.ts'
import { firmStore, type TestStore } from '../write/firm-store.ts'

interface State {
  readonly globalStamp: number
  readonly dump: string
  readonly sequences: readonly number[]
  readonly births: readonly (readonly number[])[]
}

const stateOf = (store: TestStore): State => ({
  globalStamp: store.writer.globalStamp,
  dump: store.state(),
  sequences: store.writer.tables.map(({ sequence }) => sequence),
  births: store.writer.tables.map(birthsOf),
})

const birthsOf = (table: Table): number[] =>
  Array.from(table.liveSlots(), (slot) => table.births[slot])

function run(store: TestStore, transactions: readonly (readonly Action[])[]): State[] {
  const states = [stateOf(store)]
  for (const transaction of transactions) {
    performAll(store, transaction)
    states.push(stateOf(store))
  }
  return states
}

const dumpOf = (store: TestStore, tables: readonly Table[]): string =>
  new TextDecoder().decode(dumpStore(store.catalog, tables, 0))

/** Copies of all tables as of a state. Sequences cannot be read, so they are left out. */
function copiesOf(store: TestStore, { globalStamp, sequences }: State): Table[] {
  return store.writer.tables.map((live, ordinal) => {
    const copy = new Table(live.model, live.indexFactory)
    fillAsOf(copy, live, store.writer.history.pastOf(live, globalStamp))
    copy.sequence = sequences[ordinal]
    return copy
  })
}

/** The copy is consistent with its columns, and free slots are empty. */
function mustBeSound(copy: Table): void {
  const slots = Array.from({ length: copy.capacity }, (_, slot) => slot)
  expect(
    slots.filter(
      (slot) => !copy.isLive(slot) && copy.readAll(slot).some((value) => value !== null),
    ),
  ).toEqual([])
  // A copy has no hash of unique values, which `verifyTable` requires.
  for (const { unique, key, ordinal } of copy.model.storage) {
    if (!unique || key) continue
    copy.indexes[ordinal] = new AttributeIndex(
      copy.columns[ordinal],
      { ordered: false, postings: false, unique: true },
      null,
    )
    copy.indexes[ordinal].build(copy.liveSlots())
  }
  verifyTable(copy)
}

test('a past copy equals the dump of that time, bit for bit, and stays valid', () => {
  fc.assert(
    fc.property(
      fc.array(actions, { maxLength: 6 }),
      fc.array(actions, { maxLength: 3 }),
      fc.nat(6),
      (first, second, mark) => {
        const store = firmStore()
        const states = run(store, first.slice(0, mark))
        const snapshot = store.snapshots.take()
        states.push(...run(store, first.slice(mark)))
        store.snapshots.restore(snapshot)
        states.push(stateOf(store))
        const taken = states.map((state) => ({ state, copies: copiesOf(store, state) }))
        const later = run(store, second)
        for (const { state, copies } of taken) {
          copies.forEach(mustBeSound)
          expect(dumpOf(store, copies)).toBe(state.dump)
          expect(copies.map(birthsOf)).toEqual(state.births)
        }
        for (const state of [...states, ...later])
          expect(dumpOf(store, copiesOf(store, state))).toBe(state.dump)
        store.verify()
      },
    ),
    runs(40),
  )
})

test('a record whose slot was reused is restored with its own birth', () => {
  const store = firmStore()
  for (const name of ['a', 'b']) store.insert('Firm', { name })
  const before = stateOf(store)
  store.remove('Firm', 1)
  store.insert('Firm', { name: 'c' })
  expect(stateOf(store).births).not.toEqual(before.births)
  const copies = copiesOf(store, before)
  copies.forEach(mustBeSound)
  expect(copies.map(birthsOf)).toEqual(before.births)
})
