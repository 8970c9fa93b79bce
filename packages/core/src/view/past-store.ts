import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'
import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import { unknownDataClass } from '../model/path.ts'
import type { DataClassCore } from '../model/table-types.ts'
import type { PastMembers, PastReader } from '../model/view-types.ts'
import { TableQueries } from '../query/queries.ts'
import { Reader, type TableSource } from '../query/reader.ts'
import { Watch } from '../query/watch.ts'
import type { PastRecord } from '../storage/history.ts'
import { fillAsOf, type Pin, type Pins } from '../storage/past-table.ts'
import { storedKey } from '../storage/stored-key.ts'
import { layoutsOf, Table } from '../storage/table.ts'
import { StoreState } from '../write/write-plan.ts'
import type { Writer } from '../write/writer.ts'
import type { ReadStore } from './view-port.ts'

/** Errors of the store as it was at an older global stamp. */
export const PAST_ERRORS: ErrorTexts<'pastReadOnly'> = {
  pastReadOnly: {
    errCode: 9061,
    message: (d) =>
      `"${d.operation}" is not possible on the store as it was at global stamp ${d.globalStamp}, which can only be read.`,
  },
}

export const pastError: ErrorFactory<keyof typeof PAST_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, PAST_ERRORS[code])

/**
 * The tables of a store at an older global stamp. Each is copied from the store and taken back in
 * time when it is first read; until then it needs the history, which is pinned here. After that it
 * never changes. Everything that reads this past holds this object.
 */
class PastTables implements TableSource {
  /** Those that were read. */
  readonly tables: Table[] = []
  readonly asOf: number
  readonly globalStamp: number
  /** No record of the copies was born later. */
  readonly allocationClock: number
  readonly isProvisional = false
  readonly #writer: Writer
  /** By the number of their dataclass. */
  readonly #read: (Table | undefined)[]
  readonly #pin: Pin
  readonly #state: StoreState
  /** Called with each table, before it is read. */
  onTable: (table: Table) => void = () => {}

  /** The history must reach back to `globalStamp`. */
  constructor(writer: Writer, pins: Pins, catalog: Catalog, globalStamp: number) {
    this.#writer = writer
    this.#read = new Array(writer.tables.length)
    this.asOf = globalStamp
    this.globalStamp = globalStamp
    this.allocationClock = writer.allocationClock
    this.#state = new StoreState(`${catalog.name} at global stamp ${globalStamp}`)
    this.#pin = pins.set(globalStamp, this)
  }

  readonly tableOf = ({ ordinal }: ClassModel): Table => this.#read[ordinal] ?? this.#fill(ordinal)

  #fill(ordinal: number): Table {
    this.enter()
    const { history, current, tables } = this.#writer
    const live = tables[ordinal]
    const table = new Table(live.model, live.indexFactory)
    fillAsOf(table, live, history.pastOf(live, this.globalStamp, current?.recorder.changes))
    this.#read[ordinal] = table
    this.tables.push(table)
    this.onTable(table)
    // The history is needed only for tables that are not copied yet.
    if (this.tables.length === tables.length) this.#pin.release()
    return table
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

/**
 * One dataclass of a store as it was. Writes, and calls of the application's functions, throw
 * `pastReadOnly`.
 */
class PastDataClass extends TableQueries implements DataClassCore<Untyped, Untyped, Untyped> {
  readonly #reader: Reader
  readonly #past: PastTables

  constructor(model: ClassModel, reader: Reader, past: PastTables) {
    super(model, reader.queries)
    this.#reader = reader
    this.#past = past
  }

  get count(): number {
    this.#past.enter()
    return this.#past.tableOf(this.model).liveCount
  }
  get(key: unknown): AnyEntity | undefined {
    this.#past.enter()
    const stored = storedKey(this.model, key)
    return stored === null ? undefined : this.#reader.get(this.model, stored)
  }
  has(key: unknown): boolean {
    this.#past.enter()
    const stored = storedKey(this.model, key)
    return stored !== null && this.#past.tableOf(this.model).findKey(stored) >= 0
  }

  insert(): never {
    throw this.#readOnly('insert')
  }
  update(): never {
    throw this.#readOnly('update')
  }
  updateAll(): never {
    throw this.#readOnly('updateAll')
  }
  remove(): never {
    throw this.#readOnly('remove')
  }
  preview(): never {
    throw this.#readOnly('preview')
  }
  load(): never {
    throw this.#readOnly('load')
  }
  createIndex(): never {
    throw this.#readOnly('createIndex')
  }
  dropIndex(): never {
    throw this.#readOnly('dropIndex')
  }
  call(): never {
    throw this.#readOnly('call')
  }
  callOn(): never {
    throw this.#readOnly('callOn')
  }

  /** The text that Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `${this.name} at global stamp ${this.#past.globalStamp} (${this.count})`
  }

  #readOnly(operation: string): EntiaError {
    return this.#past.readOnly(operation)
  }
}

/** Capabilities have added the members for reading to its class. */
type PastDataClassReader = PastDataClass & PastReader<Untyped, string>

/**
 * A store as it was at an older global stamp. It reads as a store does, with a `Reader`, whose
 * tables are copied and taken back in time when they are first read.
 */
export class PastStore implements PastMembers<Untyped> {
  readonly globalStamp: number
  readonly #past: PastTables
  readonly #dataClasses = new Map<string, PastDataClassReader>()

  /** `globalStamp` must be one that there was. Throws `historyTrimmed`. */
  constructor(
    globalStamp: number,
    { writer, reader: present, catalog, composition }: ReadStore & { readonly writer: Writer },
    pins: Pins,
  ) {
    writer.history.mustReach(globalStamp)
    this.globalStamp = globalStamp
    const tables = new PastTables(writer, pins, catalog, globalStamp)
    this.#past = tables
    const dataClasses = this.#dataClasses
    const { clock } = present.options
    const reader = new Reader(tables, {
      ...present.options,
      watch: new Watch(clock),
      publicTable: ({ name }) => dataClasses.get(name) as PastDataClassReader,
    })
    tables.onTable = (table) => reader.addTable(table)
    const TableClass = composition.tableClass(PastDataClass)
    for (const model of catalog.classes) {
      const dataClass = new TableClass(model, reader, tables) as PastDataClassReader
      dataClasses.set(model.name, dataClass)
      Object.defineProperty(this, model.name, { value: dataClass, enumerable: true })
    }
  }

  /** Throws `dataClassNotFound`. */
  dataClass(name: string): PastDataClassReader {
    const dataClass = this.#dataClasses.get(name)
    if (dataClass === undefined) throw unknownDataClass(name, this.#dataClasses.keys())
    return dataClass
  }

  transact(): never {
    throw this.#past.readOnly('transact')
  }
  restore(): never {
    throw this.#past.readOnly('restore')
  }

  dispose(): void {
    this.#past.dispose()
  }
  [Symbol.dispose](): void {
    this.dispose()
  }
}
