import { hasBit } from '../../storage/bitset.ts'
import type { Change, ChangeList } from '../../storage/change-list.ts'
import type { Table } from '../../storage/table.ts'
import type { StoredValue } from '../../value/types.ts'

interface Busy {
  readonly done: Promise<void>
  /** The latest write; the promise settles as that write does. */
  next: { readonly done: Promise<void>; write: () => Promise<void> } | null
}

/**
 * Runs whole-state writes one at a time for each place. Of those that wait only the latest runs,
 * and all of them settle as it does.
 */
export class LatestWrites {
  readonly #busy = new Map<string, Busy>()

  /**
   * Runs `write` after the current write to that place. Settles with it, or with the later one that
   * replaced it.
   */
  run(place: string, write: () => Promise<void>): Promise<void> {
    const busy = this.#busy.get(place)
    if (busy === undefined) return this.#begin(place, write)
    const done =
      busy.next?.done ??
      busy.done.catch(() => undefined).then(() => this.#begin(place, busy.next!.write))
    busy.next = { done, write }
    return done
  }

  #begin(place: string, write: () => Promise<void>): Promise<void> {
    const done = write().finally(() => {
      if (busy.next === null) this.#busy.delete(place)
    })
    const busy: Busy = { done, next: null }
    this.#busy.set(place, busy)
    return done
  }
}

/**
 * The data of a store at the time of creation. It is read once, in record order and in any number
 * of steps, while commits go on. `note` must get each of these commits. Creation costs one bit per
 * record; values that a commit overwrites are kept until their record is read.
 */
export class StoreMoment {
  readonly globalStamp: number
  readonly tables: readonly TableMoment[]
  readonly #byTable: ReadonlyMap<Table, TableMoment>

  constructor(tables: readonly Table[], globalStamp: number) {
    this.globalStamp = globalStamp
    this.tables = tables.map((table) => new TableMoment(table))
    this.#byTable = new Map(this.tables.map((moment) => [moment.table, moment]))
  }

  note({ changes }: ChangeList): void {
    for (const change of changes) this.#byTable.get(change.table)?.note(change)
  }
}

/** A record as it was. */
export interface RecordMoment {
  readonly slot: number
  readonly stamp: number
  readonly timestamp: number
  readonly values: readonly StoredValue[]
}

/** The values of a record that commits have overwritten. */
interface Overwritten {
  readonly stamp: number
  readonly timestamp: number
  readonly values: Map<number, StoredValue>
}

export class TableMoment {
  readonly table: Table
  readonly sequence: number
  readonly count: number
  readonly #live: Int32Array
  readonly #length: number
  readonly #overwritten = new Map<number, Overwritten>()
  /** Records with lower numbers have been read. */
  #next = 0

  constructor(table: Table) {
    this.table = table
    this.sequence = table.sequence
    this.count = table.liveCount
    this.#live = table.live.slice()
    this.#length = table.length
  }

  /** Every record that was live. It can be iterated once. */
  *records(): Generator<RecordMoment, void> {
    const { table } = this
    for (let slot = 0; slot < this.#length; slot++) {
      this.#next = slot + 1
      if (!hasBit(this.#live, slot)) continue
      const before = this.#overwritten.get(slot)
      this.#overwritten.delete(slot)
      yield {
        slot,
        stamp: before?.stamp ?? table.stamps[slot],
        timestamp: before?.timestamp ?? table.timestamps[slot],
        values: before === undefined ? table.readAll(slot) : this.#valuesBefore(slot, before),
      }
    }
  }

  /** Keeps the values that a change has overwritten, unless the record has been read. */
  note(change: Change): void {
    // An inserted record was not live. The record that had its slot before is kept by its removal.
    if (change.kind === 'insert' || change.kind === 'load') return
    const { slot, stamp, timestamp, before } = change
    if (slot < this.#next || slot >= this.#length || !hasBit(this.#live, slot)) return
    let kept = this.#overwritten.get(slot)
    if (kept === undefined)
      this.#overwritten.set(slot, (kept = { stamp, timestamp, values: new Map() }))
    for (let i = 0; i < before.length; i++) {
      const ordinal = change.kind === 'update' ? change.ordinals[i] : i
      // The first change of a value holds the value at the time of creation.
      if (!kept.values.has(ordinal)) kept.values.set(ordinal, before[i])
    }
  }

  #valuesBefore(slot: number, { values }: Overwritten): readonly StoredValue[] {
    return this.table.columns.map((column, ordinal) => {
      const value = values.get(ordinal)
      return value === undefined ? column.read(slot) : value
    })
  }
}
