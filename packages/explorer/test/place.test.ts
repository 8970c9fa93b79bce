import {
  array,
  assert,
  constantFrom,
  dictionary,
  integer,
  option,
  property,
  record,
  string,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entityPath, queryOf, selectionPath } from '../src/page/addresses.ts'
import {
  diagramPlace,
  directionOf,
  hashOf,
  orderAfterClick,
  type Place,
  placeFrom,
  placeOf,
} from '../src/page/place.ts'

const text = () => string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
const name = () => constantFrom('Flight', 'delay', 'é t', 'a/b', 'x?&=#')
const places = record({
  dataClass: name(),
  via: array(record({ dataClass: name(), key: text(), relation: name() }), { maxLength: 3 }),
  set: option(name()),
  filter: option(text(), { nil: '' }),
  order: option(text(), { nil: '' }),
  page: integer({ min: 0, max: 9 }),
  columns: option(array(constantFrom('ID', 'delay'), { minLength: 1, maxLength: 3 })),
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
