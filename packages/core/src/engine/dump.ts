import type { Catalog, ClassModel } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import { isMedia } from '../value/media.ts'
import type { StoredValue } from '../value/types.ts'
import { checksum } from './checksum.ts'

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

/** Characters that are encoded at once. */
const CHUNK = 262_144

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
      for (const column of table.columns) line.push(encode(column.read(slot)))
      writer.add(line)
    }
  }
  writer.add({ checksum: checksum(writer.bytes()) })
  return writer.bytes()
}

/** What stored values mean: a dump opens only where this is the same. Rules and indexes may change. */
export function describeClass(model: ClassModel): object {
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

/** Media as media type and bytes; all else is JSON already. */
function encode(value: StoredValue): unknown {
  return isMedia(value) ? [value.mediaType, toBase64(value.bytes())] : value
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += 8192) {
    binary += String.fromCharCode(...bytes.subarray(from, from + 8192))
  }
  return btoa(binary)
}

class LineWriter {
  readonly #encoder = new TextEncoder()
  readonly #chunks: Uint8Array[] = []
  #text = ''

  add(line: unknown): void {
    this.#text += `${JSON.stringify(line)}\n`
    if (this.#text.length >= CHUNK) this.#flush()
  }

  /** Everything so far. */
  bytes(): Uint8Array {
    this.#flush()
    const all = new Uint8Array(this.#chunks.reduce((length, chunk) => length + chunk.length, 0))
    let at = 0
    for (const chunk of this.#chunks) {
      all.set(chunk, at)
      at += chunk.length
    }
    return all
  }

  #flush(): void {
    if (this.#text === '') return
    this.#chunks.push(this.#encoder.encode(this.#text))
    this.#text = ''
  }
}
