import {
  BUCKET_PARTS,
  BucketMarks,
  bucketCount,
  type StoredValue,
  type Table,
} from '@entia/core/internal'
import type { ClassMarks, FeedQuery } from '../interface/replicas.ts'
import type { KeyValue } from '../interface/selection-source.ts'
import { contentsLine, lineOf } from './replica-lines.ts'
import type { HeldClass, HeldColumn } from './replica-shapes.ts'

/** Entities of one line of contents, of one step of a comparison, and of one piece of changes. */
export const PIECE = 4096

interface ContentsPart extends HeldClass {
  readonly number: number
  readonly table: Table
  readonly entered: ReadonlySet<KeyValue>
  readonly left: ReadonlySet<KeyValue>
}

/**
 * The entities of one dataclass that a replica is sent first: all of them, or those in buckets
 * whose marks differ from what it has. For a replica that is asked for marks: hints of them. It
 * keeps their keys; values are read when a line is written, while changes of them collect.
 */
export class FirstContents {
  readonly #part: ContentsPart
  readonly #valueOf: (table: Table, slot: number, column: HeldColumn) => StoredValue
  #keys: readonly KeyValue[]
  /** The next of the keys to read. */
  #at = 0
  /** Null once the keys are those to send. */
  #marks: BucketMarks | null
  /** The marks of the replica; null for hints, and for entities that are not compared. */
  readonly #theirs: ClassMarks | null

  constructor(
    part: ContentsPart,
    slots: ArrayLike<number> & Iterable<number>,
    mode: 'marks' | 'compare' | 'whole',
    { seed, marks }: FeedQuery,
    value: (table: Table, slot: number, column: HeldColumn) => StoredValue,
  ) {
    const { ordinal } = part.dataClass.key
    this.#part = part
    this.#valueOf = value
    this.#keys = Array.from(slots, (slot) => part.table.read(slot, ordinal) as KeyValue)
    this.#theirs = mode === 'compare' ? theirsOf(part, marks) : null
    const count = mode === 'marks' ? bucketCount(slots.length) : (this.#theirs?.count ?? 0)
    this.#marks = count === 0 ? null : new BucketMarks(count, seed)
  }

  get isSent(): boolean {
    return this.#marks === null && this.#at >= this.#keys.length
  }

  /**
   * The next line; null if there is none. Empty lines stand for steps of a comparison, so that the
   * stream yields between them.
   */
  take(): string | null {
    if (this.#marks !== null) return this.#compare(this.#marks)
    return this.isSent ? null : this.#contents()
  }

  #compare(marks: BucketMarks): string {
    const { columns, number } = this.#part
    const theirs = this.#theirs
    this.#read((key, slot, table) => {
      // A hint may miss values that changed without their stamp.
      const compared = theirs === null ? [] : columns
      const values = compared.map((column) => this.#valueOf(table, slot, column))
      marks.add(key, table.stamps[slot]!, table.timestamps[slot]!, values)
    })
    if (this.#at < this.#keys.length) return '\n'
    this.#marks = null
    this.#at = 0
    if (theirs === null) {
      this.#keys = []
      return lineOf(['~', number, marks.hints()])
    }
    const parts = marks.differing(theirs.divided, theirs.text)
    const isSent = new Uint8Array(marks.count * BUCKET_PARTS)
    for (const part of parts) isSent[part] = 1
    // Without parts, the line says that everything follows.
    if (parts.length === isSent.length) return lineOf(['~', number])
    this.#keys = this.#keys.filter((key) => isSent[marks.partOf(key)] === 1)
    return lineOf(['~', number, parts])
  }

  #contents(): string {
    const { columns, number } = this.#part
    const values: StoredValue[][] = columns.map(() => [])
    const stamps: number[] = []
    const timestamps: number[] = []
    this.#read((_, slot, table) => {
      for (const [at, column] of columns.entries())
        values[at]!.push(this.#valueOf(table, slot, column))
      stamps.push(table.stamps[slot]!)
      timestamps.push(table.timestamps[slot]!)
    })
    return contentsLine(number, values, stamps, timestamps)
  }

  /** Reads the next piece, without entities that were removed or are sent with the changes. */
  #read(each: (key: KeyValue, slot: number, table: Table) => void): void {
    const { table, left, entered } = this.#part
    const end = Math.min(this.#keys.length, this.#at + PIECE)
    for (; this.#at < end; this.#at++) {
      const key = this.#keys[this.#at]!
      const slot = left.has(key) || entered.has(key) ? -1 : table.findKey(key)
      if (slot >= 0) each(key, slot, table)
    }
  }
}

/** The marks that a replica has of a dataclass with these columns; null for none. */
function theirsOf(
  { dataClass, columns }: ContentsPart,
  marks: FeedQuery['marks'],
): ClassMarks | null {
  const given = marks?.get(dataClass.name)
  const isSame =
    given?.columns.length === columns.length &&
    columns.every(({ name }, at) => name === given.columns[at])
  return isSame ? given : null
}
