import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ENTITY_CLASSES } from '../../src/entity/entity-classes.generated.ts'
import type { Untyped } from '../../src/model/definition.ts'
import { runs } from '../runs.ts'

// The copies of a class are given out once per process: other test files may have taken them.
vi.resetModules()
const { attribute, createDataStore, defineDataClass, foreignKeyOf, isEntity, keyOf, stampOf } =
  await import('../../src/index.ts')

const namesOf = (width: number, prefix: string) =>
  Array.from({ length: width - 1 }, (_, i) => `${prefix}${i}`)

function storeOf(name: string, names: readonly string[], further: Record<string, Untyped> = {}) {
  const Wide = defineDataClass(name, {
    ID: attribute.long({ key: true }),
    ...Object.fromEntries(names.map((one) => [one, attribute.string()])),
    ...further,
  })
  return createDataStore({ name: 'wide', dataClasses: [Wide] }).dataClass(name)
}
const rowOf = (names: readonly string[], id: number) => ({
  ID: id,
  ...Object.fromEntries(names.map((one, i) => [one, i % 7 === 3 ? null : `${one} of ${id}`])),
})

describe('stores of one model', () => {
  const modelOf = (factor: number, foreignKey?: string) => [
    defineDataClass('Town', {
      ID: attribute.long({ key: true }),
      people: attribute.relatedEntities('Person', 'town'),
    }),
    defineDataClass('Person', {
      ID: attribute.long({ key: true }),
      name: attribute.string(),
      ...(foreignKey === undefined ? {} : { [foreignKey]: attribute.long() }),
      town: attribute.relatedEntity('Town', foreignKey === undefined ? {} : { foreignKey }),
      marked: attribute.computed('string', { get: ({ name }: Untyped) => `${name}${factor}` }),
    }),
  ]
  const filled = (name: string, factor: number, foreignKey?: string): Untyped => {
    const store = createDataStore({
      name,
      dataClasses: modelOf(factor, foreignKey) as Untyped,
    }) as Untyped
    store.Town.load([{ ID: factor }])
    store.Person.load([{ ID: 1, name, town: factor }])
    return store
  }

  test('have entities that lead into their own store, with its own functions', () => {
    const stores = [
      filled('a', 1),
      filled('b', 2),
      filled('c', 3, 'townID'),
      filled('d', 4, 'townID'),
    ]
    const people = stores.map((store) => store.Person.get(1))
    const values = people.map((one) => [
      one.name,
      one.marked,
      one.town.ID,
      one.town.people.keys(),
      foreignKeyOf(one, 'town'),
    ])
    expect(values).toEqual([
      ['a', 'a1', 1, [1], 1],
      ['b', 'b2', 2, [1], 2],
      ['c', 'c3', 3, [1], 3],
      ['d', 'd4', 4, [1], 4],
    ])
    const view = stores[1].view({ rows: { Town: false } })
    expect([view.dataClass('Person').get(1).town, stores[1].Person.get(1).town.ID]).toEqual([
      null,
      2,
    ])
  })

  test('share the class, so that the twentieth store costs as much as the first', () => {
    const classes = Array.from(
      { length: 20 },
      (_, at) => filled('x', at + 1).Person.get(1).constructor,
    )
    expect(new Set(classes).size).toBe(1)
    expect(filled('x', 1, 'townID').Person.get(1).constructor).not.toBe(classes[0])
  })
})

describe('entities of any width', () => {
  test('are plain objects: own, enumerable, writable properties in their order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 9 }),
        (width, kind) => {
          const names = namesOf(width, `p${kind}x`)
          const table = storeOf('Plain', names)
          const row = rowOf(names, 1)
          const inserted = table.insert(row)
          table.load([rowOf(names, 2)])
          const found = [
            inserted,
            table.get(1) as object,
            table.preview(1, {}),
            table.all().toArray()[0],
          ]
          for (const entity of found) {
            expect(Object.entries(entity)).toEqual(Object.entries(row))
            expect(Reflect.ownKeys(entity)).toEqual(Object.keys(row))
            for (const name of Object.keys(row)) {
              const value = (row as Record<string, unknown>)[name]
              expect(Object.getOwnPropertyDescriptor(entity, name)).toEqual({
                configurable: true,
                enumerable: true,
                writable: true,
                value,
              })
            }
            expect([
              { ...entity },
              structuredClone(entity),
              JSON.parse(JSON.stringify(entity)),
            ]).toEqual([row, row, row])
            expect(entity).toEqual(row)
            expect(Object.isExtensible(entity)).toBe(true)
            const visited: string[] = []
            for (const name in entity) visited.push(name)
            expect(visited).toEqual(Object.keys(row))
          }
          const [first] = found as { ID: number; extra?: number }[]
          first.ID = 99
          first.extra = 1
          expect([keyOf(first), table.get(1)]).toEqual([1, row])
        },
      ),
      {
        ...runs(40),
        examples: [
          [16, 0],
          [17, 0],
          [32, 0],
          [33, 0],
        ],
      },
    )
  })

  test('of 300 attributes show the values at the time of the read after later writes', () => {
    const names = namesOf(300, 'w')
    const table = storeOf('Broad', names)
    table.load([1, 2, 3].map((id) => rowOf(names, id)))
    const before = table.get(2) as object
    const page = table.all().toArray()
    const updated = table.update(2, { w250: 'new', w3: 'was null' })
    table.remove(3)
    expect(Object.entries(before)).toEqual(Object.entries(rowOf(names, 2)))
    expect(page).toEqual([1, 2, 3].map((id) => rowOf(names, id)))
    expect(Object.entries(updated)).toEqual(
      Object.entries({ ...rowOf(names, 2), w250: 'new', w3: 'was null' }),
    )
    expect([stampOf(before), stampOf(updated)]).toEqual([1, 2])
  })
})

test('dataclasses beyond the number of copies have separate classes too', () => {
  const all = Array.from({ length: ENTITY_CLASSES.length + 20 }, (_, at) => {
    const names = namesOf(2 + (at % 18), `m${at}x`)
    const table = storeOf(`Many${at}`, names, {
      twice: attribute.computed('number', { get: ({ ID }: Untyped) => ID * at }),
    })
    table.load([1, 2].map((id) => rowOf(names, id)))
    return { at, names, table }
  })
  for (const { at, names, table } of all) {
    const entity = table.get(2) as Untyped
    expect(Object.entries(entity)).toEqual(Object.entries(rowOf(names, 2)))
    expect([entity.constructor.name, entity.twice, isEntity(entity)]).toEqual([
      `Many${at}`,
      2 * at,
      true,
    ])
    expect(table.update(1, {})).toEqual(rowOf(names, 1))
  }
  expect(new Set(all.map(({ table }) => Object.getPrototypeOf(table.get(1)))).size).toBe(all.length)
})

test('properties defined on Object.prototype change no entity', () => {
  const table = storeOf('Guarded', ['first', 'second'])
  table.insert({ ID: 1, first: 'a', second: 'b' })
  const received: unknown[] = []
  Object.defineProperty(Object.prototype, 'second', {
    configurable: true,
    set: (value) => received.push(value),
  })
  try {
    table.insert({ ID: 2, first: 'c', second: 'd' })
    expect(
      table
        .all()
        .toArray()
        .map((one) => Object.entries(one)),
    ).toEqual([
      [
        ['ID', 1],
        ['first', 'a'],
        ['second', 'b'],
      ],
      [
        ['ID', 2],
        ['first', 'c'],
        ['second', 'd'],
      ],
    ])
    expect(received).toEqual([])
  } finally {
    delete (Object.prototype as Untyped).second
  }
})
