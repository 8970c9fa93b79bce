import type { EntiaError } from '../errors.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { TableSource } from '../read/reader.ts'
import type { PastRecord } from '../storage/history.ts'
import { layoutsOf } from '../storage/layouts.ts'
import { fillAsOf } from '../storage/past-table.ts'
import type { Pin, Pins } from '../storage/pins.ts'
import { Table } from '../storage/table.ts'
import { StoreState } from '../write/store-state.ts'
import type { Writer } from '../write/writer.ts'
import { pastError } from './past-errors.ts'

/**
 * The tables of a store at an older global stamp. Each is copied from the store and taken back in
 * time when it is first read; until then it needs the history, which is pinned here. After that it
 * never changes. Everything that reads this past holds this object.
 */
export class PastTables implements TableSource {
  readonly tables: readonly Table[]
  readonly asOf: number
  readonly globalStamp: number
  /** No record of the copies was born later. */
  readonly allocationClock: number
  readonly isProvisional = false
  readonly #writer: Writer
  readonly #unread: Set<Table>
  readonly #pin: Pin
  readonly #state: StoreState

  /** The history must reach back to `globalStamp`. */
  constructor(writer: Writer, pins: Pins, catalog: Catalog, globalStamp: number) {
    this.#writer = writer
    this.tables = writer.tables.map(({ model, indexFactory }) => new Table(model, indexFactory))
    this.#unread = new Set(this.tables)
    this.asOf = globalStamp
    this.globalStamp = globalStamp
    this.allocationClock = writer.allocationClock
    this.#state = new StoreState(`${catalog.name} at global stamp ${globalStamp}`)
    this.#pin = pins.set(globalStamp, this)
  }

  readonly tableOf = ({ ordinal }: ClassModel): Table => {
    const table = this.tables[ordinal]
    if (this.#unread.has(table)) this.#fill(table, this.#writer.tables[ordinal])
    return table
  }

  #fill(table: Table, live: Table): void {
    this.enter()
    const { history, current } = this.#writer
    fillAsOf(table, live, history.pastOf(live, this.globalStamp, current?.applied.changes))
    this.#unread.delete(table)
    // The history is needed only for tables that are not copied yet.
    if (this.#unread.size === 0) this.#pin.release()
  }

  enter(): void {
    this.#writer.guard()
    this.#state.guard()
  }
  isOpen(): boolean {
    this.enter()
    return false
  }
  get layouts(): number {
    return layoutsOf(this.tables)
  }
  pastOf(): ReadonlyMap<number, PastRecord> {
    return NOTHING_CHANGED
  }
  changedSlots(): readonly number[] {
    return []
  }
  locate(table: Table, key: string | number): number {
    return table.findKey(key)
  }
  staged(): null {
    return null
  }
  removeAll(): number {
    throw this.readOnly('remove')
  }

  readOnly(operation: string): EntiaError {
    return pastError('pastReadOnly', { operation, globalStamp: this.globalStamp })
  }
  dispose(): void {
    this.#state.close()
    this.#pin.release()
  }
}

const NOTHING_CHANGED: ReadonlyMap<number, PastRecord> = new Map()
