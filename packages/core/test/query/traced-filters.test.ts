import { beforeAll, describe, expect, test } from 'vitest'
import type { ConditionTrace, FilterTrace } from '../../src/model/explain-types.ts'
import { type Goods, type GoodsStore, goodsStore } from './goods-store.ts'
import { MAKERS, plainGoods } from './plain-goods.ts'

const GOODS = plainGoods(60)
let store: GoodsStore
let goods: Goods
beforeAll(() => {
  ;({ store, goods } = goodsStore(MAKERS, GOODS, { removed: [3, 4] }))
})
const tracer = (table: Goods) => (filter: string) =>
  (table as unknown as { trace(filter: string): FilterTrace }).trace(filter)

/** The number that each condition found, nested like the filter. */
const countsOf = ({ condition, found, steps }: ConditionTrace): unknown =>
  steps.length === 0 ? found : node(condition.kind, found, ...steps.map(countsOf))
/** Parts may run in any order. */
const node = (kind: string, found: number, ...parts: readonly unknown[]): unknown => [
  kind,
  found,
  ...parts.map((part) => JSON.stringify(part)).sort(),
]

describe('a trace reports what each condition of a filter finds by itself', () => {
  const trace = (filter: string) => tracer(goods)(filter)
  const count = (filter: string) => goods.query(filter).count

  test.each([['size > 4'], ['notes.grade = 2'], ['half > 3']])('a comparison: %s', (filter) => {
    expect(trace(filter)).toMatchObject({ dataClass: 'Good', filter })
    expect(countsOf(trace(filter).root!)).toBe(count(filter))
  })

  test('joined conditions, with the parts in their order', () => {
    const [a, b, c] = ['size > 4', "label = 'r@'", 'price < 10']
    expect(countsOf(trace(`${a} and ${b} and ${c}`).root!)).toEqual(
      node('and', count(`${a} and ${b} and ${c}`), count(a), count(b), count(c)),
    )
    expect(countsOf(trace(`${a} or ${b} or ${c}`).root!)).toEqual(
      node('or', count(`${a} or ${b} or ${c}`), count(a), count(b), count(c)),
    )
    expect(countsOf(trace(`${a} and (${b} or ${c})`).root!)).toEqual(
      node(
        'and',
        count(`${a} and (${b} or ${c})`),
        count(a),
        node('or', count(`${b} or ${c}`), count(b), count(c)),
      ),
    )
    for (const filter of [`not (${a} or ${b})`, `not (${a} and ${b})`, `${a} except ${b}`])
      expect(trace(filter).root?.found).toBe(count(filter))
    for (const one of [a, b, c, 'notes.grade = 2'])
      expect(countsOf(trace(`not (${one})`).root!)).toEqual(
        node('not', count(`not (${one})`), count(one)),
      )
  })

  test('of an AND, nothing behind a condition that finds nothing', () => {
    const { found, steps } = trace('size > 4 and size > 900 and price < 10').root!
    expect([found, steps.at(-1)?.found]).toEqual([0, 0])
    expect(steps.length).toBeLessThan(3)
    expect(countsOf(trace('size > 900 or price < 10').root!)).toEqual(
      node('or', count('price < 10'), 0, count('price < 10')),
    )
  })

  test('relations: the related entities found, and the entities that lead there', () => {
    const byLand = trace("maker.land = 'peru'").root!
    expect(byLand.condition).toMatchObject({ kind: 'join', source: 'Good', target: 'Maker' })
    expect(countsOf(byLand)).toEqual(node('join', count("maker.land = 'peru'"), 2))
    expect(countsOf(trace('users.size > 9').root!)).toEqual(
      node('join', count('users.size > 9'), count('size > 9')),
    )
    expect(countsOf(trace("maker.land = 'peru' and size > 4").root!)).toEqual(
      node(
        'and',
        count("maker.land = 'peru' and size > 4"),
        node('join', count("maker.land = 'peru'"), 2),
        count('size > 4'),
      ),
    )
    const none = count('maker.land = null')
    expect(none).toBeGreaterThan(
      GOODS.filter(({ maker, ID }) => maker === 'm3' && ID !== 3 && ID !== 4).length,
    )
    expect(trace('maker.land = null').root).toMatchObject({ found: none })
  })

  test('how long each condition took, including its parts', () => {
    const check = (step: ConditionTrace): void => {
      expect(step.milliseconds).toBeGreaterThan(
        step.steps.reduce((total, { milliseconds }) => total + milliseconds, 0),
      )
      expect(step.milliseconds).toBeLessThan(10_000)
      step.steps.forEach(check)
    }
    check(trace("size > 4 and (label = 'red' or maker.land = 'peru')").root!)
  })

  test('nothing where everything is selected', () => {
    expect(trace('').root).toBeNull()
  })

  test('to a reader, only visible entities', () => {
    const view = store.view({ rows: { Good: 'size > 2', Maker: "code != 'm1'" } } as never)
    const seen = view.dataClass('Good') as unknown as Goods
    const filters = [
      'price < 10',
      'price < 10 and weight > 3',
      "not (label = 'red')",
      "maker.land = 'peru'",
      'maker.land = null',
      "maker.land = null or label = 'red'",
      'users.size > 3',
      'not (users.size > 3)',
    ]
    for (const filter of filters)
      expect(tracer(seen)(filter).root?.found, filter).toBe(seen.query(filter).count)
    expect(tracer(seen)("maker.land = 'peru'").root?.steps.map(({ found }) => found)).toEqual([1])
  })
})
