/**
 * Places of one form. Where there are more records they share places, and the last one read has it.
 */
const MAX_PLACES = 16384
/** Longer texts are not cached. */
const MAX_TEXT_LENGTH = 4096
/** Forms of one dataclass with cached texts. The next one replaces the oldest. */
const MAX_FORMS = 4

/**
 * The rendered-row cache of one dataclass: texts of records, by form, for repeated reads. Joining
 * cached texts costs a tenth of writing them. It is exact, since every write drops the texts of its
 * record (`forget`), and bounded: it is emptied when it has more than `maxCharacters`.
 */
export class RowCache {
  /** From the store's option `keptTexts`; 0 caches nothing. */
  maxCharacters: number
  #forms: RenderedRows[] = []
  #characters = 0

  constructor(maxCharacters: number) {
    this.maxCharacters = maxCharacters
  }

  /** Characters in the cache. */
  get characters(): number {
    return this.#characters
  }

  /**
   * The cached texts of a form, for about so many records: `form` itself while it has room. Null
   * where nothing is cached.
   */
  open(form: RenderedRows | null, records: number): RenderedRows | null {
    if (form?.isRoomFor(records)) return form
    if (this.maxCharacters === 0) return null
    const replaced = form !== null && this.#forms.includes(form) ? form : this.#forms[MAX_FORMS - 1]
    replaced?.close()
    const opened = new RenderedRows(records, (characters) => this.#count(characters))
    this.#forms = [opened, ...this.#forms.filter((other) => other !== replaced)]
    return opened
  }

  /** Drops the texts of a record. Every write calls it, before or after. Cost O(forms). */
  forget(slot: number): void {
    for (let i = 0; i < this.#forms.length; i++) this.#forms[i].forget(slot)
  }
  forgetAll(): void {
    for (const form of this.#forms) form.clear()
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters > this.maxCharacters) this.forgetAll()
  }
}

/**
 * The cached texts of one form. A text is cached at its second read, so that one pass over all
 * records caches nothing.
 */
export class RenderedRows {
  readonly #mask: number
  /** The record read last, by place; -1 for none. */
  readonly #slots: Int32Array
  readonly #texts: (string | undefined)[]
  readonly #count: (characters: number) => void
  #isOpen = true

  constructor(records: number, count: (characters: number) => void) {
    let places = 64
    while (places < records && places < MAX_PLACES) places *= 2
    this.#mask = places - 1
    this.#slots = new Int32Array(places).fill(-1)
    this.#texts = new Array(places).fill(undefined)
    this.#count = count
  }

  /**
   * False once another form has replaced it, since writes no longer reach it, and where there are
   * many more records now.
   */
  isRoomFor(records: number): boolean {
    return this.#isOpen && (records <= this.#slots.length * 4 || this.#slots.length === MAX_PLACES)
  }

  find(slot: number): string | undefined {
    const at = slot & this.#mask
    return this.#slots[at] === slot ? this.#texts[at] : undefined
  }

  /** Takes the text of a record as just written. */
  offer(slot: number, text: string): void {
    const at = slot & this.#mask
    if (this.#slots[at] !== slot) {
      this.#drop(at)
      this.#slots[at] = slot
      return
    }
    // Reading a character flattens a concatenated text in memory. Otherwise each reader would have
    // to.
    if (text.length > MAX_TEXT_LENGTH || Number.isNaN(text.charCodeAt(0))) return
    this.#drop(at)
    this.#texts[at] = text
    this.#count(text.length)
  }

  forget(slot: number): void {
    const at = slot & this.#mask
    if (this.#slots[at] === slot) this.#drop(at)
  }
  clear(): void {
    for (let at = 0; at < this.#texts.length; at++) this.#drop(at)
  }
  close(): void {
    this.#isOpen = false
    this.clear()
  }

  #drop(at: number): void {
    const text = this.#texts[at]
    if (text === undefined) return
    this.#texts[at] = undefined
    this.#count(-text.length)
  }
}
