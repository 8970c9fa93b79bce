import { formatDate } from './date.ts'

const FEWEST = 256
const MOST = 32768
/** Days whose texts are written together, a power of two. */
const NEIGHBOURS = 32
/** No day: dates reach 100 000 000 days from 1970-01-01. */
const NO_DAY = -2147483648

/**
 * Texts of calendar days, kept because days repeat: each has one place by its last bits, so that those of 89 years in a row never
 * meet. Grows while days meet, to 32 768 texts at most. Cost: two reads of an array. A day not met before is written together with
 * its neighbours, which keeps the writing rare, and out of the code that an engine makes of a reader.
 */
export class DayTexts {
  #days = new Int32Array(FEWEST).fill(NO_DAY)
  #texts: string[] = new Array(FEWEST).fill('')

  of(day: number): string {
    const place = day & (this.#days.length - 1)
    return this.#days[place] === day ? this.#texts[place] : this.#write(day)
  }

  #write(day: number): string {
    if (this.#days.length < MOST && this.#days[day & (this.#days.length - 1)] !== NO_DAY) this.#grow()
    const first = day - (day & (NEIGHBOURS - 1))
    for (let i = 0; i < NEIGHBOURS; i++) this.#put(first + i, formatDate(first + i, true))
    return this.#texts[day & (this.#days.length - 1)]
  }

  #grow(): void {
    const days = this.#days
    const texts = this.#texts
    this.#days = new Int32Array(days.length * 2).fill(NO_DAY)
    this.#texts = new Array(days.length * 2).fill('')
    for (let i = 0; i < days.length; i++) if (days[i] !== NO_DAY) this.#put(days[i], texts[i])
  }

  #put(day: number, text: string): void {
    const place = day & (this.#days.length - 1)
    this.#days[place] = day
    this.#texts[place] = text
  }
}
