import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import { joined, LineWriter } from './line-writer.ts'
import { StoreMoment } from './store-moment.ts'

/**
 * The form of a dump: lines of JSON in UTF-8, each ended by a line feed.
 *
 *     {"format":"entia","version":1,"store":…,"globalStamp":…,"classes":[…]}     the model, as far as values depend on it
 *     {"dataClass":…,"sequence":…,"count":…}                                     per dataclass, in catalog order
 *     [recordNumber,stamp,timestamp,value,…]                                     per entity, in record order
 *     {"checksum":…}                                                             CRC-32 of everything before this line
 */
export const DUMP_FORMAT = 'entia'
export const DUMP_VERSION = 1

/**
 * The canonical bytes of a store. Equal states give equal bytes: indexes, dictionaries and the
 * order of earlier writes do not matter. Cost: O(data).
 */
export function dumpStore(
  catalog: Catalog,
  tables: readonly Table[],
  globalStamp: number,
): Uint8Array {
  return joined([...dumpPieces(catalog, new StoreMoment(tables, globalStamp))])
}

/**
 * The same in pieces of about `pieceLength` characters. Commits may happen between two pieces if
 * `moment` notes them.
 */
export function* dumpPieces(
  catalog: Catalog,
  moment: StoreMoment,
  pieceLength?: number,
): Generator<Uint8Array, void> {
  const writer = new LineWriter(pieceLength)
  yield* writer.line({
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    store: catalog.name,
    globalStamp: moment.globalStamp,
    classes: catalog.classes.map(describeClass),
  })
  for (const one of moment.tables) {
    yield* writer.line({
      dataClass: one.table.model.name,
      sequence: one.sequence,
      count: one.count,
    })
    for (const { slot, stamp, timestamp, values } of one.records())
      yield* writer.record([slot, stamp, timestamp], values, true)
  }
  yield* writer.rest()
  yield* writer.line({ checksum: writer.checksum })
  yield* writer.rest()
}

/** A dataclass in the heading of a dump, with its columns in order. */
export interface DumpedClass {
  readonly name: string
  readonly columns: readonly DumpedColumn[]
}
export interface DumpedColumn {
  readonly name: string
  readonly type: string
  readonly key?: boolean
  readonly dateOnly?: boolean
  /** The target dataclass of a relation. */
  readonly relatedTo?: string
}

/**
 * The part of the model that stored values depend on. A dump opens only if it is the same; rules
 * and indexes may differ.
 */
export function describeClass(model: ClassModel): DumpedClass {
  return {
    name: model.name,
    columns: model.storage.map((attribute) => ({
      name: attribute.name,
      type: attribute.type,
      ...(attribute.key ? { key: true } : {}),
      ...(attribute.dateOnly ? { dateOnly: true } : {}),
      ...(attribute.relation === null ? {} : { relatedTo: attribute.relation.target.name }),
    })),
  }
}
