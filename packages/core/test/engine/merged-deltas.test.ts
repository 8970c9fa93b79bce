import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  type LiveDelta,
  mergeDeltas,
} from '../../src/index.ts'
import { MergedDelta } from '../../src/internal.ts'
import { runs } from '../runs.ts'

const Tree = defineDataClass('Tree', {
  ID: attribute.long({ key: true }),
  height: attribute.number(),
})

/** The deltas of `height > 5` between two stamps, one by one and merged. */
function reported(...steps: ((store: ReturnType<typeof woodOf>) => void)[]) {
  const store = woodOf()
  const deltas: LiveDelta[] = []
  const live = store.Tree.query('height > 5').live((delta) => {
    deltas.push(delta)
  })
  deltas.length = 0
  for (const step of steps) step(store)
  live.stop()
  const one = deltas.reduce(mergeDeltas)
  return {
    count: deltas.length,
    entered: one.entered.map((entity) => [entity.ID, entity.height]),
    changed: one.changed.map((entity) => [entity.ID, entity.height]),
    left: one.left,
    isNewest: one.globalStamp === store.globalStamp,
  }
}
function woodOf() {
  const store = createDataStore({ name: 'wood', dataClasses: [Tree] })
  store.Tree.load([
    { ID: 1, height: 10 },
    { ID: 2, height: 1 },
  ])
  return store
}
const grow = (ID: number, height: number) => (store: ReturnType<typeof woodOf>) =>
  void store.Tree.update(ID, { height })

test('a merged delta has the changes of both', () => {
  const both = { count: 2, isNewest: true }
  expect(reported(grow(1, 2), grow(1, 20))).toEqual({
    ...both,
    entered: [],
    changed: [[1, 20]],
    left: [],
  })
  expect(reported(grow(2, 8), grow(2, 2))).toEqual({ ...both, entered: [], changed: [], left: [] })
  expect(reported(grow(2, 8), grow(2, 9))).toEqual({
    ...both,
    entered: [[2, 9]],
    changed: [],
    left: [],
  })
  expect(reported(grow(1, 11), grow(1, 12))).toEqual({
    ...both,
    entered: [],
    changed: [[1, 12]],
    left: [],
  })
  expect(reported(grow(1, 11), grow(1, 2))).toEqual({
    ...both,
    entered: [],
    changed: [],
    left: [1],
  })
  expect(reported(grow(1, 2), grow(2, 8))).toEqual({
    ...both,
    entered: [[2, 8]],
    changed: [],
    left: [1],
  })
})

interface Grown {
  readonly ID: number
  readonly height: number | null
}
const NOTHING: LiveDelta = { globalStamp: 1, entered: [], changed: [], left: [], order: null }

test('many deltas, merged one after the other, lead from the first result to the last', () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 10 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = woodOf()
      for (const ID of [3, 4, 5, 6]) store.Tree.insert({ ID, height: ID * 2 })
      const wood = store.Tree.query('height > 5')
      let merged: MergedDelta | null = null
      const live = wood.live((delta) => {
        if (merged === null) merged = new MergedDelta(delta)
        else merged.add(delta)
      })
      const held = new Map(live.initial.map(({ ID, height }) => [ID, height]))
      // Height 0 removes a tree, or plants it again.
      for (const [ID, height] of steps)
        if (!store.Tree.has(ID)) store.Tree.insert({ ID, height: 9 })
        else if (height === 0) store.Tree.remove(ID)
        else store.Tree.update(ID, { height })
      live.stop()
      const { delta, entityCount } = (merged as MergedDelta | null) ?? {
        delta: live.missed ?? NOTHING,
        entityCount: 0,
      }
      for (const key of delta.left) expect(held.delete(key as number)).toBe(true)
      for (const entity of delta.entered as readonly Grown[]) {
        expect(held.has(entity.ID)).toBe(false)
        held.set(entity.ID, entity.height)
      }
      for (const entity of delta.changed as readonly Grown[]) {
        expect(held.has(entity.ID)).toBe(true)
        held.set(entity.ID, entity.height)
      }
      expect(entityCount).toBe(delta.entered.length + delta.changed.length)
      expect([...held].sort()).toEqual(
        [...store.Tree.query('height > 5')].map(({ ID, height }) => [ID, height]).sort(),
      )
    }),
    runs(500),
  )
})

test('what waits for a listener does not make each further delta slower', () => {
  const { Tree: trees } = createDataStore({ name: 'wood', dataClasses: [Tree] })
  trees.load(Array.from({ length: 50_000 }, (_, ID) => ({ ID, height: 1 })))
  const merged = new MergedDelta(NOTHING)
  // If each copied all that waits, it would take minutes.
  for (const entity of trees.all()) merged.add({ ...NOTHING, entered: [entity] })
  expect(merged.entityCount).toBe(50_000)
}, 30_000)

test('a merged delta has the order of the second delta, or of the first if the second has none', () => {
  const delta: LiveDelta = { globalStamp: 3, entered: [], changed: [], left: [], order: null }
  const ordered: LiveDelta = { ...delta, globalStamp: 4, order: [2, 1] }
  expect(mergeDeltas(delta, ordered)).toMatchObject({ globalStamp: 4, order: [2, 1] })
  expect(mergeDeltas(ordered, { ...delta, globalStamp: 5 })).toMatchObject({
    globalStamp: 5,
    order: [2, 1],
  })
})

test('the option stopped must be a function', () => {
  const store = woodOf()
  const wrong = { stopped: 'no function' } as never
  expect(() => store.Tree.all().live(() => undefined, wrong)).toThrow('The option stopped')
})
