import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf } from './firm-store.ts'

// A `validateRemove` that writes during a removal; relations that form a cycle.
function leaves() {
  const asked: number[] = []
  const on = new Map<number, () => unknown>()
  const Leaf = defineDataClass(
    'Leaf',
    {
      ID: attribute.long({ key: true }),
      name: attribute.string(),
      on: attribute.relatedEntity('Leaf', { onDelete: 'cascade' }),
      beside: attribute.relatedEntity('Leaf', { onDelete: 'null', foreignKey: 'besideID' }),
      besideID: attribute.long(),
    },
    {
      hooks: {
        validateRemove: (leaf) => {
          asked.push(leaf.ID)
          const write = on.get(leaf.ID)
          on.delete(leaf.ID)
          write?.()
        },
      },
    },
  )
  return { store: createDataStore({ name: 'leaves', dataClasses: [Leaf] }), asked, on }
}

describe('a validateRemove hook', () => {
  test('may carry out the removal itself', () => {
    const { store, on } = leaves()
    const ways: readonly ((remove: () => void) => void)[] = [
      (remove) => remove(),
      (remove) => {
        remove()
        store.Leaf.query('ID > 0').keys()
      },
      // The new entity reuses the record number.
      (remove) => {
        remove()
        store.Leaf.insert({ ID: 8, name: 'in its place' })
      },
      (remove) => {
        remove()
        store.Leaf.insert({ ID: 8, name: 'in its place' })
        store.Leaf.query('ID > 0').keys()
      },
    ]
    for (const [i, way] of ways.entries()) {
      store.Leaf.load([{ ID: 1 }, { ID: 2, name: 'stays' }])
      on.set(1, () => way(() => store.Leaf.remove(1)))
      store.Leaf.remove(1)
      expect(store.Leaf.all().orderBy('ID').keys()).toEqual(i < 2 ? [2] : [2, 8])
      store.verify()
      for (const key of [2, 8]) if (store.Leaf.has(key)) store.Leaf.remove(key)
    }
  })

  test('that removes a cascaded entity does not run for it again', () => {
    const { store, asked, on } = leaves()
    store.Leaf.load([{ ID: 1 }, { ID: 2, on: 1 }, { ID: 3, on: 2 }, { ID: 4, on: 1 }])
    on.set(1, () => store.Leaf.remove(2))
    store.Leaf.remove(1)
    expect(asked).toEqual([1, 2, 3, 4])
    expect(store.Leaf.count).toBe(0)
    store.verify()
  })

  test('that moves a cascaded entity elsewhere keeps it', () => {
    const { store, asked, on } = leaves()
    store.Leaf.load([{ ID: 1 }, { ID: 2, on: 1 }, { ID: 3, on: 2 }, { ID: 4 }])
    on.set(1, () => store.Leaf.update(2, { on: 4 }))
    store.Leaf.remove(1)
    expect([asked, store.Leaf.all().keys()]).toEqual([[1], [2, 3, 4]])
    store.verify()
  })
})

describe('an entity in a cycle of relations', () => {
  test.each<[string, readonly object[], readonly number[]]>([
    ['of length one', [{ ID: 1, on: 1 }], [1]],
    ['of length two', [{ ID: 1 }, { ID: 2, on: 1 }], [1, 2]],
    ['of length three', [{ ID: 1 }, { ID: 2, on: 1 }, { ID: 3, on: 2, beside: 1 }], [1, 2, 3]],
  ])('%s is validated once and removed', (_, rows, keys) => {
    const { store, asked } = leaves()
    store.Leaf.load(rows as never)
    store.Leaf.update(1, { on: rows.length })
    store.Leaf.insert({ ID: 9, beside: 1 })
    store.Leaf.remove(1)
    expect([asked, store.Leaf.all().keys()]).toEqual([keys, [9]])
    expect(store.Leaf.get(9)).toMatchObject({ besideID: null, stamp: 2 })
    store.verify()
  })
})

test('a `restrict` referrer added before the removal gives removeRestricted, one added after it relationTargetMissing', () => {
  const Held = defineDataClass('Held', { ID: attribute.long({ key: true }) })
  const Holder = defineDataClass('Holder', {
    ID: attribute.long({ key: true }),
    held: attribute.relatedEntity('Held', { onDelete: 'restrict' }),
  })
  const store = createDataStore({ name: 'held', dataClasses: [Held, Holder] })
  store.Held.insert({ ID: 1 })
  const writes: readonly (() => unknown)[] = [
    () => store.Holder.insert({ ID: 1, held: 1 }),
    () => store.Held.remove(1),
    () => store.Holder.insert({ ID: 2, held: 1 }),
  ]
  const refused = (...of: readonly number[]) =>
    refusalOf(() =>
      store.transact(() => {
        for (const i of of) writes[i]()
      }),
    )
  expect(refused(0, 1).code).toBe('removeRestricted')
  // The target was already removed when this entity was to refer to it.
  expect(refused(1, 2).code).toBe('relationTargetMissing')
  store.Holder.insert({ ID: 1, held: 1 })
  expect(codeOf(() => store.Held.remove(1))).toBe('removeRestricted')
  store.verify()
})
