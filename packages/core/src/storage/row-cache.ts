/** Places of one form: records beyond them share one with others, and the last that was asked for has it. */
const PLACES = 16384
/** Longer texts are rather written again. */
const MAX_LENGTH = 4096
/** Forms of one dataclass that texts are kept of; the next one takes the place of the oldest. */
const MAX_FORMS = 4

/**
 * What was written of the records of one dataclass, by form, for whoever asks for the same records again: to join texts that are
 * there costs a tenth of writing them. Exact, since every write forgets what was kept of its record (`forget`), and bounded: when
 * there are more than `maxCharacters`, all are given up.
 */
export class RowCache {
  /** As the store's options have it; 0 keeps nothing. */
  maxCharacters = 0
  #forms: RenderedRows[] = []
  #characters = 0

  /** Characters kept at this moment. */
  get characters(): number {
    return this.#characters
  }

  /** A place for the texts of a form, of about so many records; the one it had as long as that will do. Null where none are kept. */
  open(form: RenderedRows | null, records: number): RenderedRows | null {
    if (form?.isRoomFor(records)) return form
    if (this.maxCharacters === 0) return null
    const replaced = form !== null && this.#forms.includes(form) ? form : this.#forms[MAX_FORMS - 1]
    replaced?.close()
    const opened = new RenderedRows(records, (characters) => this.#count(characters))
    this.#forms = [opened, ...this.#forms.filter((other) => other !== replaced)]
    return opened
  }

  /** Forgets what was written of a record. Called by every write, before or after it. Cost: O(forms), nothing where there are none. */
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

/** The texts of one form. A text is kept when it is asked for a second time: one pass over everything keeps nothing. */
export class RenderedRows {
  readonly #mask: number
  /** The record that was asked for last, by place; -1 for none. */
  readonly #slots: Int32Array
  readonly #texts: (string | undefined)[]
  readonly #count: (characters: number) => void
  #isOpen = true

  constructor(records: number, count: (characters: number) => void) {
    let places = 64
    while (places < records && places < PLACES) places *= 2
    this.#mask = places - 1
    this.#slots = new Int32Array(places).fill(-1)
    this.#texts = new Array(places).fill(undefined)
    this.#count = count
  }

  /** False once another form has taken its place, for nobody tells it of writes any more, and when there are many more records now. */
  isRoomFor(records: number): boolean {
    return this.#isOpen && (records <= this.#slots.length * 4 || this.#slots.length === PLACES)
  }

  find(slot: number): string | undefined {
    const at = slot & this.#mask
    return this.#slots[at] === slot ? this.#texts[at] : undefined
  }

  /** What was written of a record just now. */
  offer(slot: number, text: string): void {
    const at = slot & this.#mask
    if (this.#slots[at] !== slot) {
      this.#drop(at)
      this.#slots[at] = slot
      return
    }
    // To look at a character makes one piece of memory of a text that was put together: else each reader would have to.
    if (text.length > MAX_LENGTH || Number.isNaN(text.charCodeAt(0))) return
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
