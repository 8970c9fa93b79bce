import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf, refusalOf, TestStore } from './firm-store.ts'

// The entities that hooks receive, with their stamps and times, and the hooks that run.
interface Seen {
  readonly ID: number
  readonly name: string | null
  readonly stamp: number
  readonly timestamp: string
  readonly friendID: number | null
}
type Hook = (entity: Seen, context: { readonly before: Seen | null }) => unknown
const parts = (hooks: Readonly<Record<string, Hook>>) => {
  const clock = { time: 5000, now: () => clock.time, monotonic: () => 1 }
  const Part = defineDataClass(
    'Part',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string(),
      seal: attribute.string({ readOnly: true }),
      up: attribute.relatedEntity('Part', { onDelete: 'cascade' }),
      friend: attribute.relatedEntity('Part', { onDelete: 'null', foreignKey: 'friendID' }),
      friendID: attribute.long(),
    },
    { hooks: hooks as never },
  )
  return { store: createDataStore({ name: 'parts', dataClasses: [Part], clock }), clock }
}
const moment = (entity: Seen | null) => entity && [entity.stamp, Date.parse(entity.timestamp)]

test('each hook receives the stamp and time of its save, and of the save before', () => {
  const seen: unknown[] = []
  const { store, clock } = parts({
    beforeSave: (_, { before }) => void seen.push(['beforeSave', moment(before)]),
    validateSave: (part, { before }) =>
      void seen.push(['validateSave', moment(part), moment(before)]),
    afterSave: (part, { before }) => void seen.push(['afterSave', moment(part), moment(before)]),
    validateRemove: (part) => void seen.push(['validateRemove', moment(part)]),
    afterRemove: (part) => void seen.push(['afterRemove', moment(part)]),
  })
  const momentsOf = (time: number, write: () => unknown) => {
    clock.time = time
    seen.length = 0
    write()
    return seen.slice()
  }
  const saved = (now: unknown, before: unknown) => [
    ['beforeSave', before],
    ['validateSave', now, before],
    ['afterSave', now, before],
  ]
  expect(momentsOf(5000, () => store.Part.insert({}))).toEqual(saved([1, 5000], null))
  expect(momentsOf(6000, () => store.Part.update(1, { name: 'a' }))).toEqual(
    saved([2, 6000], [1, 5000]),
  )
  // The clock is set back; the time of the entity is not.
  expect(momentsOf(1000, () => store.Part.update(1, { name: 'b' }))).toEqual(
    saved([3, 6000], [2, 6000]),
  )
  const twice = momentsOf(7000, () =>
    store.transact((tx) => {
      tx.Part.update(1, { name: 'c' })
      tx.Part.update(1, { name: 'd' })
    }),
  )
  expect(twice).toEqual([
    ...saved([4, 7000], [3, 6000]).slice(0, 2),
    ...saved([5, 7000], [4, 7000]).slice(0, 2),
    ['afterSave', [5, 7000], [3, 6000]],
  ])
  expect(momentsOf(8000, () => store.Part.remove(1))).toEqual([
    ['validateRemove', [5, 7000]],
    ['afterRemove', [5, 7000]],
  ])
})

test('a new entity has its own birth, also under a reused record number', () => {
  const seen: unknown[] = []
  const { store, clock } = parts({
    validateRemove: (part) => void seen.push([part.ID, moment(part)]),
  })
  clock.time = 9000
  store.Part.insert({ name: 'old' })
  clock.time = 2000
  store.transact((tx) => {
    tx.Part.remove(1)
    const { key } = tx.Part.insert({ name: 'new' })
    tx.Part.remove(key)
  })
  expect(seen).toEqual([
    [1, [1, 9000]],
    [2, [1, 2000]],
  ])
})

describe('an entity that a hook stores', () => {
  test.each(['validateSave', 'validateRemove', 'afterRemove'])(
    'in %s does not change with later writes',
    (hook) => {
      const kept: Seen[] = []
      const { store } = parts({ [hook]: (part) => void kept.push(part) })
      const names = () => kept.map(({ name, stamp }) => [name, stamp])
      store.transact((tx) => {
        tx.Part.insert({ name: 'a' })
        tx.Part.update(1, { name: 'b' })
        const first = hook === 'validateSave' ? 2 : 0
        expect(kept).toHaveLength(first)
        tx.Part.update(1, { name: 'c' })
        tx.Part.insert({ name: 'x', up: 1 })
        tx.Part.update(2, { name: 'y' })
        tx.Part.remove(2)
        tx.Part.insert({ name: 'z' })
        tx.Part.update(3, { name: 'zz' })
      })
      store.Part.remove(1)
      expect(names()).toEqual(
        {
          validateSave: [
            ['a', 1],
            ['b', 2],
            ['c', 3],
            ['x', 1],
            ['y', 2],
            ['z', 1],
            ['zz', 2],
          ],
          validateRemove: [
            ['y', 2],
            ['c', 3],
          ],
          afterRemove: [['c', 3]],
        }[hook],
      )
    },
  )

  test('in a refused removal does not change with later writes', () => {
    const kept: Seen[] = []
    const { store } = parts({
      validateRemove: (part) => {
        kept.push(part)
        return { errCode: 10_001, message: 'held' }
      },
    })
    store.transact((tx) => {
      tx.Part.insert({ name: 'a' })
      expect(refusalOf(() => tx.Part.remove(1)).details).toMatchObject({
        key: '1',
        failures: [
          {
            code: 'hookRefused',
            details: { hook: 'validateRemove', errCode: 10_001, message: 'held' },
          },
        ],
      })
      tx.Part.update(1, { name: 'b' })
    })
    expect(kept.map(({ name }) => name)).toEqual(['a'])
    expect(store.Part.get(1)?.name).toBe('b')
  })
})

test('later writes do not change the values that entities were created from', () => {
  const made: { readonly values: readonly unknown[]; readonly copy: readonly unknown[] }[] = []
  const entityOf = (_: unknown, values: readonly unknown[]) => {
    made.push({ values, copy: values.slice() })
    return { ID: values[0] }
  }
  const nothing = () => undefined
  const hooks = { beforeSave: nothing, validateSave: nothing, afterSave: nothing }
  const Part = defineDataClass(
    'Part',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string(),
      up: attribute.relatedEntity('Part', { onDelete: 'cascade' }),
    },
    {
      hooks: {
        ...hooks,
        validateRemove: ({ ID }) => (ID === 2 ? { errCode: 10_001, message: 'held' } : undefined),
      },
    },
  )
  const store = new TestStore([Part], { entityOf })
  store.insert('Part', { name: 'stored' })
  store.writer.transact(() => {
    store.insert('Part', { name: 'a', up: 1 })
    for (const key of [1, 2]) {
      store.update('Part', key, { name: `b${key}` })
      // Both are removed or neither: the second one is locked by its hook.
      expect(codeOf(() => store.remove('Part', key))).toBe('validationFailed')
      store.update('Part', key, { name: `c${key}` })
      store.update('Part', key, { name: `d${key}` })
    }
  })
  expect(made.length).toBeGreaterThan(10)
  expect(made.map(({ values }) => values)).toEqual(made.map(({ copy }) => copy))
  expect(store.read('Part', 2)).toMatchObject({ name: 'd2', up: 1, stamp: 4 })
})

describe('after hooks', () => {
  const lives = (hook: 'afterSave' | 'afterRemove') => {
    const seen: unknown[] = []
    const { store } = parts({ [hook]: (part) => void seen.push(part.name) })
    store.Part.insert({ name: 'stays' })
    store.transact((tx) => {
      for (const name of ['brief', 'first']) tx.Part.remove(tx.Part.insert({ name }).key)
      tx.Part.insert({ name: 'new' })
      tx.Part.update(1, { name: 'changed' })
    })
    store.transact((tx) => {
      tx.Part.update(1, { name: 'changed again' })
      tx.Part.remove(1)
    })
    return seen
  }
  test('of only one kind run for the entities that are saved, or removed, at the end', () => {
    expect(lives('afterSave')).toEqual(['stays', 'new', 'changed'])
    expect(lives('afterRemove')).toEqual(['changed again'])
  })

  test('receive cascaded entities with their relations, also those that become empty', () => {
    const seen: unknown[] = []
    const { store } = parts({ afterRemove: ({ ID, friendID }) => void seen.push([ID, friendID]) })
    store.Part.load([{ friend: 1 }, { up: 1, friend: 1 }, { friend: 1 }])
    store.Part.remove(1)
    expect(seen.sort()).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect(store.Part.get(3)?.friendID).toBe(null)
  })
})

describe('beforeSave', () => {
  test('may set attributes that callers must not', () => {
    let saves = 0
    const { store } = parts({
      beforeSave: (draft) => void Object.assign(draft, { seal: `save ${++saves}` }),
    })
    store.Part.insert({})
    store.Part.update(1, { name: 'a' })
    store.transact((tx) => tx.Part.update(1, { name: 'b' }))
    expect(store.Part.get(1)?.seal).toBe('save 3')
    const refused = refusalOf(() => store.Part.update(1, { name: 'c', seal: 'mine' } as never))
    expect(refused).toMatchObject({ code: 'attributeReadOnly', details: { attribute: 'seal' } })
  })

  test('may write another spelling of the key, which is the same key', () => {
    const Tag = defineDataClass(
      'Tag',
      { ID: attribute.uuid({ key: true }), name: attribute.string() },
      { hooks: { beforeSave: (draft) => void (draft.ID = draft.ID.toLowerCase()) } },
    )
    const ids = { uuid: () => 'abcdef00-0000-4000-8000-00000000000f', token: () => 't' }
    const store = createDataStore({ name: 'tags', dataClasses: [Tag], ids })
    const { key } = store.Tag.insert({ name: 'a' } as never)
    expect(key).toBe('ABCDEF0000004000800000000000000F')
    expect(store.Tag.update(key, { name: 'b' }).stamp).toBe(2)
    expect(store.Tag.all().keys()).toEqual([key])
  })
})

test('the error for a readOnly attribute among others names it', () => {
  const { store } = parts({})
  store.Part.insert({ name: 'a' })
  const change = { name: 'b', seal: 'mine' } as never
  for (const write of [
    () => store.Part.update(1, change),
    () => store.transact((tx) => tx.Part.update(1, change)),
  ])
    expect(refusalOf(write)).toMatchObject({
      code: 'attributeReadOnly',
      details: { attribute: 'seal' },
    })
})
