import { formatDay } from './date.ts'

const FEWEST = 256
const MAX_TEXTS = 32768
/** The factor by which the number of places grows. */
const GROWTH = 8
/** Marks an empty place. Dates reach 100 000 000 days from 1970-01-01, so this is not a day. */
const NO_DAY = -2147483648

/**
 * A cache of the texts of calendar days. The last bits of a day are its place, so days of 89
 * consecutive years have different places. The cache grows while two days share a place, to 32 768
 * texts at most. Cost: two reads of an array.
 */
export class DayTexts {
  #days = new Int32Array(FEWEST).fill(NO_DAY)
  #texts: string[] = new Array(FEWEST).fill('')

  of(day: number): string {
    const place = day & (this.#days.length - 1)
    return this.#days[place] === day ? this.#texts[place] : this.#write(day)
  }

  #write(day: number): string {
    if (this.#days.length < MAX_TEXTS && this.#days[day & (this.#days.length - 1)] !== NO_DAY)
      this.#grow()
    const place = day & (this.#days.length - 1)
    this.#days[place] = day
    return (this.#texts[place] = formatDay(day))
  }

  /**
   * Drops all texts: the cache holds few when two days first share a place, and writing them again
   * is faster than moving them.
   */
  #grow(): void {
    const length = Math.min(MAX_TEXTS, this.#days.length * GROWTH)
    this.#days = new Int32Array(length).fill(NO_DAY)
    this.#texts = new Array(length).fill('')
  }
}
