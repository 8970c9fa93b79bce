import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf } from './firm-store.ts'

// What a transaction may still become when a part of it was refused, or came to nothing.
const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  code: attribute.string({ unique: true }),
})
/** Three items: 1, 2, 3. */
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
  'a body within that throws after %s and %s cannot be committed around',
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
        // Nor can it be asked what it would have been.
        expect(() => tx.Item.query("name = 'new'").count).toThrow(Stop)
      })
    expect(body).toThrow(Stop)
    expect(contents(store)).toEqual(before)
    expect(store.globalStamp).toBe(1)
    store.verify()
  },
)

test('a body within that throws having written nothing leaves the rest to be committed', () => {
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

describe('an entity that comes and goes in one transaction, looked for meanwhile,', () => {
  const brief = (tx: Pick<Store, 'Item'>) => {
    const { key } = tx.Item.insert({ name: 'brief' })
    expect(tx.Item.query("name = 'brief'").keys()).toEqual([key])
    tx.Item.update(key, { name: 'brief, too' })
    expect(tx.Item.query("name = 'brief, too'").keys()).toEqual([key])
    tx.Item.remove(key)
    expect(tx.Item.query("name = 'brief, too'").keys()).toEqual([])
  }
  test('is no commit, and its number is given again', () => {
    const store = items()
    const told: unknown[] = []
    store.on('commit', (notice) => void told.push(notice))
    store.transact(brief)
    expect([store.globalStamp, told]).toEqual([1, []])
    expect(store.Item.insert({}).key).toBe(4)
    store.verify()
  })
  test.each(Object.keys(writes))('takes nothing of %s beside it away', (write) => {
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
  test('counts for the sequence once anything else is committed, looked for or not', () => {
    const store = items()
    store.transact((tx) => {
      const { key } = tx.Item.insert({ name: 'stays' })
      expect(tx.Item.query("name = 'stays'").keys()).toEqual([key])
      tx.Item.remove(tx.Item.insert({ name: 'goes' }).key)
    })
    expect(store.Item.insert({}).key).toBe(6)
  })
})

describe('a batch of updates that is refused in an open transaction', () => {
  const patch = { name: 'in the batch' }
  test.each<[string, readonly object[], string]>([
    ['an entity that is not there', [{ key: 9, patch }], 'entityNotFound'],
    ['a stamp of an entity that is not there', [{ key: 9, patch, stamp: 1 }], 'entityNotFound'],
    [
      'a stamp that another entity would have come to',
      [{ key: 2, patch, stamp: 2 }],
      'stampChanged',
    ],
    ['a stamp that is far ahead', [{ key: 2, patch, stamp: 7 }], 'stampChanged'],
    ['a stamp of long ago', [{ key: 2, patch, stamp: 0 }], 'stampChanged'],
  ])('for %s has staged nothing: the transaction goes on', (_, last, code) => {
    const store = items()
    const before = contents(store)
    store.transact((tx) => {
      for (const changes of [last, [{ key: 1, patch, stamp: 1 }, ...last]])
        expect(codeOf(() => tx.Item.updateAll(changes as never))).toBe(code)
      tx.Item.insert({ name: 'after' })
    })
    expect(contents(store)).toEqual([...before, [4, 'after', null, 1]])
  })
  test('knows the stamp that one entity comes to', () => {
    const store = items()
    const changes = [1, 2, 3].map((stamp) => ({ key: 1, stamp, patch: { name: `${stamp}` } }))
    expect(store.Item.updateAll(changes).count).toBe(3)
    expect([store.Item.get(1)?.name, store.Item.get(1)?.stamp]).toEqual(['3', 4])
  })
})

test('what made a transaction hopeless is what it is refused for, whatever is written after it', () => {
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
