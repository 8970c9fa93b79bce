import type { OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { WordAllocator } from '../storage/bitset-kernel.ts'
import type { RecordSet } from '../storage/record-set.ts'
import { SlotSorter } from '../storage/slot-sorter.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import type { TimeSlices } from './time-slices.ts'

/** The data that execution reads: the tables of one store, and scratch memory. */
export interface Database {
  tableOf(dataClass: ClassModel): Table
  readonly allocator: WordAllocator
  readonly scratch: ScratchVectors
  /** Not null in a sliced read. */
  readonly slices: TimeSlices | null
  /** Plans and runs a rewritten predicate. Inner queries use this too. */
  select(dataClass: ClassModel, predicate: Predicate): RecordSet
  /** The entity of a record, which computed attributes read; see `selection`. */
  entityAt(table: Table, slot: number): AnyEntity
  /** The records that the reader sees now, also through relations; null for all. */
  visibleIn(dataClass: ClassModel): VisibleRecords | null
  /** Not null where the tables hold only some records, so that no plan can run over them. */
  readonly matching: Matching | null
  /** The same tables for a reader who sees everything. */
  readonly whole: Database
  /** How the plans of each kind run; without the capability `indexes` some kinds never occur. */
  readonly operators: Operators
}

/** The actual rows and time of each operator; filled while a plan runs for `explain`. */
export type Trace = Map<PhysicalPlan, { rows: number; milliseconds: number }>
export interface TraceOptions {
  readonly trace: Trace
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

/** By kind of plan: runs it. `table` is that of the plan's dataclass. */
export type Operators = {
  readonly [K in PhysicalPlan['kind']]?: (
    plan: Extract<PhysicalPlan, { readonly kind: K }>,
    table: Table,
    database: Database,
    traced: TraceOptions | undefined,
  ) => RecordSet
}

/**
 * Finds records in a store that holds only some of them. `database` is that of the reader, whose
 * computed attributes decide. Throws where it does not know all of them.
 */
export interface Matching {
  /** The records that a predicate selects. */
  find(dataClass: ClassModel, predicate: Predicate, database: Database): RecordSet
  /** The records that a predicate selects now, found when they are needed. */
  members(dataClass: ClassModel, predicate: Predicate, database: Database): DeferredSet
}

/** Records of the moment at which this was made, which are found when `set` is read first. */
export interface DeferredSet {
  readonly kind: 'set'
  readonly set: RecordSet
  /** What selects them, while they are not found and nothing was written since; otherwise null. */
  readonly condition: Predicate | null
  /** Those that exist and satisfy a predicate; null where testing each of `set` is better. */
  narrow(predicate: Predicate): DeferredSet | null
  /** Some of them in an order, without finding all; null where finding all is better. */
  page(orderBy: OrderBy | null, skip: number, top: number): Int32Array | null
  /** Throws if something was written since this was made. */
  mustBeCurrent(): void
}

/** The records of one dataclass that a reader may see. */
export interface VisibleRecords {
  has(slot: number): boolean
  /** Found on first use. */
  set(): RecordSet
}

/** Finds the related record by its key; -1 if the reader sees none. */
export function recordFinder(
  database: Database,
  dataClass: ClassModel,
): (key: StoredValue) => number {
  const table = database.tableOf(dataClass)
  const visible = database.visibleIn(dataClass)
  if (visible === null) return (key) => (key === null ? -1 : table.findKey(key as string | number))
  return (key) => {
    const slot = key === null ? -1 : table.findKey(key as string | number)
    return slot >= 0 && visible.has(slot) ? slot : -1
  }
}

/**
 * A pool of vectors for one operation at a time: allocating 400 KB costs more than the scan that
 * fills it. Nested operations get vectors of their own.
 */
export class ScratchVectors {
  readonly #free: Int32Array[] = []
  /** Its bitmaps are scratch memory too. */
  readonly sorter = new SlotSorter()

  /** A vector of at least `length` with arbitrary contents. Give it back with `release`. */
  take(length: number): Int32Array {
    const top = this.#free.pop()
    return top !== undefined && top.length >= length
      ? top
      : new Int32Array(Math.max(1024, length + (length >> 2)))
  }
  release(vector: Int32Array): void {
    if (this.#free.length < 8) this.#free.push(vector)
  }
  /** Lends `count` words, all zero, until `use` returns. */
  withWords<R>(count: number, use: (words: Int32Array) => R): R {
    const vector = this.take(count)
    const words = vector.subarray(0, count).fill(0)
    const result = use(words)
    this.release(vector)
    return result
  }
}
