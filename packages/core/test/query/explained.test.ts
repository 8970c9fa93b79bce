import { beforeAll, describe, expect, test } from 'vitest'
import type { Explain, ExplainNode } from '../../src/model/explain-types.ts'
import { type Goods, type GoodsStore, goodsStore, type Selection } from './goods-store.ts'
import { FILTERS } from './kinds-of-members.ts'
import { MAKERS, plainGoods } from './plain-goods.ts'
import { SIZE, TREES, woodStore } from './wood-store.ts'

const GOODS = plainGoods(60)
const shop = { makers: MAKERS, goods: GOODS }
const operators = ({ operator, inputs }: ExplainNode): readonly string[] => [
  operator,
  ...inputs.flatMap(operators),
]
const summaryOf = ({ root }: Explain) =>
  [root.operator, root.detail, root.index, root.actualRows] as const

describe('a selection explains', () => {
  let store: GoodsStore
  let goods: Goods
  beforeAll(() => {
    ;({ store, goods } = goodsStore(MAKERS, GOODS))
  })

  test('its filter and the rows it finds, and exact counts equal actual ones', () => {
    const exact = (node: ExplainNode): void => {
      if (node.isExact && node.actualRows !== null) expect(node.actualRows).toBe(node.estimatedRows)
      node.inputs.forEach(exact)
    }
    for (const { name, make, rows } of FILTERS.filter(
      ({ name }) => / /.test(name) && !name.startsWith('from'),
    )) {
      const explain = make(goods).explain()
      expect([explain.dataClass, explain.filter, explain.root.actualRows]).toEqual([
        'Good',
        name,
        rows(shop).length,
      ])
      expect(explain.condition).not.toBeNull()
      exact(explain.root)
      const ordered = make(goods).orderBy('price')
      expect([ordered.explain().filter, ordered.explain().root.actualRows]).toEqual([
        name,
        rows(shop).length,
      ])
      expect(ordered.explain().root.inputs[0]).toMatchObject({
        operator: explain.root.operator,
        detail: explain.root.detail,
      })
      expect(ordered.explain().condition).toEqual(explain.condition)
    }
  })

  test('which page of it is read', () => {
    const some = goods.query('size > 4')
    const { count } = some
    for (const [skip, top, sent] of [
      [0, 3, 3],
      [2, 5, 5],
      [count - 1, 5, 1],
      [count, 5, 0],
      [count + 9, 5, 0],
      [3, 0, 0],
    ]) {
      const { root } = some.page(skip, top).explain()
      expect([root.operator, root.detail, root.actualRows, root.estimatedRows]).toEqual([
        'page',
        `skip ${skip}, top ${top}`,
        sent,
        sent,
      ])
      expect(root.inputs[0].actualRows).toBe(count)
    }
  })

  test('that it is a stored set, if no filter created it', () => {
    for (const kept of [
      goods.from([3, 1]),
      goods.query('ID > 3').or(goods.empty()),
      goods.all().clean(),
      goods.from([4]).page(0, 1),
    ]) {
      const explain = kept.explain()
      expect([explain.filter, explain.condition]).toEqual([null, null])
      expect(summaryOf(explain)).toEqual(['set', 'members of Good, kept', null, kept.count])
    }
  })

  test('the selection that it was filtered from, and the orders of both', () => {
    const outer = goods.query('size > 4').orderBy('name')
    const inner = outer.query('price > 6')
    const { root, filter } = inner.explain()
    expect([filter, root.operator, root.actualRows]).toEqual(['price > 6', 'within', inner.count])
    expect(root.detail).toBe('members of a selection of Good')
    // So few members that each was tested without a plan.
    expect(root.inputs).toEqual([
      expect.objectContaining({
        operator: 'filter',
        detail: 'Good.price > 6, tested one by one',
        index: null,
        actualRows: inner.count,
        inputs: [],
      }),
    ])
    const ofAll = goods.all().query('ID > 0 and price > 6').explain().root
    expect(ofAll.operator).toBe('within')
    expect(
      operators(outer.query('price > 6 order by size desc').explain().root).slice(0, 2),
    ).toEqual(['sort', 'within'])
    expect(outer.query('price > 6').orderBy('size desc, ID').explain().root).toMatchObject({
      operator: 'sort',
      detail: 'size desc, ID',
      index: null,
      actualRows: inner.count,
    })
  })

  test('the plan that was requested by number', () => {
    for (const filter of ['weight > 8 and size < 9', 'stock = 3 or weight < 2'])
      for (const [plan, { root }] of goods.plans(filter).entries()) {
        const forced = goods.query(filter, [], { plan })
        expect(operators(forced.explain().root)).toEqual(operators(root))
        expect(operators(forced.orderBy('name').explain().root).slice(1)).toEqual(operators(root))
      }
  })

  test('whether it is sorted, by its own order or by that of the selection it derives from', () => {
    const isSorted = (one: Selection) => one.isSorted
    const ordered = goods.all().orderBy('name')
    expect(
      [goods.all(), goods.from([2, 1]), goods.query('size > 3'), goods.all().or(ordered)].map(
        isSorted,
      ),
    ).toEqual([false, false, false, false])
    expect(
      [
        ordered,
        ordered.page(1, 2),
        goods.query('size > 3 order by ID'),
        goods.all().query('size > 3 order by name'),
      ].map(isSorted),
    ).toEqual([true, true, true, true])
  })

  test('itself to Node when it is printed, and names its table', () => {
    const printed = (one: Selection) =>
      (one as unknown as { [name: symbol]: () => string })[
        Symbol.for('nodejs.util.inspect.custom')
      ]()
    expect([printed(goods.all()), printed(goods.from([3, 1]))]).toEqual([
      'Selection of Good (60)',
      'Selection of Good (2)',
    ])
    expect([
      goods.all().dataClass === (store.Good as object),
      goods.from([1]).page(0, 1).dataClass === (store.Good as object),
    ]).toEqual([true, true])
  })
})

/** Trees below an age. */
const countOf = (age: number) => TREES.filter((tree) => tree.age !== null && tree.age < age).length

describe('an order is', () => {
  let trees: Goods
  beforeAll(() => {
    ;({ trees } = woodStore())
  })
  test.each<[string, () => Selection, readonly [string, string, string | null, number]]>([
    [
      'read from its index for a page of all',
      () => trees.all().orderBy('height').page(0, 10),
      ['orderByIndex', 'height, stops after 10', 'Tree.height', SIZE],
    ],
    [
      'read from its index up to the end of the page',
      () => trees.all().orderBy('height desc, age').page(20, 10),
      ['orderByIndex', 'height desc, age, stops after 30', 'Tree.height', SIZE],
    ],
    [
      'read from its index for a page of a range of that index',
      () => trees.query('height < 30').orderBy('height').page(0, 5),
      ['orderByIndex', 'height, stops after 5', 'Tree.height', 295],
    ],
    [
      'read from its index for a page of few members that are a range of that index',
      () => trees.query('height < 2').orderBy('height').page(0, 5),
      ['orderByIndex', 'height, stops after 5', 'Tree.height', 20],
    ],
    [
      'read from its index if most records are members',
      () => trees.query('age < 900').orderBy('height').page(0, 5),
      ['orderByIndex', 'height, stops after 5', 'Tree.height', countOf(900)],
    ],
    [
      'read from its index for one of a hundred members',
      () => trees.query('age < 20').orderBy('height').page(0, 1),
      ['orderByIndex', 'height, stops after 1', 'Tree.height', countOf(20)],
    ],
    [
      'a sort for half of a hundred members',
      () => trees.query('age < 20').orderBy('height').page(20, 30),
      ['sort', 'height', null, countOf(20)],
    ],
    [
      'a sort for few members',
      () => trees.query('age < 4').orderBy('height').page(0, 5),
      ['sort', 'height', null, countOf(4)],
    ],
    ['a sort for all members', () => trees.all().orderBy('height'), ['sort', 'height', null, SIZE]],
    [
      'a sort for the last page',
      () => trees.all().orderBy('height').page(10, SIZE),
      ['sort', 'height', null, SIZE],
    ],
    [
      'a search for the first members if no index has the order',
      () => trees.all().orderBy('age').page(0, 10),
      ['topK', 'age, best 10', null, SIZE],
    ],
    [
      'a sort for most members if no index has the order',
      () =>
        trees
          .all()
          .orderBy('age')
          .page(0, SIZE - 5),
      ['sort', 'age', null, SIZE],
    ],
  ])('%s', (_name, make, expected) => {
    const { root } = make().explain()
    const ordered = root.operator === 'page' ? root.inputs[0] : root
    expect([ordered.operator, ordered.detail, ordered.index, ordered.actualRows]).toEqual(expected)
    expect(ordered.milliseconds).toBeNull()
    expect(ordered.isExact).toBe(true)
  })

  test('explained as a sort of all rows if the query did not run', () => {
    const { root } = (trees as unknown as { explain(filter: string): Explain }).explain(
      'age < 900 order by height',
    )
    expect([root.operator, root.detail, root.actualRows, root.isExact]).toEqual([
      'sort',
      'height',
      null,
      false,
    ])
  })
})

describe('a selection can be live', () => {
  let goods: Goods
  beforeAll(() => {
    ;({ goods } = goodsStore(MAKERS, GOODS))
  })
  const listener = () => undefined
  const initial = (one: Selection): readonly unknown[] => {
    using live = one.live(listener)
    return live.initial.map(({ key }) => key)
  }

  test('if a filter created it, ordered, within another selection, or as a page', () => {
    for (const make of [
      () => goods.all(),
      () => goods.query('size > 4'),
      () => goods.query('size > 4').orderBy('weight desc'),
      () => goods.query('size > 4').orderBy('weight desc').page(2, 5),
      () => goods.query('size > 4 order by name').query('price > 6'),
      () => goods.query('size > 4 order by name').query('price > 6 order by weight'),
      () => goods.query('size > 4').query('price > 6').orderBy('label').page(1, 3),
    ])
      expect(initial(make())).toEqual(make().keys())
  })

  test('but not if it is a combination, or derived from a page', () => {
    const combined =
      /from keys or an entity set, or a combination of selections: use one filter instead/
    const ofPage = /derived from a page: take the page last/
    const page = goods.query('size > 4').page(0, 9)
    for (const [one, reason] of [
      [goods.from([1]), combined],
      [goods.from([1]).page(0, 1), combined],
      [goods.all().and(goods.all()), combined],
      [goods.from([1, 2]).query('size > 3'), ofPage],
      [page.orderBy('name'), ofPage],
      [page.query('price > 6'), ofPage],
      [page.page(0, 3), ofPage],
      [page.query('price > 6').orderBy('name'), ofPage],
    ] as const) {
      expect(() => one.live(listener)).toThrow(/A live selection must be the result of one filter/)
      expect(() => one.live(listener)).toThrow(one.explain().filter === null ? combined : reason)
    }
  })
})
