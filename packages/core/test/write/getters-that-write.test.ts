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
import { codeOf } from './firm-store.ts'

const attributes = {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true }),
  rank: attribute.number({ indexed: true }),
  notes: attribute.object(),
  photo: attribute.blob(),
  mark: attribute.uuid({ autoSequence: true }),
  friend: attribute.relatedEntity('Plain', { onDelete: 'null' }),
}
const Plain = defineDataClass('Plain', attributes)
/** Hooks of every kind, so that no write takes the direct path. */
const Hooked = defineDataClass('Hooked', attributes, { hooks: { beforeSave: () => {} } })
const dataClasses = [Plain, Hooked]
type Name = 'Plain' | 'Hooked'
const PNG = new Uint8Array([1, 2, 3])

/** Runs code, then returns a value. */
function after<T>(code: () => void, value: T): T {
  code()
  return value
}

/** A write to a store. The clock, the ids and the given values may start another write. */
type Write = (store: AnyDataStore, table: ReturnType<AnyDataStore['dataClass']>) => void
const INNER: { readonly [name: string]: Write } = {
  nothing: () => {},
  insert: (_, table) => void table.insert({ name: null, rank: 7 }),
  'insert the same': (_, table) => void table.insert({ name: 'given', rank: 8 }),
  'insert many': (_, table) => void table.load([{ rank: 1 }, { rank: 2 }]),
  'update it': (_, table) => void table.update(1, { rank: 99 }),
  'update many': (_, table) =>
    void table.updateAll([1, 2].map((key) => ({ key, patch: { rank: 55 } }))),
  'remove it': (_, table) => table.remove(1),
  'remove another': (_, table) => table.remove(2),
  'replace it': (store, table) =>
    store.transact(() => {
      table.remove(1)
      table.insert({ rank: 3 })
    }),
  'remove all': (_, table) => void table.all().remove(),
}

/** Values whose reading runs code. */
type Given = (code: () => void) => { readonly [name: string]: unknown }
const GIVEN: { readonly [name: string]: Given } = {
  getter: (code) => ({
    rank: 5,
    get name() {
      code()
      return 'given'
    },
  }),
  'getter at first': (code) => ({
    get notes() {
      code()
      return { a: 1 }
    },
    rank: 6,
  }),
  proxy: (code) =>
    new Proxy({ name: 'given' }, { ownKeys: (target) => after(code, Reflect.ownKeys(target)) }),
  'values of a proxy': (code) =>
    new Proxy(
      { rank: 4 },
      { get: (target, name) => after(code, Reflect.get(target, name) as unknown) },
    ),
  bytes: (code) => ({ photo: { mediaType: 'a/b', bytes: () => after(code, PNG) } }),
  'a getter of bytes': (code) => ({
    photo: {
      get mediaType() {
        code()
        return 'a/b'
      },
      bytes: PNG,
    },
  }),
  'within an object': (code) => ({
    notes: {
      list: [
        {
          get x() {
            code()
            return 1
          },
        },
      ],
    },
  }),
  relation: (code) => ({
    friend: {
      get ID() {
        code()
        return null
      },
    },
  }),
  'a related entity': (code) => ({
    friend: {
      get ID() {
        code()
        return 2
      },
    },
  }),
}

/** Outer writes, by the form of their input. */
const OUTER: { readonly [name: string]: (given: ReturnType<Given>, code: () => void) => Write } = {
  insert: (given) => (_, table) => void table.insert(given),
  update: (given) => (_, table) => void table.update(1, given),
  'update with a stamp': (given) => (_, table) => void table.update(1, given, { stamp: 1 }),
  'update with a getter of the stamp': (given, code) => (_, table) =>
    void table.update(1, given, {
      get stamp() {
        code()
        return 1
      },
    }),
  remove: (_given, code) => (_, table) =>
    table.remove(1, {
      get stamp() {
        code()
        return undefined as never
      },
    }),
  'update many': (given) => (_, table) =>
    void table.updateAll([
      { key: 2, patch: { rank: 3 } },
      { key: 1, patch: given },
    ]),
  'update many with getters': (given, code) => (_, table) =>
    void table.updateAll([
      {
        get key() {
          code()
          return 1
        },
        patch: given,
        stamp: 1,
      },
    ]),
  load: (given) => (_, table) => void table.load([{ rank: 1 }, given, { rank: 2 }]),
  'load of an iterable': (given, code) => (_, table) =>
    void table.load(
      (function* () {
        yield { rank: 1 }
        code()
        yield given
      })(),
    ),
  'load with getters of options': (given, code) => (_, table) =>
    void table.load([{ rank: 1 }, given], {
      get relations() {
        code()
        return 'null' as const
      },
      get hooks() {
        code()
        return true
      },
    }),
  preview: (given) => (_, table) => void table.preview(1, given),
  'preview of a new one': (given) => (_, table) => void table.preview(null, given),
  'keys of a selection': (_given, code) => (_, table) => {
    const keys = function* () {
      yield 1
      code()
      yield 2
    }
    const { count } = table.from(keys() as never)
    expect(table.from([1, 2] as never).count).toBe(count)
  },
  query: (_given, code) => (_, table) => {
    const params = [0, 0]
    Object.defineProperty(params, 1, { get: () => after(code, 1000) })
    const found = table.query('rank > :1 and rank < :2', params)
    expect(found.count).toBe(table.query('rank > 0 and rank < 1000').count)
  },
}

const idle = (): void => {}
const VIA: readonly ('alone' | 'in a transaction' | 'with a listener')[] = [
  'alone',
  'in a transaction',
  'with a listener',
]

/** Performs a write during which another write starts, and checks the guarantees of the store. */
function check(
  name: Name,
  outer: string,
  given: string,
  inner: string,
  via: (typeof VIA)[number],
  port: string,
): void {
  let pending: (() => void) | null = null
  const code = (): void => {
    const run = pending
    pending = null
    run?.()
  }
  let moments = 0
  const clock = {
    now: () => after(port === 'clock' ? code : idle, ++moments),
    monotonic: () => after(port === 'monotonic' ? code : idle, 1),
  }
  const ids = {
    uuid: () => after(port === 'ids' ? code : idle, crypto.randomUUID()),
    token: () => 'token',
  }
  const store: AnyDataStore = createDataStore({ name: 'getters', dataClasses, clock, ids })
  const stamps: number[] = []
  if (via === 'with a listener')
    store.on('commit', ({ globalStamp }) => void stamps.push(globalStamp))
  const table = store.dataClass(name)
  for (const rank of [1, 2, 3]) table.insert({ rank, name: `name ${rank}` })
  // Checking a lock reads the clock, since sessions expire.
  const session = store.sessions.open()
  if (port === 'monotonic') for (const key of [1, 2]) store.locks.lock(name, key, session)
  const base = store.dump()
  const began = store.globalStamp
  const commits: Uint8Array[] = []
  persistenceOf(store).reportCommitsTo((_, commit) => void commits.push(joined(commit)))

  let isInnerDone = false
  pending = () => {
    try {
      INNER[inner]!(store, table)
      isInnerDone = true
    } catch (error) {
      if (!isEntiaError(error)) throw error
    }
  }
  const values = GIVEN[given]!(port === 'given' ? code : () => {})
  const write = OUTER[outer]!(values, port === 'given' ? code : () => {})
  try {
    store.as(session, () => {
      if (via === 'in a transaction') store.transact(() => write(store, table))
      else write(store, table)
    })
  } catch (error) {
    if (!isEntiaError(error)) throw error
  }
  pending = null

  store.verify()
  expect(commits.length).toBe(store.globalStamp - began)
  const replayed = createDataStore({ name: 'getters', dataClasses })
  persistenceOf(replayed).replace(new CheckedDump(base), commits)
  replayed.verify()
  expect(replayed.dump()).toEqual(store.dump())
  if (via === 'with a listener')
    expect(stamps).toEqual(Array.from({ length: store.globalStamp }, (_, i) => i + 1))
  // A load reads its rows inside its own transaction.
  const isOwnCommit = port === 'given' && via !== 'in a transaction' && !outer.startsWith('load')
  if (isInnerDone && inner === 'remove it' && isOwnCommit) expect(table.has(1)).toBe(false)
  expect(table.insert({ name: 'the next' })).toMatchObject({ name: 'the next' })
  store.verify()
}

test(
  'values, clocks and id generators that write to the store are safe: their write comes first',
  () => {
    const among = (names: object) => fc.constantFrom(...Object.keys(names))
    fc.assert(
      fc.property(
        fc.constantFrom<Name>('Plain', 'Hooked'),
        among(OUTER),
        among(GIVEN),
        among(INNER),
        fc.constantFrom(...VIA),
        fc.constantFrom('given', 'given', 'clock', 'ids', 'monotonic'),
        check,
      ),
      runs(400),
    )
  },
  patience.timeout,
)

describe('a write that a getter starts', () => {
  const make = () => createDataStore({ name: 'getters', dataClasses })

  test('is a commit of its own, before the outer one', () => {
    for (const name of ['Plain', 'Hooked'] as const) {
      const store = make()
      const table = store[name]
      const saved = table.insert({
        get name() {
          table.insert({ name: 'inner' })
          return 'outer'
        },
      })
      expect(
        table
          .all()
          .toArray()
          .map(({ ID, name: each }) => [ID, each]),
      ).toEqual([
        [1, 'inner'],
        [2, 'outer'],
      ])
      expect([saved.name, store.globalStamp]).toEqual(['outer', 2])
      store.verify()
    }
  })

  test('makes the given stamp of the outer write stale', () => {
    for (const name of ['Plain', 'Hooked'] as const) {
      const store = make()
      const table = store[name]
      table.insert({})
      const patch = {
        get rank() {
          table.update(1, { rank: 1 })
          return 2
        },
      }
      expect(codeOf(() => table.update(1, patch, { stamp: 1 }))).toBe('stampChanged')
      expect(table.get(1)?.rank).toBe(1)
    }
  })

  test('stays in the transaction if the outer write is refused', () => {
    const store = make()
    store.transact(() => {
      const values = {
        name: 'same',
        get rank() {
          store.Plain.insert({ name: 'same' })
          return 1
        },
      }
      expect(codeOf(() => store.Plain.insert(values))).toBe('uniqueViolation')
    })
    expect(
      store.Plain.all()
        .toArray()
        .map(({ name }) => name),
    ).toEqual(['same'])
    store.verify()
  })

  test('that closes the store prevents the outer write', () => {
    const store = make()
    const values = {
      get rank() {
        store.close()
        return 1
      },
    }
    expect(codeOf(() => store.Plain.insert(values))).toBe('storeClosed')
  })
})
