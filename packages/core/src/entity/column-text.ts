import type { Slots } from '../execute/time-slices.ts'
import { type Column, NULL_INT } from '../storage/column.ts'
import type { RenderedRows } from '../storage/row-cache.ts'
import type { Table } from '../storage/table.ts'
import { present } from '../value/compare.ts'
import { formatDate } from '../value/date.ts'
import { isMedia } from '../value/types.ts'
import { presentedReader } from './entity-factory.ts'

/**
 * Appends one piece to each text; `texts[i]` is that of the record `slots[i]`. A piece is written
 * for all records before the next one, so that each loop reads one kind of vector. Cached texts of
 * values include the head.
 */
export type TextAppender = (texts: string[], slots: Slots) => void

/** Matches text that needs no escape in JSON. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\ud7ff\ue000-\uffff]*$/

/** Appends a head and the text of each record. */
export function textOfEach(head: string, write: (slot: number) => string): TextAppender {
  return (texts, slots) => {
    for (let i = 0; i < slots.length; i++) texts[i] += head + write(slots[i])
  }
}

/**
 * Appends a head and the value of a column. `write` depends on the value alone, so words and days
 * are written once. Without `write` values are JSON, and images and BLOBs are their media type and
 * size.
 */
export function columnText(
  table: Table,
  ordinal: number,
  head: string,
  write?: (value: unknown) => string,
): TextAppender {
  const column = table.columns[ordinal]
  const make = write ?? valueText
  if (column.attribute.type === 'date') return dateText(table, ordinal, head, make)
  if (column.layout === 'word') {
    const written: (string | undefined)[] = []
    return (texts, slots) => {
      const { codes, dictionary } = column
      for (let i = 0; i < slots.length; i++) {
        const code = codes[slots[i]]
        texts[i] += written[code] ??= head + make(code === 0 ? null : dictionary.spellings[code])
      }
    }
  }
  if (column.layout === 'bool') {
    const written = [false, true, null].map((value) => head + make(value))
    return (texts, slots) => {
      const { data } = column
      for (let i = 0; i < slots.length; i++) texts[i] += written[data[slots[i]]]
    }
  }
  if (write === undefined && column.layout === 'text') return plainText(column.spellings, head)
  if (write === undefined && column.layout === 'number')
    return (texts, slots) => appendNumbers(texts, slots, column.data, head)
  return textOfEach(head, (slot) => make(column.read(slot)))
}

export function stampText(table: Table, head: string): TextAppender {
  return (texts, slots) => appendNumbers(texts, slots, table.stamps, head)
}

/**
 * Reads the time of the last change as ISO text. Records that were saved together share one, so the
 * last text is cached.
 */
export function timestampReader(table: Table): (slot: number) => string {
  let last = Number.NaN
  let text = ''
  return (slot) => {
    const value = table.timestamps[slot]
    if (value !== last) {
      text = formatDate(value, false)
      last = value
    }
    return text
  }
}

/** A value as users see it, in JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
  if (isMedia(value as never)) {
    const { mediaType, size } = value as { readonly mediaType: string; readonly size: number }
    return JSON.stringify({ mediaType, size })
  }
  return JSON.stringify(value) ?? 'null'
}

/** Cached texts of days. */
const MAX_DAYS = 32768

/** Days repeat, so their texts are cached. Date-times hardly repeat. */
function dateText(
  table: Table,
  ordinal: number,
  head: string,
  write: (value: unknown) => string,
): TextAppender {
  const column = table.columns[ordinal] as Extract<Column, { layout: 'number' }>
  const { dateOnly } = column.attribute
  if (!dateOnly) {
    const read = presentedReader(table, ordinal)
    return textOfEach(head, (slot) => write(read(slot)))
  }
  const written = new Map<number, string>()
  return (texts, slots) => {
    const { data } = column
    for (let i = 0; i < slots.length; i++) {
      const day = data[slots[i]]
      let text = written.get(day)
      if (text === undefined) {
        text = head + write(present('date', dateOnly, column.read(slots[i])))
        if (written.size >= MAX_DAYS) written.clear()
        written.set(day, text)
      }
      texts[i] += text
    }
  }
}

function plainText(spellings: readonly (string | null)[], head: string): TextAppender {
  const none = `${head}null`
  const open = `${head}"`
  return (texts, slots) => {
    for (let i = 0; i < slots.length; i++) {
      const value = spellings[slots[i]]
      texts[i] +=
        value === null
          ? none
          : PLAIN.test(value)
            ? `${open}${value}"`
            : head + JSON.stringify(value)
    }
  }
}

function appendNumbers(
  texts: string[],
  slots: Slots,
  data: Int32Array | Float64Array,
  head: string,
): void {
  if (data instanceof Int32Array) appendIntegers(texts, slots, data, head)
  else appendDoubles(texts, slots, data, head)
}

function appendIntegers(texts: string[], slots: Slots, data: Int32Array, head: string): void {
  for (let i = 0; i < slots.length; i++) {
    const value = data[slots[i]]
    texts[i] += value === NULL_INT ? `${head}null` : head + value
  }
}

function appendDoubles(texts: string[], slots: Slots, data: Float64Array, head: string): void {
  for (let i = 0; i < slots.length; i++) {
    const value = data[slots[i]]
    texts[i] += Number.isNaN(value) ? `${head}null` : head + value
  }
}

/** Larger reads bypass the cache: they would only evict other rows. */
const MAX_CACHED_READ = 1024

/** Writes the rows of one table in one form, and caches them. */
export class RecordTexts {
  readonly #table: Table
  readonly #pieces: readonly TextAppender[]
  readonly #end: string
  readonly #isOwn: boolean
  #cached: RenderedRows | null = null
  #isUsed = false
  #timestamp: ((slot: number) => string) | null = null

  /**
   * `isOwn`: the text of a row depends on its record alone, so it may be cached until the record is
   * written.
   */
  constructor(table: Table, pieces: readonly TextAppender[], end: string, isOwn: boolean) {
    this.#table = table
    this.#pieces = pieces
    this.#end = end
    this.#isOwn = isOwn
  }

  /** One text for each of these living records. Cost: O(values), or a look-up for a cached row. */
  of(slots: Slots): string[] {
    const cache = slots.length > MAX_CACHED_READ ? null : this.#cache()
    if (cache === null) return this.#write(slots)
    const texts: string[] = new Array(slots.length)
    const missing: number[] = []
    const places: number[] = []
    for (let i = 0; i < texts.length; i++) {
      const text = cache.find(slots[i])
      if (text === undefined) {
        missing.push(slots[i])
        places.push(i)
      } else texts[i] = text
    }
    if (missing.length === 0) return texts
    const written = this.#write(missing)
    for (let i = 0; i < written.length; i++) {
      texts[places[i]] = written[i]
      cache.offer(missing[i], written[i])
    }
    return texts
  }

  /** When a living record was last saved, as ISO text. */
  timestampOf(slot: number): string {
    this.#timestamp ??= timestampReader(this.#table)
    return this.#timestamp(slot)
  }

  /** The text of one living record. */
  one(slot: number): string {
    const cache = this.#cache()
    const known = cache?.find(slot)
    if (known !== undefined) return known
    const [text] = this.#write([slot])
    cache?.offer(slot, text)
    return text
  }

  #write(slots: Slots): string[] {
    const texts: string[] = new Array(slots.length).fill('')
    for (const append of this.#pieces) append(texts, slots)
    for (let i = 0; i < texts.length; i++) texts[i] += this.#end
    return texts
  }

  /** Null for the first read: a form that is used once needs no cache. */
  #cache(): RenderedRows | null {
    if (!this.#isOwn) return null
    if (!this.#isUsed) {
      this.#isUsed = true
      return null
    }
    const { rowCache, length } = this.#table
    this.#cached = rowCache === null ? null : rowCache.open(this.#cached, length)
    return this.#cached
  }
}
