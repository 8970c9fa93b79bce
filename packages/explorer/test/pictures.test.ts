import { assert, double, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cell, chartOf, scaleOf, ticksOf } from '../src/page/chart-data.ts'
import { layOutModel } from '../src/page/diagram-layout.ts'
import { readModel } from '../src/page/model.ts'
import { explainTreeOf, layOut, planTreeOf } from '../src/page/plan-tree.ts'

describe('the tree of a plan', () => {
  test('of a page names the operators and shows expected and actual counts', () => {
    const scan = {
      operator: 'scan',
      detail: 'Flight.delay > 60',
      index: null,
      estimatedRows: 90,
      actualRows: 78,
      inputs: [],
    }
    const root = {
      operator: 'orderByIndex',
      detail: '',
      index: 'Flight.date',
      estimatedRows: 78,
      actualRows: 78,
      inputs: [scan],
    }
    expect(explainTreeOf(root)).toMatchObject({
      kind: 'index',
      title: 'order by index',
      index: 'Flight.date',
      time: null,
      children: [
        { kind: 'scan', title: 'scan', detail: 'Flight.delay > 60', estimated: 90, found: 78 },
      ],
    })
  })

  const path = {
    type: 'LogicOperatorNode',
    logicOper: 'And',
    parts: [
      {
        type: 'IndexNode',
        field: 'delay',
        table: 'Flight',
        oper: ' > ',
        value: 120,
        index: 'Flight.delay',
        timeTaken: 0.2,
        foundRecords: 290,
      },
      {
        type: 'JoinNode',
        targetTable: 'Airport',
        joinPath: [
          {
            leftTable: 'Flight',
            leftField: 'originCode',
            rightTable: 'Airport',
            rightField: 'iata',
          },
        ],
        filter: {
          type: 'SeqNode',
          field: 'country',
          table: 'Airport',
          oper: ' === ',
          value: 'USA',
          timeTaken: 1,
          foundRecords: 3,
        },
        timeTaken: 2,
        foundRecords: 4,
      },
    ],
    timeTaken: 3,
    foundRecords: 2,
  }

  test('shows the index, the number found and the time', () => {
    const tree = planTreeOf(path)
    expect(tree).toMatchObject({ kind: 'and', title: 'AND', found: 2, time: 3 })
    expect(tree?.children[0]).toMatchObject({
      kind: 'index',
      title: 'delay > 120',
      index: 'Flight.delay',
      found: 290,
    })
    expect(tree?.children[1]).toMatchObject({
      kind: 'join',
      detail: 'Flight.originCode = Airport.iata',
    })
    expect(tree?.children[1]?.children[0]).toMatchObject({
      kind: 'scan',
      title: "country === 'USA'",
      index: null,
      detail: 'Airport',
    })
  })

  test('has a row for every node, below its parent', () => {
    const placed = layOut(planTreeOf(path)!)
    expect(placed.map(({ depth, row, parentRow }) => [depth, row, parentRow])).toEqual([
      [0, 0, null],
      [1, 1, 0],
      [1, 2, 0],
      [2, 3, 2],
    ])
  })

  test('is null without a filter, and marks parts that did not run', () => {
    expect(explainTreeOf({})).toBeNull()
    expect(planTreeOf({})).toBeNull()
    expect(planTreeOf({ type: 'SeqNode', field: 'a', oper: ' = ', value: null })).toMatchObject({
      found: null,
      time: null,
    })
  })
})

describe('a chart', () => {
  const rows = (...pairs: readonly (readonly [Cell, Cell])[]) => pairs

  test('of text has a bar per value, the largest first', () => {
    const { form, points } = chartOf(rows(['a', 1], ['b', 5], ['a', 3], [null, 9]), 'string', 'sum')
    expect(form).toBe('bars')
    expect(points).toEqual([
      { label: 'b', value: 5, count: 1 },
      { label: 'a', value: 4, count: 2 },
    ])
  })

  test.each([
    ['count', 3],
    ['sum', 6],
    ['average', 2],
    ['min', 1],
    ['max', 3],
  ] as const)('computes %s', (how, value) => {
    expect(chartOf(rows(['a', 1], ['a', 2], ['a', 3]), 'string', how).points[0]?.value).toBe(value)
  })

  test('of dates is a line over days, or over months for many days', () => {
    const days = chartOf(
      rows(['20010209133000', 1], ['20010209140000', 3], ['20010301000000', 5]),
      'date',
      'average',
    )
    expect(days.form).toBe('line')
    expect(days.points.map(({ label }) => label)).toEqual([
      '2001-02-09 13:30:00',
      '2001-02-09 14:00:00',
      '2001-03-01 00:00:00',
    ])
    const many = Array.from({ length: 1000 }, (_, at): readonly [Cell, Cell] => [
      `2001${String(1 + (at % 12)).padStart(2, '0')}${10 + (at % 17)}`,
      1,
    ])
    expect(chartOf(many, 'date', 'count').points.map(({ label }) => label)).toEqual(
      Array.from({ length: 12 }, (_, at) => `2001-${String(at + 1).padStart(2, '0')}`),
    )
  })

  test('of many numbers counts all of them in round steps', () => {
    const many = Array.from({ length: 100 }, (_, at): readonly [Cell, Cell] => [at, 1])
    const { points } = chartOf(many, 'long', 'count')
    expect(points.map(({ label }) => label).slice(0, 3)).toEqual(['0', '5', '10'])
    expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(100)
  })

  test('shows the largest twenty groups and the number of others', () => {
    const many = Array.from({ length: 25 }, (_, at): readonly [Cell, Cell] => [`n${at}`, at])
    const { points, others } = chartOf(many, 'string', 'sum')
    expect([points.length, points[0]?.label, others]).toEqual([20, 'n24', 5])
  })

  test('has evenly spaced ticks around all values', () => {
    assert(
      property(
        double({ min: -1e6, max: 1e6, noNaN: true }),
        integer({ min: 1, max: 1_000_000 }),
        (low, width) => {
          const ticks = ticksOf(low, low + width, 5)
          expect(ticks[0]).toBeLessThanOrEqual(low + 1e-6 * width)
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(low + width - 1e-6 * width)
          expect(ticks.length).toBeLessThan(12)
        },
      ),
    )
    expect(ticksOf(0, 522, 5)).toEqual([0, 200, 400, 600])
    expect(ticksOf(3, 3, 5)).toEqual([3, 4])
  })

  test('scales values linearly', () => {
    const scale = scaleOf([0, 10], [100, 0])
    expect([scale(0), scale(5), scale(10)]).toEqual([100, 50, 0])
    expect(scaleOf([2, 2], [7, 9])(2)).toBe(7)
  })
})

describe('the diagram', () => {
  const relation = (name: string, type: string) => ({ name, kind: 'relatedEntity', type })
  const dataClass = (name: string, ...attributes: object[]) => ({
    name,
    collectionName: `${name}Selection`,
    attributes,
    key: [{ name: 'ID' }],
  })
  const model = readModel({
    dataClasses: [
      dataClass('A', relation('b', 'B'), relation('parent', 'A')),
      dataClass('B', { name: 'ID', kind: 'storage', type: 'long' }),
      dataClass('C', relation('a', 'A'), relation('hidden', 'Nowhere')),
    ],
  })

  test.each([300, 700, 1200])(
    'has a box per dataclass without overlap, %i pixels wide',
    (width) => {
      const { boxes, ...size } = layOutModel(model, { width, height: 4000 })
      expect(boxes.map((box) => box.dataClass.name).sort()).toEqual(['A', 'B', 'C'])
      expect(size.width).toBeLessThanOrEqual(Math.max(width, 300))
      for (const one of boxes)
        for (const other of boxes)
          if (one !== other && one.x === other.x)
            expect(one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true)
    },
  )

  test('has a line for each to-one relation to a shown dataclass', () => {
    const lines = layOutModel(model, { width: 900, height: 4000 }).lines.map(
      (line) => `${line.from}.${line.attribute} ${line.to}`,
    )
    expect(lines.sort()).toEqual(['A.b B', 'A.parent A', 'C.a A'])
  })
})
