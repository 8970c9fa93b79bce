import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { AnyDataStore } from '../../src/model/store-types.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { createDataStore } from '../../src/store/create-store.ts'
import { joined } from '../../src/store/dump/line-writer.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import { patience, runs } from '../runs.ts'
import { linesOfDump } from '../sealed-dump.ts'
import { codeOf } from './firm-store.ts'

const attributes = {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  rank: attribute.long({ indexed: true }),
}
const Plain = defineDataClass('Plain', attributes)
const Hooked = defineDataClass('Hooked', attributes, {
  hooks: {
    // The rank decides what the hook does: load into this dataclass or another, query, or nothing.
    beforeSave: (draft, { store }) => {
      if (draft.rank === 101) store.dataClass('Plain').load([{}, {}])
      if (draft.rank === 102) store.dataClass('Hooked').load([{ rank: 1 }], { hooks: false })
      if (draft.rank === 103) store.dataClass('Plain').query('rank > 0').toArray()
      if (draft.rank === 104) store.dataClass('Plain').updateAll([])
    },
  },
})
type Name = 'Plain' | 'Hooked'
const NAMES: readonly Name[] = ['Plain', 'Hooked']

type Action =
  | {
      readonly kind: 'insert'
      readonly of: Name
      readonly key: number | null
      readonly name: string | null
      readonly rank: number | null
    }
  | {
      readonly kind: 'update' | 'update many'
      readonly of: Name
      readonly at: number
      readonly rank: number | null
    }
  | { readonly kind: 'remove' | 'remove the last'; readonly of: Name; readonly at: number }
  | { readonly kind: 'load'; readonly of: 'Plain'; readonly keys: readonly (number | null)[] }
  | { readonly kind: 'update none' | 'ask' | 'remove all'; readonly of: Name }

interface Row {
  readonly name: string | null
  readonly rank: number | null
  readonly stamp: number
  readonly isNew: boolean
}
/** The content of a store, in plain maps by key. */
class PlainStore {
  readonly rows: { readonly [N in Name]: Map<number, Row> } = {
    Plain: new Map(),
    Hooked: new Map(),
  }
  readonly sequence: { [N in Name]: number } = { Plain: 1, Hooked: 1 }
  globalStamp = 0
  isTouched = false

  copy(): PlainStore {
    const copied = new PlainStore()
    for (const name of NAMES) {
      for (const [key, row] of this.rows[name]) copied.rows[name].set(key, row)
      copied.sequence[name] = this.sequence[name]
    }
    copied.globalStamp = this.globalStamp
    return copied
  }

  /** False if the action is refused. */
  perform(action: Action): boolean {
    const rows = this.rows[action.of]
    switch (action.kind) {
      case 'insert':
        return this.#insert(action)
      case 'update':
      case 'update many': {
        const key = keyAt([...rows.keys()], action.at)
        const row = rows.get(key)
        if (row === undefined) return false
        if (row.rank === action.rank) return true
        if (action.of === 'Hooked') this.#hook(action.rank)
        rows.set(key, { ...row, rank: action.rank, stamp: row.stamp + 1 })
        this.isTouched ||= !row.isNew
        return true
      }
      case 'remove':
      case 'remove the last': {
        const key = removed(action, [...rows.keys()])
        this.isTouched ||= rows.get(key)?.isNew === false
        return rows.delete(key)
      }
      case 'remove all':
        for (const { isNew } of rows.values()) this.isTouched ||= !isNew
        rows.clear()
        return true
      case 'load':
        return this.#load(action.keys)
      default:
        return true
    }
  }

  #insert({ of, key, name, rank }: Action & { readonly kind: 'insert' }): boolean {
    const rows = this.rows[of]
    if (key !== null && rows.has(key)) return false
    if (name !== null && [...rows.values()].some((row) => row.name === name)) return false
    const used = key ?? this.sequence[of]
    this.sequence[of] = Math.max(this.sequence[of], used + 1)
    if (of === 'Hooked') this.#hook(rank)
    rows.set(used, { name, rank, stamp: 1, isNew: true })
    return true
  }
  #hook(rank: number | null): void {
    if (rank === 101) this.#load([null, null])
    if (rank !== 102) return
    this.rows.Hooked.set(this.sequence.Hooked++, { name: null, rank: 1, stamp: 1, isNew: true })
  }
  #load(keys: readonly (number | null)[]): boolean {
    let next = this.sequence.Plain
    const made: number[] = []
    for (const key of keys) {
      const used = key ?? next
      next = Math.max(next, used + 1)
      if (this.rows.Plain.has(used) || made.includes(used)) return false
      made.push(used)
    }
    for (const key of made)
      this.rows.Plain.set(key, { name: null, rank: null, stamp: 1, isNew: true })
    this.sequence.Plain = next
    return true
  }

  /** The effect of a transaction with some actions. Without an effect there is no commit. */
  after(actions: readonly Action[], outcomes: boolean[]): PlainStore {
    const next = this.copy()
    for (const action of actions) outcomes.push(next.perform(action))
    const isCommit =
      next.isTouched ||
      NAMES.some((name) => [...next.rows[name].values()].some(({ isNew }) => isNew))
    if (!isCommit) return this.copy()
    for (const name of NAMES)
      for (const [key, row] of next.rows[name]) next.rows[name].set(key, { ...row, isNew: false })
    next.isTouched = false
    next.globalStamp++
    return next
  }
}

const keyAt = (keys: readonly number[], at: number): number =>
  [...keys].sort((a, b) => a - b)[at] ?? -1
const removed = (
  action: Action & { readonly kind: 'remove' | 'remove the last' },
  keys: readonly number[],
): number => (action.kind === 'remove' ? keyAt(keys, action.at) : Math.max(-1, ...keys))

function perform(store: AnyDataStore, action: Action): void {
  const table = store.dataClass(action.of)
  const keys = (): number[] =>
    table
      .all()
      .toArray()
      .map((entity) => entity.ID)
  switch (action.kind) {
    case 'insert': {
      const { key, name, rank } = action
      table.insert(key === null ? { name, rank } : { ID: key, name, rank })
      return
    }
    case 'update':
      table.update(keyAt(keysOf(store, action.of), action.at), { rank: action.rank })
      return
    case 'update many':
      table.updateAll([
        { key: keyAt(keysOf(store, action.of), action.at), patch: { rank: action.rank } },
      ])
      return
    case 'update none':
      table.updateAll([])
      return
    case 'remove':
    case 'remove the last':
      table.remove(removed(action, keysOf(store, action.of)))
      return
    case 'remove all':
      table.all().remove()
      return
    case 'load':
      table.load(action.keys.map((key) => (key === null ? {} : { ID: key })))
      return
    case 'ask':
      keys()
  }
}
/** The keys of a dataclass. A query would write the stage, so each key is looked up. */
const keysOf = (store: AnyDataStore, of: Name): number[] =>
  Array.from({ length: 60 }, (_, key) => key).filter((key) => store.dataClass(of).has(key))

const of = fc.constantFrom(...NAMES)
const at = fc.nat(3)
const rank = fc.constantFrom(null, 1, 2)
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    of,
    key: fc.constantFrom(null, null, 1, 2, 5),
    name: fc.constantFrom(null, null, 'a'),
    rank: fc.constantFrom(null, 1, 104),
  }),
  fc.record({
    kind: fc.constant('insert' as const),
    of: fc.constant('Hooked' as const),
    key: fc.constant(null),
    name: fc.constant(null),
    rank: fc.constantFrom(101, 102, 103),
  }),
  fc.record({ kind: fc.constantFrom('update' as const, 'update many' as const), of, at, rank }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'remove the last' as const), of, at }),
  fc.record({
    kind: fc.constant('load' as const),
    of: fc.constant('Plain' as const),
    keys: fc.array(fc.constantFrom(null, null, 2, 6), { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constantFrom('update none' as const, 'ask' as const, 'remove all' as const),
    of,
  }),
)
const transactions = fc.array(
  fc.record({
    actions: fc.array(action, { minLength: 1, maxLength: 7 }),
    isAborted: fc.nat(9).map((n) => n === 0),
  }),
  { maxLength: 6 },
)

test(
  'transactions whose writes change nothing, are refused or undo each other equal plain maps',
  () => {
    fc.assert(
      fc.property(transactions, fc.boolean(), (all, isHeard) => {
        const make = () => createDataStore({ name: 'stages', dataClasses: [Plain, Hooked] })
        const store = make()
        const stamps: number[] = []
        if (isHeard)
          store.on(
            'commit',
            ({ globalStamp }: { readonly globalStamp: number }) => void stamps.push(globalStamp),
          )
        const base = store.dump()
        const commits: Uint8Array[] = []
        persistenceOf(store).reportCommitsTo((_, commit) => void commits.push(joined(commit)))
        let plain = new PlainStore()
        for (const { actions, isAborted } of all) {
          const expected: boolean[] = []
          const next = plain.after(actions, expected)
          const outcomes: boolean[] = []
          try {
            store.transact(() => {
              for (const each of actions) outcomes.push(isDone(() => perform(store, each)))
              if (isAborted) throw new RangeError('aborted')
            })
          } catch (error) {
            if (!(error instanceof RangeError)) throw error
          }
          expect(outcomes).toEqual(expected)
          if (!isAborted) plain = next
          expectSame(store, plain)
        }
        expect(commits.length).toBe(plain.globalStamp)
        if (isHeard)
          expect(stamps).toEqual(Array.from({ length: plain.globalStamp }, (_, i) => i + 1))
        const replayed = make()
        persistenceOf(replayed).replace(new CheckedDump(base), commits)
        const opened = make()
        persistenceOf(opened).replace(new CheckedDump(store.dump()), [])
        for (const copy of [replayed, opened]) {
          copy.verify()
          expect(copy.dump()).toEqual(store.dump())
        }
      }),
      runs(400),
    )
  },
  patience.timeout,
)

function isDone(run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (!isEntiaError(error)) throw error
    return false
  }
}

function expectSame(store: AnyDataStore, plain: PlainStore): void {
  store.verify()
  expect(store.globalStamp).toBe(plain.globalStamp)
  const dumped = linesOfDump(store.dump()).map(
    (line) => JSON.parse(line) as { dataClass?: string; sequence?: number },
  )
  for (const name of NAMES) {
    const found = store
      .dataClass(name)
      .all()
      .toArray()
      .map(({ ID, name: own, rank: its, stamp }) => [ID, own, its, stamp])
      .sort(([a], [b]) => (a as number) - (b as number))
    const rows = [...plain.rows[name]].map(([key, row]) => [key, row.name, row.rank, row.stamp])
    expect(found).toEqual(rows.sort(([a], [b]) => (a as number) - (b as number)))
    expect(dumped.find(({ dataClass }) => dataClass === name)?.sequence).toBe(plain.sequence[name])
  }
}

describe('a transaction without an effect makes no commit', () => {
  const make = () => createDataStore({ name: 'stages', dataClasses: [Plain, Hooked] })
  type Store = ReturnType<typeof make>
  test.each<[string, (store: Store) => void]>([
    [
      'a load and its removal',
      (store) => {
        store.Plain.load([{}, {}])
        store.Plain.all().remove()
      },
    ],
    [
      'an insertion and its removal',
      (store) => void store.Plain.remove(store.Plain.insert({}).key),
    ],
    ['a refused insertion', (store) => void codeOf(() => store.Plain.insert({ name: 7 as never }))],
    ['an empty batch', (store) => void store.Plain.updateAll([])],
    [
      'an insertion, a query and a removal',
      (store) => {
        store.Plain.insert({})
        store.Plain.all().toArray()
        store.Plain.all().remove()
      },
    ],
  ])('%s', (_, body) => {
    const store = make()
    let notices = 0
    store.on('commit', () => void notices++)
    const before = store.dump()
    store.transact(() => void body(store))
    expect([store.globalStamp, notices]).toEqual([0, 0])
    expect(store.dump()).toEqual(before)
    store.verify()
  })

  test('afterRemove is not called for an entity loaded and removed in one transaction', () => {
    const removedIds: unknown[] = []
    const Told = defineDataClass('Told', attributes, {
      hooks: { afterRemove: ({ ID }) => void removedIds.push(ID) },
    })
    const store = createDataStore({ name: 'removals', dataClasses: [Told] })
    store.Told.insert({ ID: 9 })
    store.transact(() => {
      store.Told.load([{ ID: 1 }, { ID: 2 }])
      store.Told.remove(1)
      store.Told.remove(9)
    })
    expect(removedIds).toEqual([9])
  })
})
