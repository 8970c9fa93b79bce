import { formatDay } from './date.ts'

const FEWEST = 256
const MOST = 32768
/** Times as many places, when there are to be more. */
const GROWTH = 8
/** No day: dates reach 100 000 000 days from 1970-01-01. */
const NO_DAY = -2147483648

/**
 * Texts of calendar days, kept because days repeat: each has one place by its last bits, so that those of 89 years in a row never
 * meet. Grows while days meet, to 32 768 texts at most. Cost: two reads of an array.
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
    const place = day & (this.#days.length - 1)
    this.#days[place] = day
    return (this.#texts[place] = formatDay(day))
  }

  /** What is there is forgotten: it is written again sooner than moved, for few days are there when two first meet. */
  #grow(): void {
    const length = Math.min(MOST, this.#days.length * GROWTH)
    this.#days = new Int32Array(length).fill(NO_DAY)
    this.#texts = new Array(length).fill('')
  }
}
