import { EntiaError } from '../errors.ts'
import type { FilterLimits } from '../filter/limits.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Clock } from '../ports.ts'
import { Reader } from '../read/reader.ts'
import type { Pins } from '../storage/pins.ts'
import type { Writer } from '../write/writer.ts'
import { PastSide } from './past-side.ts'
import { PastTable } from './past-table.ts'

/** The store of which it is the past. */
export interface PastPort {
  readonly writer: Writer
  readonly pins: Pins
  readonly catalog: Catalog
  readonly clock: Clock
  readonly limits: FilterLimits
}

/**
 * A store as it was at an older global stamp; see `PastStore` of the public types. Reading is what it is in the present: one `Reader`,
 * over tables that are copied and taken back in time when they are first read.
 */
export class PastStore {
  readonly globalStamp: number
  readonly #side: PastSide
  readonly #tables = new Map<string, PastTable>()

  /** `globalStamp` must be one that there was. Throws `historyTrimmed`. */
  constructor(globalStamp: number, { writer, pins, catalog, clock, limits }: PastPort) {
    writer.history.mustReach(globalStamp)
    this.globalStamp = globalStamp
    const side = new PastSide(writer, pins, catalog, globalStamp)
    this.#side = side
    const tables = this.#tables
    const reader = new Reader(
      side,
      {
        publicTable: ({ name }) => tables.get(name) as PastTable,
        live: () => {
          throw side.readOnly('live')
        },
        call: () => {
          throw side.readOnly('call')
        },
      },
      clock,
      limits,
    )
    for (const model of catalog.classes) {
      const table = new PastTable(model, reader, side)
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
