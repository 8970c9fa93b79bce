import { expect, test } from 'vitest'
import {
  type AnyDataStore,
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
} from '../../src/index.ts'
import { codeOf } from './server-state-store.ts'

/** The fault of a hook. */
type Fault = (argument: { [name: string]: unknown }, store: AnyDataStore) => unknown

/** Tasks with hooks that count their calls and run a fault at the n-th call. */
function faultStore() {
  const calls = { count: 0, at: -1, fault: (() => undefined) as Fault, kinds: [] as string[] }
  const hook =
    (kind: string) =>
    (argument: object): undefined => {
      calls.kinds.push(kind)
      if (calls.count++ !== calls.at) return undefined
      return calls.fault(
        argument as { [name: string]: unknown },
        store as AnyDataStore,
      ) as undefined
    }
  const Task = defineDataClass(
    'Task',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ unique: true }),
      data: attribute.object<{ tags: string[] }>({ default: { tags: [] } }),
      parent: attribute.relatedEntity('Task', { onDelete: 'cascade' }),
    },
    {
      hooks: {
        init: hook('init'),
        beforeSave: hook('beforeSave'),
        validateSave: hook('validateSave'),
        validateRemove: hook('validateRemove'),
      },
    },
  )
  const store = createDataStore({ name: 'faults', dataClasses: [Task] })
  store.Task.insert({ name: 'a', data: { tags: ['x'] } })
  store.Task.insert({ name: 'b', parent: 1 })
  store.Task.insert({ name: 'c', parent: 2 })
  calls.count = 0
  calls.kinds.length = 0
  const set = store.entitySets.create(store.Task.all())
  const batch = () =>
    store.transact((tx) => {
      tx.Task.insert({ name: 'new' })
      tx.Task.update(1, { name: 'A', data: { tags: ['y'] } })
      expect(tx.Task.query("name = 'new'").count).toBe(1)
      tx.Task.update(3, { name: 'C' })
      tx.Task.remove(2)
    })
  return { store, calls, batch, set }
}
/** The hooks that a batch calls, in order: removing 2 cascades to 3. */
const KINDS = (() => {
  const { calls, batch } = faultStore()
  batch()
  return [...calls.kinds]
})()

test('a batch calls hooks of every kind', () => {
  expect(KINDS.join(' ')).toBe(
    'init beforeSave validateSave beforeSave validateSave beforeSave validateSave validateRemove validateRemove',
  )
})

const FAULTS: readonly (readonly [string, string, Fault])[] = [
  [
    'throws',
    'hookFailed',
    () => {
      throw new RangeError('fault')
    },
  ],
  [
    'throws nothing',
    'hookFailed',
    () => {
      throw undefined
    },
  ],
  ['rejects', 'promiseReturned', () => Promise.reject(new Error('fault'))],
  ['never resolves', 'promiseReturned', () => new Promise(() => {})],
  [
    'returns what has a then',
    'promiseReturned',
    // biome-ignore lint/suspicious/noThenProperty: what is refused
    () => ({ then: (resolve: () => void) => resolve() }),
  ],
  [
    'writes, and throws',
    'hookFailed',
    (_, store) => {
      store.dataClass('Task').insert({ name: 'half' })
      throw new Error('fault')
    },
  ],
  [
    'lets a write fail, and goes on',
    'uniqueViolation',
    (_, store) => {
      store.dataClass('Task').insert({ name: 'half' })
      store.dataClass('Task').insert({ name: 'HALF' })
    },
  ],
  ['asks for a snapshot', 'notInTransaction', (_, store) => store.snapshot()],
  ['closes the store', 'notInTransaction', (_, store) => store.close()],
  [
    'begins a transaction that fails',
    'entityNotFound',
    (_, store) => store.transact((tx) => tx.dataClass('Task').remove(99)),
  ],
]

test.each(FAULTS)(
  'a hook that %s at any of its calls fails the whole batch without a trace',
  (_, code, fault) => {
    for (let at = 0; at < KINDS.length; at++) {
      const { store, calls, batch, set } = faultStore()
      const before = store.dump()
      const notices: number[] = []
      store.on('commit', ({ globalStamp }) => void notices.push(globalStamp))
      Object.assign(calls, { at, fault })
      expect(codeOf(batch), `${KINDS[at]} at ${at}`).toBe(code)
      expect(store.dump()).toEqual(before)
      expect(notices).toEqual([])
      expect(store.entitySets.get(set)?.keys()).toEqual([1, 2, 3])
      store.verify()
      // The store continues: keys are assigned as before.
      calls.at = -1
      expect(store.Task.insert({ name: 'after' }).ID).toBe(4)
    }
  },
)

test('a hook can change an entity only through its draft and while it runs', () => {
  for (let at = 0; at < KINDS.length; at++) {
    const { store, calls, batch } = faultStore()
    const kept: { [name: string]: unknown }[] = []
    const fault: Fault = (argument) => {
      kept.push(argument)
      try {
        ;(argument.data as { tags: string[] }).tags.push('by a hook')
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
      }
    }
    Object.assign(calls, { at, fault })
    batch()
    const changed = store.Task.all()
      .toArray()
      .filter(({ data }) => data?.tags.includes('by a hook'))
    // The third of the saved entities is removed at the end.
    expect(changed.length).toBe(['init', 'beforeSave'].includes(KINDS[at]) && at !== 5 ? 1 : 0)
    const after = store.dump()
    for (const argument of kept) {
      try {
        argument.name = 'later'
        ;(argument.data as { tags: string[] }).tags.push('later')
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
      }
    }
    expect(store.dump()).toEqual(after)
    store.verify()
  }
})

test('a hook that saves inside a save joins the transaction: one commit, one notice', () => {
  for (let at = 0; at < KINDS.length; at++) {
    const { store, calls, batch } = faultStore()
    const notices: number[] = []
    store.on('commit', ({ globalStamp }) => void notices.push(globalStamp))
    const { globalStamp } = store
    const fault: Fault = (_, inside) => {
      inside.transact(() => {
        inside.dataClass('Task').insert({ name: 'by a hook', parent: 1 })
      })
    }
    Object.assign(calls, { at, fault })
    batch()
    expect(notices).toEqual([globalStamp + 1])
    expect(store.Task.query("name = 'by a hook'").count).toBe(1)
    store.verify()
  }
})

test('a getter that throws fails its query; the selection and the store do not change', () => {
  let isBroken = false
  const Item = defineDataClass('Item', {
    ID: attribute.long({ key: true }),
    size: attribute.long(),
    half: attribute.computed('number', {
      get: (item: { size: number | null }) => {
        if (isBroken && item.size === 4) throw new RangeError('getter')
        return (item.size ?? 0) / 2
      },
    }),
  })
  const store = createDataStore({ name: 'items', dataClasses: [Item] })
  store.Item.load([1, 2, 3].map((ID) => ({ ID, size: 2 * ID })))
  const before = store.dump()
  const selection = store.Item.query('size > 0').orderBy('size desc')
  const requests: readonly (() => unknown)[] = [
    () => selection.select('ID, half'),
    () => selection.json('half'),
    () => selection.orderBy('half').keys(),
    () => selection.sum('half'),
    () => selection.distinct('half'),
    () => selection.query('half = 2').keys(),
    () => store.Item.query('half > 1').count,
    () => store.Item.get(2)?.half,
  ]
  const working = requests.map((request) => JSON.stringify(request()))
  isBroken = true
  for (const request of requests) {
    let thrown: unknown
    try {
      request()
    } catch (error) {
      thrown = error
    }
    expect(
      thrown instanceof RangeError || isEntiaError(thrown, 'hookFailed'),
      request.toString(),
    ).toBe(true)
    expect(selection.keys()).toEqual([3, 2, 1])
  }
  isBroken = false
  expect(requests.map((request) => JSON.stringify(request()))).toEqual(working)
  expect(store.dump()).toEqual(before)
  store.verify()
})

test('a listener may stop itself or another and add one while it runs; its rejected promise is reported', async () => {
  const { store } = faultStore()
  const notices: string[] = []
  const errors: unknown[] = []
  const boom = new Error('later')
  store.on('error', () => {
    throw new Error('the listener throws')
  })
  store.on('error', (error) => void errors.push(error))
  const stopOnce = store.on('commit', () => {
    notices.push('once')
    stopOnce()
    stopOnce()
    stopNext()
    store.on('commit', () => void notices.push('added'))
  })
  const stopNext = store.on('commit', () => void notices.push('next'))
  store.on('commit', (async () => {
    notices.push('async')
    await Promise.resolve()
    throw boom
  }) as () => void)
  store.Task.insert({ name: 'd' })
  expect(notices).toEqual(['once', 'async'])
  store.Task.insert({ name: 'e' })
  expect(notices).toEqual(['once', 'async', 'async', 'added'])
  await new Promise((resolve) => setTimeout(resolve))
  expect(errors).toEqual([boom, boom])
})
