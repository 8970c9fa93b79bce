import type { Database } from '../execute/database.ts'
import { sortSlots } from '../execute/ordering.ts'
import type { OrderBy } from '../filter/predicate.ts'
import { keyOf } from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { LiveDelta } from '../model/live-types.ts'
import { keysOf } from '../query/access-members.ts'
import type { SelectionPort } from '../query/selection-port.ts'
import type { PastRecord } from '../storage/history.ts'
import { contains, type RecordSet, slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { isAsBefore } from '../write/snapshot.ts'

/**
 * Merges two deltas of one live query into one; the second must be the later. Entities that entered
 * or changed are in no particular order. Use it when a listener cannot keep up. Cost: O(both).
 *
 * @example
 * ```ts
 * import type { LiveDelta } from '@entia/core'
 * let waiting: LiveDelta<any, any> | null = null
 * const collect = (delta: LiveDelta<any, any>) => {
 *   waiting = waiting === null ? delta : mergeDeltas(waiting, delta)
 * }
 * ```
 */
export function mergeDeltas(first: LiveDelta, second: LiveDelta): LiveDelta {
  const merged = new MergedDelta(first)
  merged.add(second)
  return merged.delta
}

/** Deltas of one live query that wait for a listener, as one. */
export class MergedDelta {
  /** The global stamp before the first of them. */
  readonly after: number
  #last: LiveDelta
  #order: LiveDelta['order']
  /** Null while `#last` is the only one. */
  #all: DeltaByKey | null = null

  constructor(delta: LiveDelta) {
    this.after = delta.globalStamp - 1
    this.#last = delta
    this.#order = delta.order
  }

  get globalStamp(): number {
    return this.#last.globalStamp
  }
  /** Entities that entered or changed. */
  get entityCount(): number {
    const { entered, changed } = this.#all ?? this.#last
    return countIn(entered) + countIn(changed)
  }

  /** Adds a later delta. Cost: O(its own entities), however much waits. */
  add(delta: LiveDelta): void {
    this.#all ??= byKeyOf(this.#last)
    const { entered, changed, left } = this.#all
    for (const entity of delta.entered) {
      const key = keyIn(entity)
      // It was there before all of them.
      if (left.delete(key)) changed.set(key, entity)
      else entered.set(key, entity)
    }
    for (const entity of delta.changed) {
      const key = keyIn(entity)
      ;(entered.has(key) ? entered : changed).set(key, entity)
    }
    for (const key of delta.left as readonly Key[]) {
      changed.delete(key)
      if (!entered.delete(key)) left.add(key)
    }
    this.#order = delta.order ?? this.#order
    this.#last = delta
  }

  /** Cost: O(all that waits), unless it is one delta. */
  get delta(): LiveDelta {
    if (this.#all === null) return this.#last
    const { entered, changed, left } = this.#all
    return Object.freeze({
      globalStamp: this.#last.globalStamp,
      entered: [...entered.values()],
      changed: [...changed.values()],
      left: [...left] as LiveDelta['left'],
      order: this.#order,
    })
  }
}

interface DeltaByKey {
  readonly entered: Map<Key, AnyEntity>
  readonly changed: Map<Key, AnyEntity>
  readonly left: Set<Key>
}

const byKeyOf = ({ entered, changed, left }: LiveDelta): DeltaByKey => ({
  entered: new Map(entered.map((entity) => [keyIn(entity), entity])),
  changed: new Map(changed.map((entity) => [keyIn(entity), entity])),
  left: new Set(left as readonly Key[]),
})

const keyIn = (entity: AnyEntity): Key => keyOf(entity) as Key
const countIn = (entities: readonly AnyEntity[] | ReadonlyMap<Key, AnyEntity>): number =>
  'size' in entities ? entities.size : entities.length

type Key = string | number

/** Records that a commit changed: by slot, the key of the record that was there before, or null. */
export type Touched = ReadonlyMap<number, Key | null>

/** The changes of a commit to one table. */
export interface TableChange {
  readonly touched: Touched
  /** The touched records as they were before the commit. */
  readonly past: ReadonlyMap<number, PastRecord>
}

/** The changes to a result, as slots and keys. */
export interface ResultChange {
  readonly entered: readonly number[]
  readonly changed: readonly number[]
  readonly left: readonly Key[]
}

/** Whether a record is in a result, and whether it was. */
export interface MembershipChange {
  readonly slot: number
  readonly was: boolean
  readonly is: boolean
}

/** How one commit may affect a result. */
export interface Concern {
  /**
   * Saved records of the query's own dataclass that may be in the result or may have been, each
   * once.
   */
  readonly saved: number[]
  /** Records that may be affected through a relation; null if there are none. */
  moved: Set<number> | null
  /** True if it is unknown which records these are. */
  isMoved: boolean
  /** Records whose related values, as the caller shows them, may differ; null if there are none. */
  shown: Set<number> | null
}

/** Commits that could not be evaluated: the state before the first of them. */
export interface Pending {
  readonly touched: Map<number, Key | null>
  /** For an incremental result: whether a record was in it. */
  readonly was: Map<number, boolean>
}

/** The records that differ from before, each with its key from before. Cost: O(records). */
export function touchedOf(
  table: Table,
  past: ReadonlyMap<number, PastRecord>,
): Map<number, Key | null> {
  const touched = new Map<number, Key | null>()
  for (const [slot, record] of past)
    if (!isAsBefore(table, slot, record))
      touched.set(slot, record.existed ? keyBefore(table, slot, record) : null)
  return touched
}

const keyBefore = (table: Table, slot: number, { values }: PastRecord): Key => {
  const { ordinal } = table.model.key
  return (values.has(ordinal) ? values.get(ordinal) : table.read(slot, ordinal)) as Key
}

/**
 * The entities that entered, changed or left, from records that are or were in a result. Null if
 * there are none and the order is the same. A key that left with one record and entered with
 * another counts as changed. A record that is not in `touched` does not count.
 */
function changeOfResult(
  table: Table,
  standings: Iterable<MembershipChange>,
  touched: Touched,
  isReordered: boolean,
): ResultChange | null {
  const { ordinal } = table.model.key
  const entered: number[] = []
  const changed: number[] = []
  const left: Key[] = []
  for (const { slot, was, is } of standings) {
    const isSaved = touched.has(slot)
    if (was && is && !isSaved) continue
    const now = is ? (table.read(slot, ordinal) as Key) : null
    const then = !was
      ? null
      : isSaved
        ? (touched.get(slot) as Key)
        : (table.read(slot, ordinal) as Key)
    if (was && is && then === now) {
      changed.push(slot)
      continue
    }
    if (was) left.push(then as Key)
    if (is) entered.push(slot)
  }
  if (entered.length > 0 && left.length > 0) return withoutReplaced(table, entered, changed, left)
  return entered.length + changed.length + left.length === 0 && !isReordered
    ? null
    : { entered, changed, left }
}

/** The same, with keys that are in both lists counted as changed. */
function withoutReplaced(
  table: Table,
  entered: readonly number[],
  changed: readonly number[],
  left: readonly Key[],
): ResultChange {
  const { ordinal } = table.model.key
  const gone = new Set(left)
  const isNew = new Set(entered.filter((slot) => !gone.delete(table.read(slot, ordinal) as Key)))
  const replaced = entered.filter((slot) => !isNew.has(slot))
  return { entered: [...isNew], changed: [...changed, ...replaced], left: [...gone] }
}

/** The saved records, and those that are shown with other related values: both are reported. */
export function reportedOf(
  table: Table,
  saved: Touched,
  shown: ReadonlySet<number> | null,
): Touched {
  if (shown === null) return saved
  const reported = new Map(saved)
  const { ordinal } = table.model.key
  for (const slot of shown)
    if (!saved.has(slot) && table.isLive(slot)) reported.set(slot, table.read(slot, ordinal) as Key)
  return reported
}

/** The records of two sets, with the sets that they are in. */
export function* standingsOf(before: RecordSet, now: RecordSet): Iterable<MembershipChange> {
  for (const slot of slotsOf(before)) yield { slot, was: true, is: contains(now, slot) }
  for (const slot of slotsOf(now)) if (!contains(before, slot)) yield { slot, was: false, is: true }
}

/**
 * Call it before all data is replaced, and the returned function after that: every record of before
 * and after is then pending. `isTested` if the result is incremental.
 */
export function beforeReplace(table: Table, members: RecordSet, isTested: boolean): () => Pending {
  const slots = slotsOf(members)
  const keys = keysOf(table, slots)
  const touched = new Map<number, Key | null>()
  const was = new Map<number, boolean>()
  for (let i = 0; i < slots.length; i++) {
    touched.set(slots[i], keys[i])
    if (isTested) was.set(slots[i], true)
  }
  return () => {
    for (let slot = 0; slot < table.length; slot++) {
      if (!table.isLive(slot) || touched.has(slot)) continue
      touched.set(slot, null)
      if (isTested) was.set(slot, false)
    }
    return { touched, was }
  }
}

const NONE: readonly never[] = Object.freeze([])

/**
 * The delta of a result, from records that are or were in it; null if it did not change. `order`
 * has the keys of a page whose order changed.
 */
export function deltaOf(
  { database, moment }: SelectionPort,
  table: Table,
  orderBy: OrderBy | null,
  standings: Iterable<MembershipChange>,
  saved: Touched,
  order: readonly (string | number)[] | null,
): LiveDelta | null {
  const change = changeOfResult(table, standings, saved, order !== null)
  if (change === null) return null
  const { entered, changed, left } = change
  return Object.freeze<LiveDelta>({
    globalStamp: moment.globalStamp,
    entered: entitiesInOrder(database, table, entered, orderBy),
    changed: entitiesInOrder(database, table, changed, orderBy),
    left: left.length === 0 ? NONE : Object.freeze(left),
    order: order === null ? null : Object.freeze(order.slice()),
  })
}

function entitiesInOrder(
  database: Database,
  table: Table,
  slots: readonly number[],
  orderBy: OrderBy | null,
): readonly AnyEntity[] {
  if (slots.length === 0) return NONE
  if (slots.length === 1) return Object.freeze([database.entityAt(table, slots[0])])
  const ascending = Int32Array.from(slots).sort()
  const ordered = orderBy === null ? ascending : sortSlots(database, table, ascending, orderBy)
  return Object.freeze(entitiesAt(database, table, ordered))
}

export function entitiesAt(database: Database, table: Table, slots: Int32Array): AnyEntity[] {
  return Array.from(slots, (slot) => database.entityAt(table, slot))
}
