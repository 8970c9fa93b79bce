import {
  array,
  assert,
  constant,
  constantFrom,
  dictionary,
  integer,
  option,
  property,
  record,
  string,
  tuple,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { entityPath, queryOf, selectionPath } from '../src/page/addresses.ts'
import { knownPlace, unknownIn } from '../src/page/known-place.ts'
import { readModel } from '../src/page/model.ts'
import {
  diagramPlace,
  directionOf,
  hashOf,
  orderAfterClick,
  type Place,
  placeFrom,
  placeOf,
  placeOfTool,
} from '../src/page/place.ts'

const text = () => string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
const name = () => constantFrom('Flight', 'delay', 'é t', 'a/b', 'x?&=#')
const places = record({
  tool: constant(null),
  dataClass: name(),
  via: array(record({ dataClass: name(), key: text(), relation: name() }), { maxLength: 3 }),
  set: option(name()),
  filter: option(text(), { nil: '' }),
  order: option(text(), { nil: '' }),
  page: integer({ min: 0, max: 9 }),
  columns: option(array(constantFrom('ID', 'delay'), { minLength: 1, maxLength: 3 })),
  widths: array(tuple(constantFrom('ID', 'é t'), integer({ min: 40, max: 900 })), { maxLength: 2 }),
  name: option(text()),
  open: option(option(text(), { nil: '' })),
  view: constantFrom<Place['view']>('rows', 'plan', 'chart'),
  chart: option(
    record({
      x: constantFrom('ID', 'delay'),
      y: constantFrom('ID', 'delay'),
      how: constantFrom('sum' as const, 'count' as const),
    }),
  ),
})

describe('the place in the address', () => {
  test.each(['console', 'requests', 'sizes', 'indexes', 'streams', 'storage'] as const)(
    'can be the tool %s, which no dataclass can be called',
    (tool) => {
      expect(hashOf(placeOfTool(tool))).toBe(`#/$${tool}`)
      expect(placeFrom(`#/$${tool}`)).toEqual(placeOfTool(tool))
    },
  )

  test('survives a round trip', () => {
    assert(
      property(places, (place) => {
        expect(placeFrom(hashOf(place))).toEqual(place)
      }),
    )
  })

  test('falls back to the diagram, and ignores invalid parts', () => {
    expect(placeFrom('')).toEqual(diagramPlace)
    expect(placeFrom('#/%E0%A4%A')).toEqual(diagramPlace)
    expect(placeFrom('#/A?page=-1&view=x&chart=a,b,c&via=1&open=7')).toEqual(
      placeOf('A', { open: '7' }),
    )
  })

  test('accepts any text', () => {
    assert(
      property(string(), (hash) => void expect(placeFrom(`#${hash}`).via).toBeInstanceOf(Array)),
    )
    assert(
      property(dictionary(string(), string()), (parts) => void placeFrom(`#/A${queryOf(parts)}`)),
    )
  })
})

describe('the order after a click', () => {
  test('goes to ascending, descending and none', () => {
    expect(orderAfterClick('', 'a', false)).toBe('a asc')
    expect(orderAfterClick('a asc', 'a', false)).toBe('a desc')
    expect(orderAfterClick('a desc', 'a', false)).toBe('')
    expect(orderAfterClick('b desc', 'a', false)).toBe('a asc')
  })

  test('with Shift keeps the position of other attributes', () => {
    expect(orderAfterClick('b desc', 'a', true)).toBe('b desc, a asc')
    expect(orderAfterClick('a asc, b desc', 'a', true)).toBe('a desc, b desc')
    expect(orderAfterClick('a desc, b desc', 'a', true)).toBe('b desc')
    expect([
      directionOf('a DESC, b', 'a'),
      directionOf('a, b', 'b'),
      directionOf('ab', 'a'),
    ]).toEqual(['desc', 'asc', null])
  })
})

describe('addresses', () => {
  test('quote keys if necessary', () => {
    expect(entityPath('Flight', '7')).toBe('Flight[7]')
    expect(entityPath('Person', `O'Neil & "Co"]`)).toBe(`Person[%22O'Neil%20%26%20%22Co%22%5D%22]`)
    expect(entityPath('Person', `Ann/Lee (old)`)).toBe('Person[~Ann~2FLee~20~28old~29]')
  })

  test('of a selection use its last relation, or its set', () => {
    const via = [{ dataClass: 'Airport', key: 'ORD', relation: 'departures' }]
    expect(selectionPath(placeOf('Flight', { via }))).toBe('Airport[ORD]/departures')
    expect(selectionPath(placeOf('Flight', { via, set: 'AB' }))).toBe('Flight/$entityset/AB')
    expect(queryOf({ $filter: '"a = b+c"', $top: 1, $skip: undefined })).toBe(
      '?$filter=%22a%20%3D%20b%2Bc%22&$top=1',
    )
  })
})

describe('a place whose names the catalog has', () => {
  const related = (name: string, kind: string, type: string) => ({ name, kind, type })
  const dataClass = (name: string, ...attributes: object[]) => ({
    name,
    collectionName: `${name}s`,
    attributes: [{ name: 'ID', kind: 'storage', type: 'long' }, ...attributes],
    key: [{ name: 'ID' }],
  })
  const model = readModel({
    dataClasses: [
      dataClass(
        'Flight',
        { name: 'delay', kind: 'storage', type: 'long' },
        { name: 'notes', kind: 'storage', type: 'object' },
        { name: 'photo', kind: 'storage', type: 'image' },
        related('origin', 'relatedEntity', 'Airport'),
      ),
      dataClass('Airport', related('flights', 'relatedEntities', 'Flights')),
    ],
  })
  const known = (hash: string) => knownPlace(placeFrom(hash), model)

  test('is sorted only by what the server can sort by', () => {
    const order =
      'origin asc, delay desc, origin.ID, notes, notes.floor ASC, photo, gone, ID up, a b c'
    expect(known(`#/Flight?order=${encodeURIComponent(order)}`).order).toBe(
      'delay desc, origin.ID, notes.floor ASC',
    )
    expect(known('#/Airport?order=flights.delay').order).toBe('')
  })

  test('has known columns and a chart of known attributes', () => {
    expect(known('#/Flight?columns=gone,delay').columns).toEqual(['delay'])
    expect(known('#/Flight?columns=gone,constructor').columns).toBeNull()
    expect(known('#/Flight?chart=delay,sum,ID').chart).toEqual({ x: 'delay', how: 'sum', y: 'ID' })
    for (const chart of ['gone,count,', 'origin,count,', 'delay,sum,notes', 'delay,max,gone'])
      expect(known(`#/Flight?chart=${chart}`).chart).toBeNull()
  })

  test('names a selection that exists', () => {
    const reasonOf = (hash: string) => unknownIn(placeFrom(hash), model)
    const set = '5E750000000000000000000000000001'
    for (const hash of ['#/', '#/Flight', `#/Flight?set=${set}`, '#/Flight?via=Airport/7/flights'])
      expect(reasonOf(hash)).toBeNull()
    expect(reasonOf('#/$directory')).toBe('There is no dataclass "$directory".')
    expect(reasonOf('#/constructor')).toBe('There is no dataclass "constructor".')
    expect(reasonOf('#/Flight?set=..')).toBe('There is no entity set "..".')
    for (const via of ['$directory/1/logout', 'Flight/7/origin', 'Airport/1/ID', 'Airport/1/..'])
      expect(reasonOf(`#/Flight?via=${via}`)).toMatch(/^There is no relation /)
    expect(reasonOf('#/Airport?via=Airport/7/flights')).toMatch(/^There is no relation /)
  })

  test('asks only for addresses of its dataclasses', () => {
    const part = () =>
      constantFrom('Flight', 'Airport', 'flights', '..', '.', '$directory', 'a/b', '')
    const any = record({
      dataClass: part(),
      set: option(part()),
      via: array(record({ dataClass: part(), key: part(), relation: part() }), { maxLength: 2 }),
    })
    assert(
      property(any, (parts) => {
        const place = knownPlace({ ...diagramPlace, ...parts }, model)
        if (unknownIn(place, model) !== null) return
        const { pathname } = new URL(selectionPath(place), 'http://host/rest/')
        expect(pathname).toMatch(
          /^\/rest\/(Flight|Airport)(\[[^/]*\]\/flights|\/\$entityset\/\w+)?$/,
        )
      }),
      runs(2000),
    )
  })
})
