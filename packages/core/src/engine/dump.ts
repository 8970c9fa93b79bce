import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import { checksum } from './checksum.ts'
import { encodeValue } from './dump-value.ts'
import { LineWriter } from './line-writer.ts'

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
  const writer = new LineWriter()
  writer.add({
    format: DUMP_FORMAT,
    version: DUMP_VERSION,
    store: catalog.name,
    globalStamp,
    classes: catalog.classes.map(describeClass),
  })
  for (const table of tables) {
    writer.add({ dataClass: table.model.name, sequence: table.sequence, count: table.liveCount })
    for (const slot of table.liveSlots()) {
      const line: unknown[] = [slot, table.stamps[slot], table.timestamps[slot]]
      for (const column of table.columns) line.push(encodeValue(column.read(slot)))
      writer.add(line)
    }
  }
  writer.add({ checksum: checksum(writer.bytes()) })
  return writer.bytes()
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
