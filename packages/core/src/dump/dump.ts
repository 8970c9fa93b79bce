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
 * The canonical bytes of a store: equal states give equal bytes, whatever indexes and dictionaries there are and in
 * whatever way the states were reached. Cost O(data).
 */
export function dumpStore(catalog: Catalog, tables: readonly Table[], globalStamp: number): Uint8Array {
  return joined([...dumpPieces(catalog, new StoreMoment(tables, globalStamp))])
}

/** The same, in pieces of some `pieceLength` characters. Between two of them commits may be made, of which the moment is told. */
export function* dumpPieces(catalog: Catalog, moment: StoreMoment, pieceLength?: number): Generator<Uint8Array, void> {
  const writer = new LineWriter(pieceLength)
  yield* writer.line({
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    store: catalog.name,
    globalStamp: moment.globalStamp,
    classes: catalog.classes.map(describeClass),
  })
  for (const one of moment.tables) {
    yield* writer.line({ dataClass: one.table.model.name, sequence: one.sequence, count: one.count })
    for (const { slot, stamp, timestamp, values } of one.records())
      yield* writer.record([slot, stamp, timestamp], values, true)
  }
  yield* writer.rest()
  yield* writer.line({ checksum: writer.checksum })
  yield* writer.rest()
}

/** A dataclass as a dump has it, columns in their order. */
export interface DumpedClass {
  readonly name: string
  readonly columns: readonly DumpedColumn[]
}
export interface DumpedColumn {
  readonly name: string
  readonly type: string
  readonly key?: boolean
  readonly dateOnly?: boolean
  /** The dataclass that a relation leads to. */
  readonly relatedTo?: string
}

/** What stored values mean: a dump opens only where this is the same. Rules and indexes may change. */
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
