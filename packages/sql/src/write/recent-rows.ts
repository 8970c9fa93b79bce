import type { ClassModel } from '@entia/core'
import { hashKey, isMedia, type StoredValue } from '@entia/core/internal'
import type { WorkingCommit, WorkingRow } from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'

const MAX_ROWS = 10_000
/** Characters of all rows together. */
const MAX_CHARACTERS = 8_000_000
const MAX_CHARACTERS_PER_ROW = 8000
/** Decisions of a dataclass that fetch their entities after several attempts failed in a row. */
const MAX_PAUSE = 63

/** What is known of one dataclass. */
interface RecentClass {
  /** By the hash of the key, in the order of their last use. */
  readonly rows: Map<string | number, RecentRow>
  /** How many decisions fetch their entities before one is attempted again. */
  pause: number
  /** How many of them are left. */
  left: number
}

interface RecentRow {
  readonly row: WorkingRow
  readonly characters: number
}

/**
 * Entities as this process last saw them, within one epoch. They may have changed since, so a
 * decision on them must have the database check their stamps. Each one is taken out while a decision
 * uses it, so that others of this process wait for its row rather than fail. Where other processes
 * change the entities meanwhile, fewer and fewer decisions are offered some.
 */
export class RecentRows {
  /** The epoch of `Dataset` in which the rows were read. */
  readonly epoch: number
  readonly #classes: readonly (RecentClass | null)[]
  #rows = 0
  #characters = 0

  constructor({ tables }: SqlModel, epoch: number) {
    this.epoch = epoch
    // Other programs may write to tables of their own without raising a stamp.
    this.#classes = tables.map(({ isExisting }) =>
      isExisting ? null : { rows: new Map(), pause: 0, left: 0 },
    )
  }

  /** Takes out the entity with a key; null if it is not known, or in use. */
  take({ ordinal }: ClassModel, key: string | number): WorkingRow | null {
    const known = this.#classes[ordinal]
    const hash = hashKey(key)
    const found = known?.rows.get(hash)
    if (known == null || found === undefined) return null
    this.#drop(known, hash, found)
    return found.row
  }

  /** Keeps an entity that was read, unless a later one is known. */
  put(row: WorkingRow): void {
    const { dataClass, record, stamp, values } = row
    const known = this.#classes[dataClass.ordinal]
    if (known == null) return
    const hash = hashKey(values[dataClass.key.ordinal] as string | number)
    const before = known.rows.get(hash)
    if (before !== undefined) {
      if (before.row.record === record && before.row.stamp > stamp) return
      this.#drop(known, hash, before)
    }
    const characters = charactersOf(values)
    if (characters > MAX_CHARACTERS_PER_ROW) return
    known.rows.set(hash, { row, characters })
    this.#rows++
    this.#characters += characters
    while (this.#rows > MAX_ROWS || this.#characters > MAX_CHARACTERS) this.#dropOldest()
  }

  /** Whether a decision that writes to a dataclass should be attempted without fetching. */
  isPromising({ ordinal }: ClassModel): boolean {
    const known = this.#classes[ordinal]
    if (known == null) return false
    if (known.left === 0) return true
    known.left--
    return false
  }

  /** Notes what became of such an attempt. */
  attempted({ ordinal }: ClassModel, hasSucceeded: boolean): void {
    const known = this.#classes[ordinal]!
    known.pause = hasSucceeded ? 0 : Math.min(MAX_PAUSE, 2 * known.pause + 1)
    known.left = known.pause
  }

  #drop({ rows }: RecentClass, hash: string | number, { characters }: RecentRow): void {
    rows.delete(hash)
    this.#rows--
    this.#characters -= characters
  }

  /** Of the dataclass with the most rows. */
  #dropOldest(): void {
    let most: RecentClass | null = null
    for (const each of this.#classes)
      if (each !== null && each.rows.size > (most?.rows.size ?? 0)) most = each
    const [oldest] = most!.rows
    this.#drop(most!, ...oldest!)
  }
}

/** What the values of an entity take, in characters; infinite for images and BLOBs. */
function charactersOf(values: readonly StoredValue[]): number {
  let characters = 0
  for (const value of values) {
    if (typeof value === 'string') characters += value.length
    else if (value !== null && typeof value === 'object')
      characters += isMedia(value) ? Number.POSITIVE_INFINITY : JSON.stringify(value).length
  }
  return characters
}

/** Keeps the entities of a decision for the next one: those that it wrote as they are now. */
export function keepRows(
  recent: RecentRows,
  rows: readonly WorkingRow[],
  commits: readonly WorkingCommit[],
): void {
  const written = new Map<string, WorkingRow | null>()
  for (const { dataClass, record, kind, stamp, timestamp, after } of commits.flatMap(
    ({ changes }) => changes,
  ))
    if (record !== null)
      written.set(
        `${dataClass.ordinal} ${record}`,
        kind === 'remove' || after === null
          ? null
          : { dataClass, record, stamp, timestamp, values: after, lockedBy: null },
      )
  for (const row of rows) {
    const now = written.get(`${row.dataClass.ordinal} ${row.record}`)
    if (now === undefined) recent.put(row.lockedBy === null ? row : { ...row, lockedBy: null })
    else if (now !== null) recent.put(now)
    else recent.take(row.dataClass, row.values[row.dataClass.key.ordinal] as string | number)
  }
}
