import type { AnyDataStore, StorageAttribute } from '@entia/core'
import type { BatchItem } from '@entia/core/internal'
import {
  type Change,
  handleOf,
  hasCountedKey,
  isMedia,
  type StoredValue,
  type Table,
  textKey,
} from '@entia/core/internal'
import { type Contents, type EntityState, idOf, isSame, nameOf } from './contents.ts'
import type { Keys } from './keys.ts'
import { ReplicaError } from './replica-error.ts'

/** A change of one entity, and the entity before the transaction. */
export interface LocalChange {
  readonly id: string
  readonly item: BatchItem
  readonly before: EntityState
}

interface Made extends LocalChange {
  readonly after: EntityState
  readonly table: Table
}

/**
 * The changes of the open transaction, entity by entity, in an order in which the server can make
 * them, and notes the keys that it gives. Throws keysUsedUp for a new entity whose key another
 * replica may give too, and notReplicated for images and BLOBs.
 */
export function localChanges(
  store: AnyDataStore,
  contents: Contents,
  keys: Keys,
): readonly LocalChange[] {
  const { writer } = handleOf(store)
  // Writes what is staged, so that the recorder has it.
  writer.enter()
  const { changes = [] } = writer.current?.recorder ?? {}
  const items = [...statesBefore(changes)]
    .reverse()
    .flatMap(([id, { table, key, state: before }]) => {
      const after = contents.shown(table.model.name, key)
      if (before === null && after !== null && hasCountedKey(table.model))
        keys.check(table.model.name, key as number)
      const item = itemOf(table, key, before, after, contents)
      return item === null ? [] : [{ id, item, before, after, table }]
    })
  // After the changes were read: this is one too.
  keys.keep()
  return inOrder(items, contents)
}

/**
 * The server makes one change after the other, and each entity has only the last of what several
 * statements did to it. So a new entity comes before those that refer to it, a removed one after
 * those that no longer refer to it, and a unique value is given up before it is given again. A
 * cycle stays as it is. Cost: O(values).
 */
function inOrder(all: readonly Made[], contents: Contents): readonly LocalChange[] {
  /** The changes that create an entity or give up a unique value. */
  const creating = new Map<string, Made>()
  /** The changes after which an entity is no longer referred to by one that stays. */
  const leaving = new Map<string, Made[]>()
  for (const each of all) {
    const { id, before, after } = each
    if (before === null) creating.set(id, each)
    for (const [{ relation }, had, value] of replaced(each, before, after, contents)) {
      if (value !== null) creating.set(value, each)
      if (relation === null || after === null) continue
      const left = idOf(relation.target.name, had)
      const others = leaving.get(left)
      if (others === undefined) leaving.set(left, [each])
      else others.push(each)
    }
  }
  const ordered = new Set<Made>()
  const visited = new Set<Made>()
  const visit = (each: Made | undefined): void => {
    if (each === undefined || visited.has(each)) return
    visited.add(each)
    const { id, before, after } = each
    for (const [{ relation }, has, value] of replaced(each, after, before, contents)) {
      if (relation !== null) visit(creating.get(idOf(relation.target.name, has)))
      if (value !== null) visit(creating.get(value))
    }
    if (after === null) for (const other of leaving.get(id) ?? []) visit(other)
    ordered.add(each)
  }
  for (const each of all) visit(each)
  return [...ordered]
}

/**
 * The values of keys of related entities, and unique values, of one state that another one does not
 * have; unique ones also as a text that identifies them.
 */
function* replaced(
  { table }: Made,
  of: EntityState,
  by: EntityState,
  contents: Contents,
): Iterable<readonly [StorageAttribute, string | number, string | null]> {
  for (const attribute of table.model.storage) {
    const { ordinal, name, relation, collation } = attribute
    const value = of?.values[ordinal] ?? null
    const isUnique = contents.isUnique(attribute)
    if (value === null || !(isUnique || relation !== null)) continue
    if (by !== null && isSame(value, by.values[ordinal]!)) continue
    const key = typeof value === 'string' ? textKey(value, collation) : value
    const text = isUnique ? `${table.model.name}.${name} ${String(key)}` : null
    yield [attribute, value as string | number, text]
  }
}

interface Rewound {
  readonly table: Table
  readonly key: string | number
  state: EntityState
}

/** Takes the entities back to the beginning of the transaction, newest change first. */
function statesBefore(changes: readonly Change[]): ReadonlyMap<string, Rewound> {
  const byId = new Map<string, Rewound>()
  /** The key that a slot had before the changes that were taken back so far. */
  const keys = new Map<Table, Map<number, string | number>>()
  const keyAt = (table: Table, slot: number): string | number =>
    keys.get(table)?.get(slot) ?? (table.read(slot, table.model.key.ordinal) as string | number)
  const rewound = (table: Table, key: string | number, slot: number): Rewound => {
    const id = idOf(table.model.name, key)
    let found = byId.get(id)
    if (found === undefined) {
      const isHere = slot >= 0 && table.findKey(key) === slot
      const state = isHere
        ? {
            values: table.readAll(slot),
            stamp: table.stamps[slot]!,
            timestamp: table.timestamps[slot]!,
          }
        : null
      byId.set(id, (found = { table, key, state }))
    }
    return found
  }
  for (const change of [...changes].reverse()) {
    const { table } = change
    if (change.kind === 'load') {
      for (const slot of [...change.slots].reverse())
        rewound(table, keyAt(table, slot), slot).state = null
    } else if (change.kind === 'insert') {
      rewound(table, keyAt(table, change.slot), change.slot).state = null
    } else if (change.kind === 'remove') {
      const { before: values, stamp, timestamp, slot } = change
      const key = values[table.model.key.ordinal] as string | number
      rewound(table, key, -1).state = { values, stamp, timestamp }
      let known = keys.get(table)
      if (known === undefined) keys.set(table, (known = new Map()))
      known.set(slot, key)
    } else {
      const { slot, ordinals, before, stamp, timestamp } = change
      const found = rewound(table, keyAt(table, slot), slot)
      const values = [...(found.state?.values ?? [])]
      for (const [i, ordinal] of ordinals.entries()) values[ordinal] = before[i]!
      found.state = { values, stamp, timestamp }
    }
  }
  return byId
}

function itemOf(
  { model }: Table,
  key: string | number,
  before: EntityState,
  after: EntityState,
  contents: Contents,
): BatchItem | null {
  const { name: dataClass, storage } = model
  const id = idOf(dataClass, key)
  const named = (state: NonNullable<EntityState>, isWanted: (ordinal: number) => boolean) =>
    Object.fromEntries(
      storage
        .filter((attribute) => !attribute.key && isWanted(attribute.ordinal))
        .map((attribute) => [nameOf(attribute), sendable(state.values[attribute.ordinal]!)]),
    )
  // What the server does not send cannot be compared there.
  const isHeld = (at: number): boolean => contents.isHeld(dataClass, nameOf(storage[at]!))
  if (after === null) {
    if (before === null) return null
    // The server compares the values of an entity that this replica has changed already.
    const values = contents.hasBase(id) ? named(before, isHeld) : {}
    return { kind: 'remove', dataClass, key, before: values, stamp: stampOf(contents, id, before) }
  }
  if (before === null) {
    // The server gives defaults, also of attributes that the caller may not write.
    const isSent = (at: number): boolean => {
      const value = storage[at]!.defaultValue ?? null
      return !isSame(after.values[at]!, value) || (value !== null && isHeld(at))
    }
    return { kind: 'insert', dataClass, key, values: named(after, isSent) }
  }
  const isChanged = (at: number): boolean => !isSame(before.values[at]!, after.values[at]!)
  const values = named(after, isChanged)
  if (Object.keys(values).length === 0) return null
  const stamp = stampOf(contents, id, before)
  const replaced = named(before, (at) => isChanged(at) && isHeld(at))
  return { kind: 'update', dataClass, key, values, before: replaced, stamp }
}

/** The stamp that the server has. Changes that wait have raised that of the entity here. */
const stampOf = (contents: Contents, id: string, before: NonNullable<EntityState>): number =>
  contents.hasBase(id) ? (contents.baseOf(id)?.stamp ?? 0) : before.stamp

function sendable(value: StoredValue): unknown {
  if (!isMedia(value)) return value
  throw new ReplicaError(
    'notReplicated',
    'A replica does not hold images and BLOBs. Save them with the client.',
  )
}
