import type { AnyDataStore, ClassModel, StorageAttribute } from '@entia/core'
import type { BatchItem } from '@entia/core/internal'
import {
  applyRecords,
  decodeValue,
  handleOf,
  NEW_SLOT,
  type RecordColumns,
  type StoredValue,
  storedKey,
  type Table,
  type TouchedRecord,
} from '@entia/core/internal'
import { ReplicaBase, ReplicaBatch, ReplicaPlace } from './own-classes.ts'

/** An entity as a column of values; null for none. */
export type EntityState = {
  readonly values: readonly StoredValue[]
  readonly stamp: number
  readonly timestamp: number
} | null

/** Identifies an entity of any dataclass. */
export const idOf = (dataClass: string, key: string | number): string => `${dataClass} ${key}`

interface DraftEntity {
  readonly dataClass: string
  readonly key: string | number
  /** What the server has now; undefined for what it had before. */
  readonly state: EntityState | undefined
}

/** Changes of the contents that become one commit. */
export interface Draft {
  /** Entities to show again, by id. */
  readonly entities: Map<string, DraftEntity>
  /**
   * The first entities of an empty dataclass, by column in pieces: an object for each takes longer.
   * Null once single entities of it have come.
   */
  readonly loads: Map<Table, RecordColumns[] | null>
  /** Entities of the replica's own dataclasses: values by name, null for removed ones. */
  readonly own: Map<
    string,
    readonly [
      dataClass: string,
      key: string | number,
      values: { readonly [name: string]: unknown } | null,
    ]
  >
}

export const newDraft = (): Draft => ({
  entities: new Map(),
  loads: new Map(),
  own: new Map(),
})

/** Adds entities by column as single ones. Cost: O(entities). */
export function draftEach(draft: Draft, { table, columns, stamps, timestamps }: RecordColumns) {
  const { name: dataClass, key: keyColumn } = table.model
  for (let at = 0; at < stamps.length; at++) {
    const values = columns.map((column) => column[at]!)
    const key = values[keyColumn.ordinal] as string | number
    const state = { values, stamp: stamps[at]!, timestamp: timestamps[at]! }
    draft.entities.set(idOf(dataClass, key), { dataClass, key, state })
  }
}

/** From now on a dataclass has single entities only. Cost: O(entities of its loads). */
export function endLoads(draft: Draft, table: Table): void {
  for (const load of draft.loads.get(table) ?? []) draftEach(draft, load)
  draft.loads.set(table, null)
}

interface Waiting {
  readonly number: number
  readonly item: BatchItem
}

/**
 * What a replica shows: for each entity what the server has, then the changes that wait, in their
 * order. What the server has is kept only for entities with such changes.
 */
export class Contents {
  readonly store: AnyDataStore
  readonly #writer: ReturnType<typeof handleOf>['writer']
  readonly #unique: ReadonlySet<string>
  readonly #bases = new Map<string, EntityState>()
  /** Changes that wait, by entity, in the order of their batches. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** The highest number of a batch that was added. */
  last = 0

  /** Names of the attributes that the server sends, by dataclass. */
  held: { readonly [dataClass: string]: readonly string[] } = {}

  /** `unique`: the attributes that are unique at the server, each as `Dataclass.attribute`. */
  constructor(store: AnyDataStore, unique: ReadonlySet<string>) {
    this.store = store
    this.#writer = handleOf(store).writer
    this.#unique = unique
  }

  isUnique({ owner, name }: StorageAttribute): boolean {
    return this.#unique.has(`${owner.name}.${name}`)
  }

  /** Reads what a journal has brought back. `isSame`: whether a dataclass is as it was. */
  recover(isSame: (dataClass: string) => boolean): void {
    this.#bases.clear()
    this.#waiting.clear()
    for (const entity of this.store.dataClass(ReplicaBase.name).all()) {
      const { dataClass, key, values, stamp, timestamp } = entity.state
      const isKept = values !== null && isSame(dataClass)
      const state = isKept ? { values: values as StoredValue[], stamp, timestamp } : null
      this.#bases.set(idOf(dataClass, key), state)
    }
    const batches = this.store.dataClass(ReplicaBatch.name)
    for (const batch of batches.query('state = waiting or state = applied').orderBy('number'))
      this.wait(batch.number, batch.items.list)
  }

  /** Takes a batch that another tab has kept, with what the server has of its entities. */
  adopt(number: number, items: readonly BatchItem[]): void {
    for (const { dataClass, key } of items) {
      const id = idOf(dataClass, key)
      const kept = this.store.dataClass(ReplicaBase.name).get(id)
      if (this.#bases.has(id) || kept === undefined) continue
      const { values, stamp, timestamp } = kept.state
      const state = values === null ? null : { values: values as StoredValue[], stamp, timestamp }
      this.#bases.set(id, state)
    }
    this.wait(number, items)
  }

  tableOf(dataClass: string): Table {
    return this.#writer.tables[this.store.catalog.byName.get(dataClass)!.ordinal]!
  }

  /** The entity as it is shown. */
  shown(dataClass: string, key: string | number): EntityState {
    const table = this.tableOf(dataClass)
    const slot = table.findKey(key)
    if (slot < 0) return null
    const [stamp, timestamp] = [table.stamps[slot]!, table.timestamps[slot]!]
    return { values: table.readAll(slot), stamp, timestamp }
  }

  /** The entity as the server has it. */
  base(dataClass: string, key: string | number): EntityState {
    const id = idOf(dataClass, key)
    return this.#bases.has(id) ? this.#bases.get(id)! : this.shown(dataClass, key)
  }
  isHeld(dataClass: string, name: string): boolean {
    return this.held[dataClass]?.includes(name) === true
  }
  baseOf(id: string): EntityState {
    return this.#bases.get(id) ?? null
  }
  hasBase(id: string): boolean {
    return this.#bases.has(id)
  }
  /** Every entity that the server has sent, as it has it. */
  *sent(dataClass: string): Iterable<readonly [string | number, NonNullable<EntityState>]> {
    const table = this.tableOf(dataClass)
    const { ordinal } = table.model.key
    for (const slot of table.liveSlots()) {
      const key = table.read(slot, ordinal) as string | number
      const state = this.base(dataClass, key)
      if (state !== null) yield [key, state]
    }
    for (const entity of this.store.dataClass(ReplicaBase.name).all()) {
      const { dataClass: name, key } = entity.state
      if (name !== dataClass || table.findKey(key) >= 0) continue
      const state = this.base(name, key)
      if (state !== null) yield [key, state]
    }
  }

  /** False for an item of a dataclass, or with a key, that the definitions no longer have. */
  readonly isKnown = ({ dataClass, key }: BatchItem): boolean => {
    const model = this.store.catalog.byName.get(dataClass)
    return model !== undefined && storedKey(model, key) === key
  }

  /** Adds changes that wait. Their bases must be kept. */
  wait(number: number, items: readonly BatchItem[]): void {
    this.last = Math.max(this.last, number)
    for (const item of items.filter(this.isKnown)) {
      const id = idOf(item.dataClass, item.key)
      const waiting = this.#waiting.get(id)
      if (waiting === undefined) this.#waiting.set(id, [{ number, item }])
      else waiting.push({ number, item })
    }
  }

  /** Changes of a batch no longer wait: its entities are shown without them. */
  settle(draft: Draft, number: number, items: readonly BatchItem[]): void {
    for (const { dataClass, key } of items.filter(this.isKnown)) {
      const id = idOf(dataClass, key)
      const left = this.#waiting.get(id)?.filter((each) => each.number !== number) ?? []
      if (left.length === 0) this.#waiting.delete(id)
      else this.#waiting.set(id, left)
      if (!draft.entities.has(id)) draft.entities.set(id, { dataClass, key, state: undefined })
    }
  }

  /** Whether the entities of a dataclass can be a load: there are none, and nothing waits. */
  takesLoad(table: Table): boolean {
    return table.length === 0 && this.#bases.size === 0 && this.#waiting.size === 0
  }

  /** Makes a draft one commit. Cost: O(entities in it, their waiting changes and indexes). */
  commit(draft: Draft): void {
    // Something may have been written here since the lines arrived.
    for (const table of [...draft.loads.keys()]) if (!this.takesLoad(table)) endLoads(draft, table)
    const loads = [...draft.loads.values()].flatMap((pieces) => joined(pieces ?? []))
    const records: TouchedRecord[] = []
    for (const [id, { dataClass, key, state: given }] of draft.entities) {
      const table = this.tableOf(dataClass)
      const waiting = this.#waiting.get(id)
      const base = given === undefined ? this.base(dataClass, key) : given
      const shown =
        waiting === undefined
          ? base
          : waiting.reduce((state, each) => changed(table, state, each.item), base)
      if (waiting !== undefined) this.#bases.set(id, base)
      const isKept = this.#bases.has(id)
      if (waiting === undefined) this.#bases.delete(id)
      if (isKept) {
        const state = { dataClass, key, ...(base ?? { values: null, stamp: 0, timestamp: 0 }) }
        draft.own.set(`base ${id}`, [
          ReplicaBase.name,
          id,
          waiting === undefined ? null : { state },
        ])
      }
      const record = recordOf(table, key, shown)
      if (record !== null) records.push(record)
    }
    const now = Date.now()
    for (const [dataClass, key, values] of draft.own.values()) {
      const table = this.tableOf(dataClass)
      const before = this.shown(dataClass, key)
      const state = values === null ? null : withValues(table, key, before, values, now)
      const record = recordOf(table, key, state)
      if (record !== null) records.push(record)
    }
    if (records.length + loads.length > 0) applyRecords(this.#writer, records, now, loads)
  }

  /** Removes everything, what waits too, except the place. */
  clear(): void {
    this.#bases.clear()
    this.#waiting.clear()
    const records: TouchedRecord[] = []
    for (const table of this.#writer.tables) {
      if (table.model.name === ReplicaPlace.name) continue
      for (const slot of table.liveSlots()) records.push({ table, slot, after: null })
    }
    if (records.length > 0) applyRecords(this.#writer, records, Date.now())
  }
}

/** The pieces of a load as one; none for no piece. */
function joined(pieces: readonly RecordColumns[]): readonly RecordColumns[] {
  const [first] = pieces
  if (first === undefined) return []
  const all = <T>(listOf: (piece: RecordColumns) => readonly T[]): readonly T[] =>
    ([] as T[]).concat(...pieces.map(listOf))
  return [
    {
      table: first.table,
      columns: first.columns.map((_, ordinal) => all(({ columns }) => columns[ordinal]!)),
      stamps: all(({ stamps }) => stamps),
      timestamps: all(({ timestamps }) => timestamps),
    },
  ]
}

/** An entity of the replica's own dataclasses with some values, by name. */
function withValues(
  table: Table,
  key: string | number,
  before: EntityState,
  given: { readonly [name: string]: unknown },
  timestamp: number,
): EntityState {
  const values = before === null ? table.model.storage.map(defaultOf) : [...before.values]
  values[table.model.key.ordinal] = key
  for (const [name, value] of Object.entries(given)) setValue(values, table, name, value)
  return { values, stamp: (before?.stamp ?? 0) + 1, timestamp }
}

const defaultOf = ({ defaultValue }: StorageAttribute): StoredValue => defaultValue ?? null

/** Values of objects are stored in a form of their own. */
function setValue(values: StoredValue[], { model }: Table, name: string, value: unknown): void {
  const column = columnOf(model, name)
  values[column.ordinal] = decodeValue(column, value ?? null)
}

/**
 * The column of an attribute, or of the foreign key of a to-one relation. Undefined for another
 * name, as after a change of the definitions.
 */
export function columnIn(model: ClassModel, name: string): StorageAttribute | undefined {
  const attribute = model.attributes.get(name)
  if (attribute?.kind === 'storage') return attribute
  return attribute?.kind === 'relatedEntity' ? attribute.foreignKey : undefined
}
/** The same. Throws a TypeError for another name. */
export function columnOf(model: ClassModel, name: string): StorageAttribute {
  const column = columnIn(model, name)
  if (column !== undefined) return column
  throw new TypeError(`${model.name} has no attribute "${name}" with a value.`)
}

/** The name under which a column is sent. */
export const nameOf = ({ hidden, relation, name }: StorageAttribute): string =>
  hidden && relation !== null ? relation.name : name

/** A state after one waiting change. What the server has removed stays removed. */
function changed(table: Table, state: EntityState, item: BatchItem): EntityState {
  if (item.kind === 'remove' || (state === null && item.kind === 'update')) return null
  const { model } = table
  const values = state === null ? model.storage.map(() => null as StoredValue) : [...state.values]
  values[model.key.ordinal] = item.key
  for (const [name, value] of Object.entries(item.values))
    try {
      setValue(values, table, name, value)
    } catch {
      // The definitions have changed since: the server refuses it.
    }
  return { values, stamp: (state?.stamp ?? 0) + 1, timestamp: state?.timestamp ?? Date.now() }
}

/** The change that brings an entity to a state; null if it is in that state. */
function recordOf(table: Table, key: string | number, state: EntityState): TouchedRecord | null {
  const slot = table.findKey(key)
  if (state === null) return slot < 0 ? null : { table, slot, after: null }
  const { values, stamp, timestamp } = state
  if (slot < 0) return { table, slot: NEW_SLOT, after: { stamp, timestamp, values, columns: null } }
  const columns: number[] = []
  for (let ordinal = 0; ordinal < values.length; ordinal++)
    if (!isSame(table.read(slot, ordinal), values[ordinal]!)) columns.push(ordinal)
  if (columns.length === 0 && table.stamps[slot] === stamp) return null
  return { table, slot, after: { stamp, timestamp, values, columns } }
}

/** Objects are compared as JSON. */
export const isSame = (a: StoredValue, b: StoredValue): boolean =>
  a === b ||
  (typeof a === 'object' &&
    typeof b === 'object' &&
    a !== null &&
    b !== null &&
    JSON.stringify(a) === JSON.stringify(b))
