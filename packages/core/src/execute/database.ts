import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { RecordSet } from '../storage/record-set.ts'
import { SlotSorter } from '../storage/slot-sorter.ts'
import type { Table } from '../storage/table.ts'
import type { WordAllocator } from '../storage/word-allocator.ts'
import type { StoredValue } from '../value/types.ts'
import type { TimeSlices } from './time-slices.ts'

/** What execution reads: the tables of one store, and scratch memory. */
export interface Database {
  tableOf(dataClass: ClassModel): Table
  readonly allocator: WordAllocator
  readonly scratch: ScratchVectors
  /** Not null in a sliced read. */
  readonly slices: TimeSlices | null
  /** The records a (rewritten) predicate selects: planned and run. Inner queries come back through here. */
  select(dataClass: ClassModel, predicate: Predicate): RecordSet
  /** What a computed attribute reads, for one record; see `selection`. */
  entityAt(table: Table, slot: number): object
  /** The records that there are for the reader, whose relations lead to no others; null where that is all of them. As of now. */
  visibleIn(dataClass: ClassModel): VisibleRecords | null
  /** The same tables as they are for a reader who sees everything. */
  readonly whole: Database
}

/** The records of one dataclass that a reader may see. */
export interface VisibleRecords {
  has(slot: number): boolean
  /** Found once, when first asked for. */
  set(): RecordSet
}

/** What a relation leads to: the record of a key, or -1 where there is none that the reader may see. */
export function recordFinder(database: Database, dataClass: ClassModel): (key: StoredValue) => number {
  const table = database.tableOf(dataClass)
  const visible = database.visibleIn(dataClass)
  if (visible === null) return (key) => (key === null ? -1 : table.findKey(key as string | number))
  return (key) => {
    const slot = key === null ? -1 : table.findKey(key as string | number)
    return slot >= 0 && visible.has(slot) ? slot : -1
  }
}

/**
 * Vectors lent for the length of one operation: a fresh one of 400 KB costs more than the scan that fills it.
 * Nested operations get their own.
 */
export class ScratchVectors {
  readonly #free: Int32Array[] = []
  /** Its bitmaps are scratch memory too. */
  readonly sorter = new SlotSorter()

  /** A vector of at least `length` with arbitrary contents. Give it back with `release`. */
  take(length: number): Int32Array {
    const top = this.#free.pop()
    return top !== undefined && top.length >= length ? top : new Int32Array(Math.max(1024, length + (length >> 2)))
  }
  release(vector: Int32Array): void {
    if (this.#free.length < 8) this.#free.push(vector)
  }
}
