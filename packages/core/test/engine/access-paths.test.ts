import { beforeAll, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import type { Explain, ExplainNode } from '../../src/model/explain-types.ts'

const City = defineDataClass('City', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ indexed: true }),
  region: attribute.string({ indexed: true }),
  trips: attribute.relatedEntities('Trip', 'from'),
})
const Trip = defineDataClass('Trip', {
  ID: attribute.long({ key: true }),
  delay: attribute.number({ indexed: true }),
  distance: attribute.number({ indexed: true }),
  carrier: attribute.string({ indexed: true }),
  ticket: attribute.string({ indexed: true }),
  seat: attribute.string({ indexed: true }),
  price: attribute.number(),
  from: attribute.relatedEntity('City'),
})

/**
 * 40 cities of 4 regions; 6000 trips: delays 0 to 599, distances 0 to 1499, 30 carriers, tickets
 * and seats that nearly all differ, prices in no order.
 */
function travel() {
  const store = createDataStore({ name: 'travel', dataClasses: [City, Trip] })
  const cities = Array.from({ length: 40 }, (_, i) => ({
    ID: i,
    name: `city ${i}`,
    region: `region ${i % 4}`,
  }))
  const trips = Array.from({ length: 6000 }, (_, i) => {
    const mixed = (i * 7919) % 6007
    return {
      ID: i,
      delay: mixed % 600,
      distance: (i * 31) % 1500,
      carrier: `carrier ${i % 30}`,
      ticket: `${'abcdefgh'[mixed % 8]}${mixed}`,
      seat: `${(i * 17) % 5987} ${'abcdefgh'[i % 8]}`,
      price: (i * 131) % 997,
      from: i % 40,
    }
  })
  store.City.load(cities)
  store.Trip.load(trips)
  return { store, trips }
}

/** The operators of a plan, outermost first: `page(topK(scan))`. */
function shapeOf({ root }: Explain): string {
  const shape = ({ operator, inputs }: ExplainNode): string =>
    inputs.length === 0 ? operator : `${operator}(${inputs.map(shape).join(', ')})`
  return shape(root)
}

describe('the plan of a query', () => {
  let store: ReturnType<typeof travel>['store']
  let trips: ReturnType<typeof travel>['trips']
  beforeAll(() => {
    ;({ store, trips } = travel())
  })

  /**
   * The result is correct, the plan has the true counts, and every other plan has the same result.
   */
  function mustAnswer(
    filter: string,
    isSelected: (trip: (typeof trips)[number]) => boolean,
  ): Explain {
    const expected = trips.filter(isSelected).map(({ ID }) => ID)
    expect(expected.length).toBeGreaterThan(0)
    expect(store.Trip.query(filter).keys()).toEqual(expected)
    const explain = store.Trip.query(filter).explain()
    expect(explain.root.actualRows).toBe(expected.length)
    const plans = store.Trip.plans(filter)
    expect(plans.length).toBeGreaterThan(1)
    for (let plan = 0; plan < plans.length; plan++)
      expect(store.Trip.query(filter, [], { plan }).keys()).toEqual(expected)
    return explain
  }

  test('index range: few of many values of one indexed attribute', () => {
    const explain = mustAnswer('delay > 590', ({ delay }) => delay > 590)
    expect(shapeOf(explain)).toBe('indexRange')
    expect(explain.root).toMatchObject({ index: 'Trip.delay', isExact: true })
    expect(explain.root.estimatedRows).toBe(explain.root.actualRows)
  })

  test('posting list: one value that many entities have', () => {
    const explain = mustAnswer("carrier = 'Carrier 7'", ({ carrier }) => carrier === 'carrier 7')
    expect(shapeOf(explain)).toBe('postingList')
    expect(explain.root).toMatchObject({
      index: 'Trip.carrier',
      isExact: true,
      estimatedRows: 200,
      actualRows: 200,
    })
  })

  test('index intersection: two ranges of texts that are costly to test', () => {
    const filter = "ticket begin 'c' and seat begin '1'"
    const explain = mustAnswer(
      filter,
      ({ ticket, seat }) => ticket.startsWith('c') && seat.startsWith('1'),
    )
    expect(shapeOf(explain)).toBe('intersect(indexRange, indexRange)')
    for (const input of explain.root.inputs) expect(input.estimatedRows).toBe(input.actualRows)
  })

  test('semi-join to one: the entities that refer to those found', () => {
    const explain = mustAnswer("from.name = 'city 3'", ({ from }) => from === 3)
    expect(shapeOf(explain)).toBe('semiJoinForward(postingList)')
  })

  test('semi-join to many: the entities that those found refer to', () => {
    const filter = 'trips.delay = 1'
    const explain = store.City.query(filter).explain()
    expect(shapeOf(explain)).toBe('semiJoinBackward(indexRange)')
    const expected = new Set(trips.filter(({ delay }) => delay === 1).map(({ from }) => from))
    expect(store.City.query(filter).keys()).toEqual([...expected].sort((a, b) => a - b))
  })

  test('index order with early stop: a page of an indexed order reads only the page', () => {
    const page = store.Trip.all().orderBy('delay desc').page(0, 20)
    expect(shapeOf(page.explain())).toBe('page(orderByIndex(all))')
    const expected = [...trips].sort((a, b) => b.delay - a.delay || a.ID - b.ID)
    expect(page.keys()).toEqual(expected.slice(0, 20).map(({ ID }) => ID))
  })

  test('a filter with an order is explained with both before it runs, and by each of its plans', () => {
    const explained = store.Trip.explain('from = 3 order by price')
    expect(explained.root).toMatchObject({ operator: 'sort', detail: 'price', actualRows: null })
    expect(explained.root.inputs[0]).toMatchObject(store.Trip.explain('from = 3').root)
    for (const plan of store.Trip.plans('from = 3 order by price'))
      expect(plan.root.operator).toBe('sort')
  })

  test('top-k: a page of an order that no index has', () => {
    const page = store.Trip.all().orderBy('price').page(10, 20)
    expect(shapeOf(page.explain())).toBe('page(topK(all))')
    const expected = [...trips].sort((a, b) => a.price - b.price || a.ID - b.ID)
    expect(page.keys()).toEqual(expected.slice(10, 30).map(({ ID }) => ID))
  })

  test('scan: nothing is indexed', () => {
    const filter = 'price < 40 and price > 20'
    const explain = store.Trip.query(filter).explain()
    expect(shapeOf(explain)).toBe('scan')
    expect(explain.root.actualRows).toBe(
      trips.filter(({ price }) => price < 40 && price > 20).length,
    )
  })

  test('the printed tree names operators, indexes and rows', () => {
    const text = String(store.Trip.query("delay > 590 and from.name = 'city 3'").explain())
    expect(text).toMatch(/^Trip: delay > 590/)
    expect(text).toMatch(/indexRange|semiJoinForward/)
    expect(text).toMatch(/\[index Trip\.(delay|from)\]/)
    expect(text).toMatch(/rows, found \d+/)
  })
})
