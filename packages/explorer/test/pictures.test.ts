import { assert, double, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dateOf,
  pointsOf,
  scaleOf,
  spanOf,
  ticksOf,
  timeTicks,
  withZeros,
} from '../src/page/chart-data.ts'
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
  const choice = { x: 'day.month', y: 'pay', how: 'sum' } as const
  const date = (value: unknown) => String(value)

  test('has a point for each group with a value', () => {
    const groups = [
      { 'day.month': '!!2024-01-01!!', count: 2, pay: { sum: 7 } },
      { 'day.month': '!!2024-02-01!!', count: 1, pay: { sum: null } },
    ]
    expect(pointsOf(groups, 'day.month', choice, date)).toEqual([
      { label: '!!2024-01-01!!', value: 7, count: 2, time: Date.UTC(2024, 0, 1) },
    ])
    const counted = pointsOf(groups, 'day.month', { ...choice, how: 'count' }, date)
    expect(counted.map(({ value }) => value)).toEqual([2, 1])
  })

  test('over time has a zero where nothing was counted or summed', () => {
    const point = (time: number) => ({ label: dateOf(time), value: 1, count: 1, time })
    const ends = [point(Date.UTC(2023, 10, 1)), point(Date.UTC(2024, 1, 1))]
    expect(withZeros(ends, 'month', 'count').map(({ label, value }) => [label, value])).toEqual([
      ['2023-11-01', 1],
      ['2023-12-01', 0],
      ['2024-01-01', 0],
      ['2024-02-01', 1],
    ])
    expect(withZeros(ends, 'month', 'average')).toEqual(ends)
  })

  test('chooses the span and the ticks of its time axis', () => {
    const at = (year: number, month = 0, day = 1) => Date.UTC(year, month, day)
    expect([
      spanOf(at(2024), at(2024, 2)),
      spanOf(at(2024), at(2025)),
      spanOf(at(2020), at(2025)),
      spanOf(at(2000), at(2024)),
      spanOf(at(1900), at(2024)),
    ]).toEqual(['day', 'week', 'month', 'quarter', 'year'])
    const labels = (from: number, to: number) => timeTicks(from, to, 6).map(({ label }) => label)
    expect(labels(at(2021, 1, 3), at(2023, 11))).toEqual([
      '2021-07',
      '2022-01',
      '2022-07',
      '2023-01',
      '2023-07',
    ])
    expect(labels(at(2000), at(2024))).toEqual(['2000', '2005', '2010', '2015', '2020'])
    expect(labels(at(2024), at(2024, 0, 9))).toEqual([
      '2024-01-01',
      '2024-01-03',
      '2024-01-05',
      '2024-01-07',
      '2024-01-09',
    ])
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
