import type { ClassModel } from '@entia/core'
import type { StoredValue, WorkingChange, WorkingCommit } from '@entia/core/kit'

/** What several commits together do to one entity. */
export interface NetChange {
  readonly kind: WorkingChange['kind']
  /** Null for an entity that the commits inserted. */
  readonly record: number | null
  readonly key: string | number
  readonly stamp: number
  readonly timestamp: number
  /** By column, after the changes; null for a removal. */
  readonly values: readonly StoredValue[] | null
  /** Columns of an update. */
  readonly changed: ReadonlySet<number>
}

/**
 * The difference between the database and the end of some commits, by dataclass: an entity that was
 * inserted and removed again leaves nothing. Cost: O(changes).
 */
export function netChanges(
  commits: readonly WorkingCommit[],
): ReadonlyMap<ClassModel, readonly NetChange[]> {
  const classes = new Map<ClassModel, Map<string | number, NetChange>>()
  for (const { changes } of commits)
    for (const change of changes) {
      let entities = classes.get(change.dataClass)
      if (entities === undefined) classes.set(change.dataClass, (entities = new Map()))
      // An entity may get the key of one that was removed: both changes reach the database.
      const id = change.record ?? `new ${change.key}`
      const net = joinedChange(entities.get(id), change)
      if (net === null) entities.delete(id)
      else entities.set(id, net)
    }
  return new Map(
    Array.from(classes, ([dataClass, entities]) => [dataClass, [...entities.values()]]),
  )
}

function joinedChange(before: NetChange | undefined, change: WorkingChange): NetChange | null {
  const { kind, record, key, stamp, timestamp, after } = change
  const isNew = before?.kind === 'insert'
  if (kind === 'remove' && isNew) return null
  return {
    kind: isNew ? 'insert' : kind,
    record,
    key,
    stamp,
    timestamp,
    values: after,
    changed: new Set([...(before?.changed ?? []), ...change.changed]),
  }
}
