import type { ClassModel } from '@entia/core'
import { hashKey, isMedia, type StoredValue } from '@entia/core/internal'
import type { Missing, WorkingChange, WorkingCommit, WorkingRow } from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'

/** Entities that are kept while they are used, in characters and number: at most twice as many. */
const MAX_ROWS = 5000
const MAX_CHARACTERS = 4_000_000
const MAX_CHARACTERS_PER_ROW = 8000
/** Decisions about more entities than these say little of which one is used next. */
const MAX_ROWS_OF_DECISION = 16
/** Decisions of a dataclass that fetch their entities after several attempts failed in a row. */
const MAX_PAUSE = 63

type Rows = Map<string | number, WorkingRow>
type EntityKey = Omit<Extract<Missing, { readonly kind: 'entity' }>, 'kind'>

/** What is known of one dataclass, by the hashes of keys. */
interface RecentClass {
  rows: Rows
  /** Those that were kept before, and not used since. */
  older: Rows
  /** How many decisions fetch their entities before one is attempted again. */
  pause: number
  /** How many of them are left. */
  left: number
  /** Those that decisions save at the moment. */
  readonly taken: Set<string | number>
  /** The number behind the last new entity; null if it is not known. */
  next: number | null
  /** The numbers that attempts expect which have not ended, and how many they are. */
  readonly expecting: Set<readonly number[]>
  expected: number
}

/**
 * Entities as this process last saw them, within one epoch. They may have changed since, so a
 * decision on them must have the database check their stamps. The one that a decision saves is
 * taken meanwhile, so that others of this process wait for its row rather than fail. Where
 * other processes change the entities meanwhile, fewer and fewer decisions are offered some.
 */
export class RecentRows {
  /** The epoch of `Dataset` in which the rows were read. */
  readonly epoch: number
  readonly #classes: readonly (RecentClass | null)[]
  #kept = 0
  #characters = 0

  constructor({ tables }: SqlModel, epoch: number) {
    this.epoch = epoch
    // Other programs may write to tables of their own without raising a stamp.
    this.#classes = tables.map(({ isExisting }) =>
      isExisting
        ? null
        : {
            ...{ rows: new Map(), older: new Map(), taken: new Set() },
            ...{ pause: 0, left: 0, next: null, expecting: new Set(), expected: 0 },
          },
    )
  }

  /** The entity with a key; null if it is not known. */
  find({ dataClass, key }: EntityKey): WorkingRow | null {
    const known = this.#classes[dataClass.ordinal]
    if (known == null) return null
    const hash = hashKey(key)
    const found = known.rows.get(hash)
    if (found !== undefined) return found
    const older = known.older.get(hash)
    if (older === undefined) return null
    known.older.delete(hash)
    this.#keep(known, hash, older)
    return older
  }

  /** Whether a decision may be made on an entity: another one does not save it meanwhile. */
  isFree({ dataClass, key }: EntityKey): boolean {
    return this.#classes[dataClass.ordinal]?.taken.has(hashKey(key)) === false
  }
  /** Takes an entity for the decision that saves it, until `free`. */
  take({ dataClass, key }: EntityKey): void {
    this.#classes[dataClass.ordinal]!.taken.add(hashKey(key))
  }
  free({ dataClass, key }: EntityKey): void {
    this.#classes[dataClass.ordinal]!.taken.delete(hashKey(key))
  }

  /** Keeps an entity that was read, unless a later one is known. */
  put(row: WorkingRow): void {
    const { dataClass, record, stamp, values } = row
    const known = this.#classes[dataClass.ordinal]
    if (known == null) return
    const hash = hashKey(keyIn(dataClass, values))
    const before = known.rows.get(hash) ?? known.older.get(hash)
    if (before !== undefined && before.record === record && before.stamp > stamp) return
    known.older.delete(hash)
    this.#keep(known, hash, row)
  }

  /** Forgets an entity, if it is known. */
  forget({ dataClass, values }: WorkingRow): void {
    const known = this.#classes[dataClass.ordinal]
    const hash = hashKey(keyIn(dataClass, values))
    known?.rows.delete(hash)
    known?.older.delete(hash)
  }

  /**
   * The numbers that so many new entities of a dataclass will probably get, behind those that other
   * attempts expect; null if none is known. End it with `numbered`.
   */
  expectNumbers({ ordinal }: ClassModel, count: number): readonly number[] | null {
    const known = this.#classes[ordinal]
    if (known == null || known.next === null) return null
    const first = known.next + known.expected
    const numbers = Array.from({ length: count }, (_, at) => first + at)
    known.expecting.add(numbers)
    known.expected += count
    return numbers
  }

  /**
   * An attempt that expected these numbers has ended, the first time that it is said. Say so as
   * soon as it is known: later attempts expect numbers behind those that others still expect.
   */
  numbered({ ordinal }: ClassModel, expected: readonly number[]): void {
    const known = this.#classes[ordinal]!
    if (known.expecting.delete(expected)) known.expected -= expected.length
  }

  /** Notes the number of a new entity. */
  noteNumber({ ordinal }: ClassModel, number: number): void {
    const known = this.#classes[ordinal]
    if (known != null && number >= (known.next ?? 0)) known.next = number + 1
  }

  /** Whether a decision that writes to a dataclass should be attempted without fetching. */
  isPromising({ ordinal }: ClassModel): boolean {
    const known = this.#classes[ordinal]
    if (known == null) return false
    if (known.left === 0) return true
    known.left--
    return false
  }

  /**
   * Whether entities should be read for such an attempt: the last one was stored, and the number of
   * a new entity is known.
   */
  isWorthReading({ ordinal }: ClassModel, isNew: boolean): boolean {
    const known = this.#classes[ordinal]
    return known?.pause === 0 && (!isNew || known.next !== null)
  }

  /** Notes what became of such an attempt. */
  attempted({ ordinal }: ClassModel, hasSucceeded: boolean): void {
    const known = this.#classes[ordinal]!
    known.pause = hasSucceeded ? 0 : Math.min(MAX_PAUSE, 2 * known.pause + 1)
    known.left = known.pause
  }

  #keep(known: RecentClass, hash: string | number, row: WorkingRow): void {
    const characters = charactersOf(row.values)
    if (characters > MAX_CHARACTERS_PER_ROW) {
      known.rows.delete(hash)
      return
    }
    known.rows.set(hash, row)
    this.#kept++
    this.#characters += characters
    if (this.#kept <= MAX_ROWS && this.#characters <= MAX_CHARACTERS) return
    for (const each of this.#classes)
      if (each !== null) {
        each.older = each.rows
        each.rows = new Map()
      }
    this.#kept = 0
    this.#characters = 0
  }
}

/** Names the row of an entity. */
export const nameOf = ({
  dataClass,
  record,
}: Pick<WorkingChange, 'dataClass' | 'record'>): string => `${dataClass.ordinal} ${record}`

const keyIn = ({ key }: ClassModel, values: readonly StoredValue[]): string | number =>
  values[key.ordinal] as string | number

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

/**
 * Keeps the entities of a decision for the next one: those that it wrote as they are now.
 * `records`: the record numbers of those that it inserted, if they are known.
 */
export function keepRows(
  recent: RecentRows,
  rows: readonly WorkingRow[],
  commits: readonly WorkingCommit[],
  records: readonly number[] = [],
): void {
  const written = new Map<string, WorkingRow | null>()
  const all = commits.flatMap(({ changes }) => changes)
  // They would crowd out what single decisions use.
  const isMany = all.length > MAX_ROWS_OF_DECISION
  const read = new Set(rows)
  const isManyRead = read.size > MAX_ROWS_OF_DECISION
  let inserted = 0
  for (const change of all) {
    const { dataClass, key, after } = change
    if (change.record === null && typeof key === 'number') recent.noteNumber(dataClass, key)
    if (change.record === null ? isMany : isManyRead) continue
    const record = change.record ?? records[inserted++]
    if (record === undefined) continue
    const { stamp, timestamp } = change
    const now =
      after === null ? null : { dataClass, record, stamp, timestamp, values: after, lockedBy: null }
    if (change.record !== null) written.set(nameOf(change), now)
    else if (now !== null) recent.put(now)
  }
  if (isManyRead) return
  for (const row of read) {
    const now = written.get(nameOf(row))
    if (now === undefined) recent.put(row.lockedBy === null ? row : { ...row, lockedBy: null })
    else if (now !== null) recent.put(now)
    else recent.forget(row)
  }
}
