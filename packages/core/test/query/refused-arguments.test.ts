import { beforeAll, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'
import { type Goods, type GoodsStore, goodsStore, type Selection } from './goods-store.ts'
import { MAKERS, plainGoods } from './plain-goods.ts'

let store: GoodsStore
let goods: Goods
let makers: Goods
let all: Selection
beforeAll(() => {
  ;({ goods, makers, store } = goodsStore(MAKERS, plainGoods(20)))
  all = goods.all()
})

/** The code and details of the thrown error. */
function refusal(ask: () => unknown): readonly [code: string, details: object] | 'answered' {
  try {
    ask()
    return 'answered'
  } catch (error) {
    if (!isEntiaError(error)) throw error
    return [error.code, error.details ?? {}]
  }
}
const notApplicable = (attribute: string, use: string, remedy: string, dataClass = 'Good') => [
  'attributeNotApplicable',
  {
    dataClass,
    attribute,
    use: expect.stringContaining(use),
    remedy: expect.stringContaining(remedy),
  },
]

describe('an error names its subject and a remedy', () => {
  test.each<[string, () => unknown, unknown]>([
    ['a sum of text', () => all.sum('name'), notApplicable('name', 'a sum', 'number')],
    ['an average of dates', () => all.average('day'), notApplicable('day', 'an average', 'number')],
    ['a sum of computed text', () => all.sum('upper'), notApplicable('upper', 'a sum', 'duration')],
    [
      'aggregates of objects',
      () => all.compute('notes'),
      notApplicable('notes', 'an aggregate', 'a property of an object'),
    ],
    [
      'aggregates of distinct objects',
      () => all.compute('notes', { distinct: true }),
      notApplicable('notes', 'an aggregate', 'number, text'),
    ],
    [
      'the minimum of objects',
      () => all.min('notes'),
      notApplicable('notes', 'an aggregate', 'number, text'),
    ],
    [
      'distinct objects',
      () => all.distinct('notes'),
      notApplicable('notes', 'distinct values', 'number, text'),
    ],
    [
      'distinct objects behind a relation',
      () => all.distinct('part.notes'),
      notApplicable('notes', 'distinct values', 'number, text'),
    ],
    [
      'aggregates of attributes behind a to-many relation',
      () => all.compute('users.size'),
      notApplicable('users', 'related entities', 'selection of the related'),
    ],
    [
      'an average behind a to-many relation',
      () => makers.all().average('goods.size'),
      notApplicable('goods', 'related entities', 'selection of the related', 'Maker'),
    ],
    [
      'distinct related entities',
      () => all.distinct('maker'),
      notApplicable('maker', 'a value', 'maker.<attribute>'),
    ],
    [
      'aggregates of related entities',
      () => all.compute('part'),
      notApplicable('part', 'a value', 'part.<attribute>'),
    ],
    [
      'a count of related entities',
      () => all.countOf('maker'),
      notApplicable('maker', 'a value', 'maker.<attribute>'),
    ],
    [
      'objects of related entities',
      () => all.select('ID, maker'),
      notApplicable('maker', 'a value of a projection', '"maker.*" or "maker.<attribute>"'),
    ],
    [
      'texts of related entities',
      () => all.json('users'),
      notApplicable('users', 'a value of a projection', '"users.*" or "users.<attribute>"'),
    ],
    [
      'a form of a computed attribute',
      () => all.texts({ pieces: [{ kind: 'value', head: '', attribute: 'upper' }], end: '' }),
      notApplicable('upper', 'a text form', 'stored attribute'),
    ],
    [
      'a form of a relation',
      () => all.texts({ pieces: [{ kind: 'value', head: '', attribute: 'maker' }], end: '' }),
      notApplicable('maker', 'a text form', 'stored attribute'),
    ],
    [
      'a form of an alias with marks',
      () =>
        all.texts({
          pieces: [{ kind: 'marked', head: '', attribute: 'makerName', write: String }],
          end: '',
        }),
      notApplicable('makerName', 'a text form', 'stored attribute'),
    ],
    [
      'the key of an attribute that is not a relation',
      () =>
        all.texts({
          pieces: [{ kind: 'relatedKey', head: '', relation: 'size', write: String }],
          end: '',
        }),
      notApplicable('size', 'a text form', 'to-one relation'),
    ],
    [
      'the key of a to-many relation',
      () =>
        all.texts({
          pieces: [{ kind: 'relatedKey', head: '', relation: 'users', write: String }],
          end: '',
        }),
      notApplicable('users', 'a text form', 'to-one relation'),
    ],
  ])('%s', (_name, ask, expected) => {
    expect(refusal(ask)).toEqual(expected)
  })

  test('for an unknown attribute, in every method', () => {
    const form = (piece: object) => () =>
      all.texts({ pieces: [{ head: '', write: String, ...piece } as never], end: '' })
    for (const ask of [
      () => all.sum('nobody'),
      () => all.compute('nobody'),
      () => all.countOf('nobody'),
      () => all.distinct('nobody'),
      () => all.select('ID, nobody'),
      () => all.json('nobody.name'),
      () => all.orderBy('nobody'),
      form({ kind: 'value', attribute: 'nobody' }),
      form({ kind: 'marked', attribute: 'nobody' }),
      form({ kind: 'relatedKey', relation: 'nobody' }),
    ])
      expect(refusal(ask)).toEqual([
        'attributeNotFound',
        expect.objectContaining({ dataClass: 'Good', attribute: 'nobody' }),
      ])
    expect(refusal(() => all.select('maker.nobody'))).toEqual([
      'attributeNotFound',
      expect.objectContaining({ dataClass: 'Maker' }),
    ])
    // A mark such as `stamp` is known, but has no properties.
    expect(refusal(() => all.select('key.ID'))).toEqual([
      'attributeNotFound',
      expect.objectContaining({ attribute: 'key' }),
    ])
  })

  test('for an attribute that this reader may not know', () => {
    const view = store.view({ hides: ({ name }) => name === 'size' || name === 'land' })
    const hidden = view.dataClass('Good').all() as unknown as Selection
    for (const ask of [
      () => hidden.sum('size'),
      () => hidden.distinct('size'),
      () => hidden.select('size'),
      () => hidden.json('part.size'),
      () => hidden.texts({ pieces: [{ kind: 'value', head: '', attribute: 'size' }], end: '' }),
      () => hidden.distinct('maker.land'),
      () => hidden.select('maker.land'),
    ])
      expect(refusal(ask)).toEqual([
        'attributeNotFound',
        expect.objectContaining({ attribute: expect.stringMatching(/size|land/) }),
      ])
    expect(Object.keys(hidden.select('*')[0])).not.toContain('size')
    expect(Object.keys(hidden.select('maker.*')[0].maker as object)).toEqual([
      'code',
      'name',
      'founded',
    ])
    expect(Object.keys(JSON.parse(hidden.json())[0])).not.toContain('size')
    expect(all.select('size, maker.land')[0]).toEqual({ size: 14, maker: { land: 'Chad' } })
  })

  test('for an invalid part of members, with the number that was given', () => {
    for (const [skip, top, argument, found] of [
      [-1, 2, 'skip', '-1'],
      [0, -1, 'top', '-1'],
      [1.5, 2, 'skip', '1.5'],
      [0, 0.5, 'top', '0.5'],
      [Number.NaN, 1, 'skip', 'NaN'],
      [0, Number.NEGATIVE_INFINITY, 'top', '-Infinity'],
      ['1' as never, 1, 'skip', 'the text "1"'],
    ] as const)
      expect(refusal(() => all.page(skip, top))).toEqual([
        'argumentInvalid',
        { argument, expected: 'a whole number from 0', found },
      ])
    expect(all.page(0, Number.POSITIVE_INFINITY).keys()).toEqual(all.keys())
    expect(all.page(3, Number.POSITIVE_INFINITY).count).toBe(17)
    expect(all.page(Number.POSITIVE_INFINITY, 3).keys()).toEqual([])
  })

  test('for selections of two dataclasses, with both names', () => {
    const other = makers.all()
    for (const name of ['and', 'or', 'except', 'intersects'] as const) {
      expect(refusal(() => all[name](other))).toEqual([
        'selectionMismatch',
        { left: 'Good', right: 'Maker' },
      ])
      expect(refusal(() => other[name](all))).toEqual([
        'selectionMismatch',
        { left: 'Maker', right: 'Good' },
      ])
      for (const [nothing, right] of [
        [undefined, 'undefined'],
        [{}, 'object'],
        ['x', 'string'],
      ] as const)
        expect(refusal(() => all[name](nothing as never))).toEqual([
          'selectionMismatch',
          { left: 'Good', right },
        ])
    }
    const same = goodsStore(MAKERS, plainGoods(3)).goods.all()
    expect(refusal(() => all.and(same))).toEqual([
      'selectionMismatch',
      { left: 'Good', right: 'Good' },
    ])
  })

  test("a value that cannot be a key is no member's key", () => {
    for (const key of [null, undefined, 'x', {}, 1.5, Number.NaN, 0, -1, 21])
      expect(all.has(key as never)).toBe(false)
    expect([all.has(1), goods.from([2]).has(1), goods.empty().has(1)]).toEqual([true, false, false])
  })
})

test('remove deletes the living members in one transaction and counts them', () => {
  const fresh = goodsStore(MAKERS, plainGoods(20))
  const before = fresh.store.globalStamp
  const some = fresh.goods.query('ID < 6')
  fresh.goods.remove(2)
  expect(some.remove()).toBe(4)
  expect([fresh.store.globalStamp - before, fresh.goods.count, some.count, some.keys()]).toEqual([
    2,
    15,
    5,
    [],
  ])
  expect(some.remove()).toBe(0)
  expect(fresh.goods.all().page(0, 3).remove()).toBe(3)
  expect(fresh.goods.all().keys()[0]).toBe(9)
})

test('functions of selections get the members, the reader and the arguments', () => {
  const Row = defineDataClass(
    'Row',
    { ID: attribute.long({ key: true }) },
    {
      functions: {
        told: {
          on: 'selection',
          run: ({ selection }, ...rest: readonly number[]) => [selection.keys(), rest],
        },
      },
    },
  )
  const rows = createDataStore({ name: 'rows', dataClasses: [Row] })
  rows.Row.load([{ ID: 1 }, { ID: 2 }])
  expect(
    rows.Row.all()
      .page(1, 1)
      .call('told', ...([7, 8] as never)),
  ).toEqual([[2], [7, 8]])
  expect(refusal(() => rows.Row.all().call('nobody' as never, ...([] as never)))).toMatchObject([
    'functionNotFound',
    { name: 'nobody' },
  ])
})
