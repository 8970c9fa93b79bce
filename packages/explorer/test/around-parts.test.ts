import { assert, double, integer, property, record, string, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changedKeys } from '../src/page/changed-keys.ts'
import { layOutModel, nameLines, neighbourOf } from '../src/page/diagram-layout.ts'
import { entityJson } from '../src/page/entity-json.ts'
import { createEventReader } from '../src/page/events.ts'
import { readModel } from '../src/page/model.ts'
import { centerOn, fit, keepInside, reveal, zoomAt } from '../src/page/zoom.ts'

const coordinate = () => double({ min: -5000, max: 5000, noNaN: true })
const camera = () =>
  record({ x: coordinate(), y: coordinate(), scale: double({ min: 0.05, max: 2.5, noNaN: true }) })
const size = (max: number) =>
  record({ width: integer({ min: 50, max }), height: integer({ min: 50, max }) })
const point = () => record({ x: coordinate(), y: coordinate() })

describe('the camera of the diagram', () => {
  test('keeps the point of the diagram below the pointer when it zooms', () => {
    assert(
      property(camera(), double({ min: 0.1, max: 10, noNaN: true }), point(), (before, by, at) => {
        const after = zoomAt(before, by, at)
        const shown = (one: typeof before) => [
          (at.x - one.x) / one.scale,
          (at.y - one.y) / one.scale,
        ]
        const [[x = 0, y = 0], [toX = 0, toY = 0]] = [shown(before), shown(after)]
        const error = Math.hypot(x - toX, y - toY) / (1 + Math.hypot(x, y))
        expect(error).toBeLessThan(1e-9)
      }),
    )
  })

  test('shows all of a diagram that is up to 25 times as large as the frame', () => {
    assert(
      property(size(6000), size(2000), (diagram, half) => {
        const frame = { width: half.width + 200, height: half.height + 200 }
        const { x, y, scale } = fit(diagram, frame)
        expect(x).toBeGreaterThan(-1e-6)
        expect(y).toBeGreaterThan(-1e-6)
        expect(x + diagram.width * scale).toBeLessThan(frame.width + 1e-6)
        expect(y + diagram.height * scale).toBeLessThan(frame.height + 1e-6)
      }),
    )
  })

  test('never loses the diagram, and moves a revealed part into the frame', () => {
    const frame = { width: 800, height: 600 }
    assert(
      property(camera(), size(4000), point(), (before, diagram, at) => {
        const { x, y, scale } = keepInside(before, diagram, frame)
        expect(x).toBeLessThanOrEqual(frame.width - 80)
        expect(x + diagram.width * scale).toBeGreaterThanOrEqual(80 - 1e-6)
        expect(y).toBeLessThanOrEqual(frame.height - 80)
        const part = { ...at, width: 200, height: 200 }
        const seen = reveal(before, part, frame)
        expect(part.x * seen.scale + seen.x).toBeGreaterThan(-1e-6)
        expect(part.y * seen.scale + seen.y).toBeLessThan(frame.height)
        const centered = centerOn(before, part, frame)
        expect((part.x + 100) * centered.scale + centered.x).toBeCloseTo(400, 5)
      }),
    )
  })
})

describe('the boxes of the diagram', () => {
  const dataClasses = Array.from({ length: 30 }, (_, at) => ({
    name: `C${at}`,
    attributes: Array.from({ length: 1 + (at % 5) }, (_, one) => ({ name: `a${one}` })),
  }))
  const { boxes } = layOutModel(readModel({ dataClasses }), { width: 900, height: 600 })

  test('are all reachable with arrow keys from the first one', () => {
    const [first] = boxes
    const reached = new Set([first])
    for (const box of reached)
      for (const direction of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const) {
        const next = box === undefined ? null : neighbourOf(boxes, box, direction)
        if (next !== null) reached.add(next)
      }
    expect(reached.size).toBe(30)
  })

  test('split long names at their words', () => {
    expect(nameLines('Order')).toEqual(['Order'])
    expect(nameLines('CustomerPriceAgreementItem2')).toEqual([
      'Customer',
      'Price',
      'Agreement',
      'Item2',
    ])
    expect(nameLines('a_bc')).toEqual(['a_', 'bc'])
    assert(
      property(string(), (name) => {
        const lines = nameLines(name)
        expect(lines.join('')).toBe(name)
        expect(lines.length).toBeLessThanOrEqual(4)
      }),
    )
  })
})

describe('server-sent events', () => {
  const text =
    'retry: 2000\n\nevent: initial\nid: 1\ndata: {"a":1}\n\n:\n\nevent: delta\ndata: 2\ndata: 3\n\n'

  test('are the same, however the stream is cut', () => {
    assert(
      property(
        tuple(integer({ min: 0, max: text.length }), integer({ min: 0, max: 40 })),
        ([at, next]) => {
          const read = createEventReader()
          const cuts = [text.slice(0, at), text.slice(at, at + next), text.slice(at + next)]
          expect(cuts.flatMap(read)).toEqual([
            { name: 'initial', data: '{"a":1}' },
            { name: 'delta', data: '2\n3' },
          ])
        },
      ),
    )
  })
})

describe('a reload', () => {
  test('marks entities that are new or differ, and no others', () => {
    const before = [{ __KEY: '1', a: 1 }, { __KEY: '2', a: 2 }, { __STAMP: 0 }]
    const after = [{ __KEY: '3', a: 1 }, { __KEY: '2', a: 5 }, { __KEY: '1', a: 1 }, { __STAMP: 0 }]
    expect([...changedKeys(before, after)]).toEqual(['3', '2'])
  })
})

describe('a copied entity', () => {
  test('has its attributes in the order of the dataclass, without addresses', () => {
    const attributes = [
      { name: 'ID', kind: 'storage', type: 'long' },
      { name: 'day', kind: 'storage', type: 'date', simpleDate: true },
      { name: 'employer', kind: 'relatedEntity', type: 'Company' },
      { name: 'photo', kind: 'storage', type: 'image' },
      { name: 'hidden', kind: 'storage', type: 'string' },
    ]
    const model = readModel({ dataClasses: [{ name: 'A', attributes, key: [{ name: 'ID' }] }] })
    const entity = {
      __KEY: '7',
      __STAMP: 2,
      employer: { __deferred: { uri: '/rest/Company[1]', __KEY: '1' } },
      photo: { __deferred: { uri: '/rest/A[7]/photo', image: true } },
      day: '!!2020-04-01!!',
      ID: 7,
    }
    const dataClass = model.classes.get('A')
    expect(dataClass && JSON.parse(entityJson(entity, dataClass))).toEqual({
      ID: 7,
      day: '2020-04-01',
      employer: '1',
    })
  })
})
