import type { Slots } from '../execute/turns.ts'
import type { FormTexts } from '../storage/kept-texts.ts'
import type { Table } from '../storage/table.ts'
import { type TextAppender, timestampReader } from './column-text.ts'

/** More records at once are written as they are: they would only push out what is kept. */
const MAX_KEPT_AT_ONCE = 1024

/** Writes the records of one table in one form. */
export class RecordTexts {
  readonly #table: Table
  readonly #pieces: readonly TextAppender[]
  readonly #end: string
  readonly #isOwn: boolean
  #kept: FormTexts | null = null
  #isUsed = false
  #timestamp: ((slot: number) => string) | null = null

  /** `isOwn`: the text of a record depends on nothing but that record, and so may be kept until it is written. */
  constructor(table: Table, pieces: readonly TextAppender[], end: string, isOwn: boolean) {
    this.#table = table
    this.#pieces = pieces
    this.#end = end
    this.#isOwn = isOwn
  }

  /** One text for each of these living records. Cost: O(values), or a look-up for what is kept. */
  of(slots: Slots): string[] {
    const kept = slots.length > MAX_KEPT_AT_ONCE ? null : this.#keeper()
    if (kept === null) return this.#write(slots)
    const texts: string[] = new Array(slots.length)
    const missing: number[] = []
    const places: number[] = []
    for (let i = 0; i < texts.length; i++) {
      const text = kept.find(slots[i])
      if (text === undefined) {
        missing.push(slots[i])
        places.push(i)
      } else texts[i] = text
    }
    if (missing.length === 0) return texts
    const written = this.#write(missing)
    for (let i = 0; i < written.length; i++) {
      texts[places[i]] = written[i]
      kept.offer(missing[i], written[i])
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
    const kept = this.#keeper()
    const known = kept?.find(slot)
    if (known !== undefined) return known
    const [text] = this.#write([slot])
    kept?.offer(slot, text)
    return text
  }

  #write(slots: Slots): string[] {
    const texts: string[] = new Array(slots.length).fill('')
    for (const append of this.#pieces) append(texts, slots)
    for (let i = 0; i < texts.length; i++) texts[i] += this.#end
    return texts
  }

  /** Nothing is kept of a form that is used only once. */
  #keeper(): FormTexts | null {
    if (!this.#isOwn) return null
    if (!this.#isUsed) {
      this.#isUsed = true
      return null
    }
    this.#kept = this.#table.keptTexts.open(this.#kept, this.#table.length)
    return this.#kept
  }
}
