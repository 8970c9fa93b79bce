import { EntiaError } from '../errors.ts'
import type { StoreHandle } from '../kernel/handle.ts'
import type { Untyped } from '../model/definition.ts'
import type { PastMembers, PastReader } from '../model/past-types.ts'
import { Reader } from '../read/reader.ts'
import { Watch } from '../read/watch.ts'
import type { Pins } from '../storage/pins.ts'
import { PastDataClass } from './past-data-class.ts'
import { PastTables } from './past-tables.ts'

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
    { writer, reader: present, catalog, composition }: StoreHandle,
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
    if (dataClass === undefined)
      throw new EntiaError('dataClassNotFound', { dataClass: String(name) })
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
