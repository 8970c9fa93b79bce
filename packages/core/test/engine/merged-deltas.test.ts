import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  type LiveDelta,
  mergeDeltas,
} from '../../src/index.ts'

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
