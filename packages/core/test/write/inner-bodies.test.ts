import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf } from './firm-store.ts'

// How a transaction continues after a part of it was refused or had no effect.
const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  code: attribute.string({ unique: true }),
})
/** Three items with the keys 1, 2 and 3. */
function items() {
  const store = createDataStore({ name: 'items', dataClasses: [Item] })
  store.Item.load(['a', 'b', 'c'].map((code) => ({ name: 'old', code })))
  return store
}
type Store = ReturnType<typeof items>
const contents = (store: Store) =>
  store.Item.all()
    .orderBy('ID')
    .toArray()
    .map(({ ID, name, code, stamp }) => [ID, name, code, stamp])

class Stop extends Error {}

const writes: Readonly<Record<string, (store: Pick<Store, 'Item'>) => unknown>> = {
  'an insertion': (tx) => tx.Item.insert({ name: 'new' }),
  'an update': (tx) => tx.Item.update(1, { name: 'changed' }),
  'an update of a unique value': (tx) => tx.Item.update(2, { code: 'z' }),
  'a removal': (tx) => tx.Item.remove(3),
  'a load': (tx) => tx.Item.load([{ name: 'loaded' }]),
}
const pairs = Object.keys(writes).flatMap((first) =>
  Object.keys(writes).map((second) => [first, second] as const),
)

test.each(pairs)(
  'an inner body that throws after %s and %s prevents the commit of the outer one',
  (first, second) => {
    const store = items()
    const before = contents(store)
    const body = () =>
      store.transact((tx) => {
        try {
          store.transact(() => {
            writes[first](tx)
            if (first !== second) writes[second](tx)
            throw new Stop()
          })
        } catch (error) {
          if (!(error instanceof Stop)) throw error
        }
        // The failed transaction cannot be queried either.
        expect(() => tx.Item.query("name = 'new'").count).toThrow(Stop)
      })
    expect(body).toThrow(Stop)
    expect(contents(store)).toEqual(before)
    expect(store.globalStamp).toBe(1)
    store.verify()
  },
)

test('an inner body that throws before any write does not prevent the commit', () => {
  const store = items()
  store.transact((tx) => {
    tx.Item.update(1, { name: 'kept' })
    const nothing = () =>
      store.transact(() => {
        tx.Item.update(2, { name: 'old' })
        throw new Stop()
      })
    expect(nothing).toThrow(Stop)
  })
  expect(store.Item.get(1)?.name).toBe('kept')
})

describe('an entity inserted, queried and removed in one transaction', () => {
  const brief = (tx: Pick<Store, 'Item'>) => {
    const { key } = tx.Item.insert({ name: 'brief' })
    expect(tx.Item.query("name = 'brief'").keys()).toEqual([key])
    tx.Item.update(key, { name: 'brief, too' })
    expect(tx.Item.query("name = 'brief, too'").keys()).toEqual([key])
    tx.Item.remove(key)
    expect(tx.Item.query("name = 'brief, too'").keys()).toEqual([])
  }
  test('makes no commit, and its key is reused', () => {
    const store = items()
    const notices: unknown[] = []
    store.on('commit', (notice) => void notices.push(notice))
    store.transact(brief)
    expect([store.globalStamp, notices]).toEqual([1, []])
    expect(store.Item.insert({}).key).toBe(4)
    store.verify()
  })
  test.each(Object.keys(writes))('does not affect %s in the same transaction', (write) => {
    for (const isFirst of [true, false]) {
      const store = items()
      const alone = items()
      store.transact((tx) => {
        if (isFirst) writes[write](tx)
        brief(tx)
        if (!isFirst) writes[write](tx)
      })
      alone.transact(writes[write])
      const values = (each: Store) => contents(each).map(([, ...rest]) => rest)
      expect(values(store)).toEqual(values(alone))
      expect(store.globalStamp).toBe(2)
      store.verify()
    }
  })
  test('advances the sequence if the transaction commits anything else', () => {
    const store = items()
    store.transact((tx) => {
      const { key } = tx.Item.insert({ name: 'stays' })
      expect(tx.Item.query("name = 'stays'").keys()).toEqual([key])
      tx.Item.remove(tx.Item.insert({ name: 'goes' }).key)
    })
    expect(store.Item.insert({}).key).toBe(6)
  })
})

describe('a refused batch of updates in an open transaction', () => {
  const patch = { name: 'in the batch' }
  test.each<[string, readonly object[], string]>([
    ['a missing entity', [{ key: 9, patch }], 'entityNotFound'],
    ['a stamp of a missing entity', [{ key: 9, patch, stamp: 1 }], 'entityNotFound'],
    ['a stamp that only another entity would reach', [{ key: 2, patch, stamp: 2 }], 'stampChanged'],
    ['a stamp that is far ahead', [{ key: 2, patch, stamp: 7 }], 'stampChanged'],
    ['an old stamp', [{ key: 2, patch, stamp: 0 }], 'stampChanged'],
  ])('for %s stages nothing, and the transaction continues', (_, last, code) => {
    const store = items()
    const before = contents(store)
    store.transact((tx) => {
      for (const changes of [last, [{ key: 1, patch, stamp: 1 }, ...last]])
        expect(codeOf(() => tx.Item.updateAll(changes as never))).toBe(code)
      tx.Item.insert({ name: 'after' })
    })
    expect(contents(store)).toEqual([...before, [4, 'after', null, 1]])
  })
  test('accepts stamps that its own updates of an entity lead to', () => {
    const store = items()
    const changes = [1, 2, 3].map((stamp) => ({ key: 1, stamp, patch: { name: `${stamp}` } }))
    expect(store.Item.updateAll(changes).count).toBe(3)
    expect([store.Item.get(1)?.name, store.Item.get(1)?.stamp]).toEqual(['3', 4])
  })
})

test('a failed transaction is refused with its first error, whatever is written after it', () => {
  const Noisy = defineDataClass(
    'Noisy',
    { ID: attribute.long({ key: true, autoSequence: true }), name: attribute.string() },
    {
      hooks: {
        beforeSave: (draft) => {
          if (draft.name === 'noisy')
            for (const name of ['one', 'two']) store.Noisy.insert({ name })
        },
        validateSave: ({ name }) =>
          name === 'noisy' ? { errCode: 10_001, message: 'too noisy' } : undefined,
      },
    },
  )
  const store = createDataStore({ name: 'noisy', dataClasses: [Noisy] })
  const refusal = refusalOf(() =>
    store.transact((tx) => {
      expect(codeOf(() => tx.Noisy.insert({ name: 'noisy' }))).toBe('validationFailed')
      for (const name of ['a', 'b', 'c']) tx.Noisy.insert({ name })
    }),
  )
  expect(refusal).toMatchObject({
    code: 'validationFailed',
    details: { failures: [{ code: 'hookRefused' }] },
  })
  expect([store.Noisy.count, store.Noisy.insert({}).key]).toEqual([0, 1])
})
