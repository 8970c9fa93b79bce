import { keyOf } from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { LiveDelta } from '../model/live-types.ts'

/**
 * Merges two deltas of one live query into one; the second must be the later. Entities that entered
 * or changed are in no particular order. Use it when a listener cannot keep up. Cost: O(both).
 */
export function mergeDeltas(first: LiveDelta, second: LiveDelta): LiveDelta {
  const entered = byKey(first.entered)
  const changed = byKey(first.changed)
  const left = new Set<string | number>(first.left as readonly (string | number)[])
  for (const [key, entity] of byKey(second.entered)) {
    // It was there before both.
    if (left.delete(key)) changed.set(key, entity)
    else entered.set(key, entity)
  }
  for (const [key, entity] of byKey(second.changed))
    (entered.has(key) ? entered : changed).set(key, entity)
  for (const key of second.left as readonly (string | number)[]) {
    changed.delete(key)
    if (!entered.delete(key)) left.add(key)
  }
  return Object.freeze({
    globalStamp: second.globalStamp,
    entered: [...entered.values()],
    changed: [...changed.values()],
    left: [...left] as LiveDelta['left'],
    order: second.order ?? first.order,
  })
}

const byKey = (entities: readonly AnyEntity[]): Map<string | number, AnyEntity> =>
  new Map(entities.map((entity) => [keyOf(entity) as string | number, entity]))
