import { EntiaError } from '../errors.ts'
import type { StoreHandle } from '../kernel/handle.ts'
import { Reader } from '../read/reader.ts'
import { Watch } from '../read/watch.ts'
import type { Pins } from '../storage/pins.ts'
import { PastSide } from './past-side.ts'
import { PastTable } from './past-table.ts'

/**
 * A store as it was at an older global stamp; see `PastStore` of the public types. Reading is what it is in the present: one `Reader`,
 * over tables that are copied and taken back in time when they are first read.
 */
export class PastStore {
  readonly globalStamp: number
  readonly #side: PastSide
  readonly #tables = new Map<string, PastTable>()

  /** `globalStamp` must be one that there was. Throws `historyTrimmed`. */
  constructor(globalStamp: number, { writer, reader: present, catalog, composition }: StoreHandle, pins: Pins) {
    writer.history.mustReach(globalStamp)
    this.globalStamp = globalStamp
    const side = new PastSide(writer, pins, catalog, globalStamp)
    this.#side = side
    const tables = this.#tables
    const { clock } = present.options
    const reader = new Reader(side, {
      ...present.options,
      watch: new Watch(clock),
      publicTable: ({ name }) => tables.get(name) as PastTable,
    })
    const TableClass = composition.tableClass(PastTable)
    for (const model of catalog.classes) {
      const table = new TableClass(model, reader, side)
      tables.set(model.name, table)
      Object.defineProperty(this, model.name, { value: table, enumerable: true })
    }
  }

  /** Throws `dataClassNotFound`. */
  dataClass(name: string): PastTable {
    const table = this.#tables.get(name)
    if (table === undefined) throw new EntiaError('dataClassNotFound', { dataClass: String(name) })
    return table
  }

  transact(): never {
    throw this.#side.readOnly('transact')
  }
  restore(): never {
    throw this.#side.readOnly('restore')
  }

  dispose(): void {
    this.#side.dispose()
  }
  [Symbol.dispose](): void {
    this.dispose()
  }
}
