import type { Slots } from '../execute/time-slices.ts'
import type { RenderedRows } from '../storage/row-cache.ts'
import type { Table } from '../storage/table.ts'
import { type TextAppender, timestampReader } from './column-text.ts'

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
