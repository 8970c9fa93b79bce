import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf } from './firm-store.ts'

// Every reason to refuse a write, in every way of writing: alone, in a transaction, with hooks, and
// in a load.
const Group = defineDataClass('Group', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true, notNull: true, maxLength: 8 }),
  rank: attribute.long({ min: 1, max: 9 }),
  seal: attribute.string({ readOnly: true }),
  above: attribute.relatedEntity('Group', { onDelete: 'restrict' }),
  beside: attribute.relatedEntity('Group', { notNull: true, foreignKey: 'besideID' }),
  besideID: attribute.long({ default: 1 }),
})
const hooked = (hooks: object) =>
  defineDataClass(
    'Group',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ unique: true, notNull: true, maxLength: 8 }),
      rank: attribute.long({ min: 1, max: 9 }),
      seal: attribute.string({ readOnly: true }),
      above: attribute.relatedEntity('Group', { onDelete: 'restrict' }),
      beside: attribute.relatedEntity('Group', { notNull: true, foreignKey: 'besideID' }),
      besideID: attribute.long({ default: 1 }),
    },
    { hooks: hooks as never },
  ) as unknown as typeof Group

/** Two groups: the first refers to itself, the second to the first. */
function groups(dataClass = Group) {
  const store = createDataStore({ name: 'groups', dataClasses: [dataClass] })
  store.Group.insert({ name: 'one', beside: 1 })
  store.Group.insert({ name: 'two', above: 1, beside: 1 })
  return store
}
type Store = ReturnType<typeof groups>
const ways: readonly (readonly [
  way: string,
  create: () => Store,
  write: (store: Store, body: () => void) => void,
])[] = [
  ['alone', groups, (_, body) => body()],
  ['in a transaction', groups, (store, body) => store.transact(body)],
  ['beside hooks', () => groups(hooked({ beforeSave: () => undefined })), (_, body) => body()],
]

type Refused = readonly [claim: string, values: object, code: string, detail: object]
const inserts: readonly Refused[] = [
  ['no name', {}, 'notNullViolation', { attribute: 'name' }],
  [
    'a name that is too long',
    { name: 'ninechars' },
    'textTooLong',
    { attribute: 'name', maxLength: 8 },
  ],
  [
    'a rank below the least',
    { name: 'x', rank: 0 },
    'valueTooSmall',
    { attribute: 'rank', min: 1 },
  ],
  [
    'a rank above the most',
    { name: 'x', rank: 10 },
    'valueTooLarge',
    { attribute: 'rank', max: 9 },
  ],
  ['no neighbour', { name: 'x', beside: null }, 'notNullViolation', {}],
  ['a rank of another type', { name: 'x', rank: 'high' }, 'valueInvalid', { attribute: 'rank' }],
  ['the key of the first', { ID: 1, name: 'x' }, 'keyNotUnique', { key: '1' }],
  ['the key of the last', { ID: 2, name: 'x' }, 'keyNotUnique', { key: '2' }],
  ['the name of the first', { name: 'ONE' }, 'uniqueViolation', { attribute: 'name' }],
  ['the name of the last', { name: 'two' }, 'uniqueViolation', { attribute: 'name' }],
  [
    'a relation to a missing entity',
    { name: 'x', above: 9 },
    'relationTargetMissing',
    { attribute: 'above', key: '9' },
  ],
  [
    'an attribute that is not there',
    { name: 'x', nobody: 1 },
    'attributeNotFound',
    { attribute: 'nobody' },
  ],
]
const updates: readonly Refused[] = [
  ...inserts.slice(1, 4),
  ['no name', { name: null }, 'notNullViolation', { attribute: 'name' }],
  ['no neighbour', { beside: null }, 'notNullViolation', {}],
  ['the name of the last', { name: 'TWO' }, 'uniqueViolation', { attribute: 'name' }],
  [
    'a relation to a missing entity',
    { above: 9 },
    'relationTargetMissing',
    { attribute: 'above', key: '9' },
  ],
  ['another key', { ID: 7 }, 'attributeReadOnly', { attribute: 'ID' }],
  ['a seal', { seal: 'x' }, 'attributeReadOnly', { attribute: 'seal' }],
]

/** The refusal itself, or the first of the failures that it lists. */
function innermost(run: () => unknown) {
  const error = refusalOf(run)
  if (error.code === 'loadRefused') return innermostOf(error.cause as ReturnType<typeof refusalOf>)
  return innermostOf(error)
}
function innermostOf(error: ReturnType<typeof refusalOf>) {
  return 'failures' in error.details ? error.details.failures[0] : error
}

describe.each(ways)('%s', (_, create, write) => {
  test.each(inserts)(
    'an entity with %s is refused, and the next insertion succeeds',
    (_, values, code, detail) => {
      const store = create()
      const before = store.globalStamp
      const refusal = innermost(() => write(store, () => void store.Group.insert(values as never)))
      expect([refusal.code, refusal.details]).toEqual([code, expect.objectContaining(detail)])
      expect([store.Group.count, store.globalStamp]).toEqual([2, before])
      write(store, () => void store.Group.insert({ name: 'next', beside: 1 }))
      expect(store.Group.get(3)?.name).toBe('next')
      store.verify()
    },
  )

  test.each(updates)(
    'an update to %s is refused and changes nothing',
    (_, change, code, detail) => {
      const store = create()
      for (const all of [false, true]) {
        const run = () => {
          if (all) store.Group.updateAll([{ key: 1, patch: change as never }])
          else store.Group.update(1, change as never)
        }
        const refusal = innermost(() => write(store, run))
        expect([refusal.code, refusal.details]).toEqual([code, expect.objectContaining(detail)])
      }
      expect([store.Group.get(1)?.stamp, store.Group.get(1)?.name]).toEqual([1, 'one'])
      store.verify()
    },
  )

  test('values within all bounds are written, and equal values are not a change', () => {
    const store = create()
    for (const rank of [1, 9])
      write(store, () => void store.Group.update(1, { rank, name: 'eightchr' }))
    expect({ ...store.Group.get(1) }).toMatchObject({ rank: 9, name: 'eightchr' })
    const { globalStamp } = store
    write(store, () => void store.Group.update(1, { rank: 9 }))
    expect([store.Group.get(1)?.stamp, store.globalStamp]).toEqual([3, globalStamp])
    write(store, () => void store.Group.update(1, { above: 1, beside: 2 }, { stamp: 3 }))
    expect(store.Group.get(1)?.above?.key).toBe(1)
  })

  test('a stale stamp and an unknown key are refused', () => {
    const store = create()
    for (const stamp of [0, 2]) {
      const { code, details } = refusalOf(() =>
        write(store, () => void store.Group.update(1, { rank: 2 }, { stamp })),
      )
      expect([code, details]).toEqual([
        'stampChanged',
        { dataClass: 'Group', key: '1', given: stamp, stored: 1, recordNumber: 0 },
      ])
      expect(codeOf(() => write(store, () => store.Group.remove(2, { stamp })))).toBe(
        'stampChanged',
      )
    }
    for (const key of [0, 3, '1', null]) {
      expect(
        codeOf(() => write(store, () => void store.Group.update(key as never, { rank: 2 }))),
      ).toBe('entityNotFound')
      expect(codeOf(() => write(store, () => store.Group.remove(key as never)))).toBe(
        'entityNotFound',
      )
    }
    write(store, () => store.Group.remove(2, { stamp: 1 }))
    expect(store.Group.all().keys()).toEqual([1])
  })

  test('an entity that others refer to is not removed', () => {
    const store = create()
    const refusal = refusalOf(() => write(store, () => store.Group.remove(1)))
    expect([refusal.code, refusal.details]).toEqual([
      'removeRestricted',
      { dataClass: 'Group', key: '1', by: 'Group.above' },
    ])
    expect(store.Group.count).toBe(2)
    store.verify()
  })
})

test.each(inserts)(
  'a loaded row with %s is refused with its row number, and nothing is loaded',
  (_, values, code, detail) => {
    for (const create of [groups, () => groups(hooked({ beforeSave: () => undefined }))]) {
      const store = create()
      const rows = [{ name: 'three', beside: 1 }, values, { name: 'four', beside: 1 }]
      const refusal = refusalOf(() => store.Group.load(rows as never))
      expect(refusal.details).toMatchObject({ dataClass: 'Group', rowNumber: 2 })
      const inner = innermostOf(refusal.cause as typeof refusal)
      expect([inner.code, inner.details]).toEqual([code, expect.objectContaining(detail)])
      expect(store.Group.count).toBe(2)
      store.Group.load([{ name: 'three', beside: 1 }])
      expect(store.Group.get(3)?.name).toBe('three')
      store.verify()
    }
  },
)

test('if two rows share a key or a unique value, the error names the second', () => {
  for (const [rows, code] of [
    [
      [
        { ID: 5, name: 'a' },
        { ID: 5, name: 'b' },
      ],
      'keyNotUnique',
    ],
    [[{ name: 'a' }, { name: 'A' }], 'uniqueViolation'],
  ] as const) {
    const store = groups()
    const refusal = refusalOf(() => store.Group.load(rows as never))
    expect([(refusal.cause as { code: string }).code, refusal.details]).toEqual([
      code,
      expect.objectContaining({ rowNumber: 2 }),
    ])
  }
})

test('updateAll accepts only a list of keys and patches', () => {
  const store = groups()
  expect(refusalOf(() => store.Group.updateAll('all' as never)).details).toEqual({
    argument: 'The changes of updateAll',
    expected: 'an array',
    found: 'the text "all"',
  })
  for (const wrong of [null, 7, 'x'])
    expect(codeOf(() => store.Group.updateAll([wrong as never]))).toBe('argumentInvalid')
  expect(store.Group.updateAll([])).toEqual({ count: 0 })
})

describe('hooks that write during a removal', () => {
  test('run again for entities that they added, and nothing is removed twice', () => {
    const asked: number[] = []
    const state: { write: (() => void) | null } = { write: null }
    const Leaf = defineDataClass(
      'Leaf',
      {
        ID: attribute.long({ key: true }),
        on: attribute.relatedEntity('Leaf', { onDelete: 'cascade' }),
      },
      {
        hooks: {
          validateRemove: (leaf) => {
            asked.push(leaf.ID)
            const { write } = state
            state.write = null
            write?.()
          },
        },
      },
    )
    const store = createDataStore({ name: 'leaves', dataClasses: [Leaf] })
    store.Leaf.load([{ ID: 1 }, { ID: 2, on: 1 }, { ID: 3 }])
    state.write = () => void store.Leaf.insert({ ID: 4, on: 2 })
    store.Leaf.remove(1)
    expect([asked, store.Leaf.all().keys()]).toEqual([[1, 2, 4], [3]])
    state.write = () => store.Leaf.remove(3)
    store.transact((tx) => tx.Leaf.remove(3))
    expect(store.Leaf.count).toBe(0)
    store.verify()
  })
})
