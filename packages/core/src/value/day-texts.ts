import { formatDay } from './date.ts'

const FEWEST = 256
const MOST = 32768
/** Of the places, when they become more: few steps, for the first readers of a process pay for them. */
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

  #grow(): void {
    const days = this.#days
    const texts = this.#texts
    const length = Math.min(MOST, days.length * GROWTH)
    const moreDays = new Int32Array(length).fill(NO_DAY)
    const moreTexts: string[] = new Array(length).fill('')
    for (let i = 0; i < days.length; i++) {
      const day = days[i]
      if (day === NO_DAY) continue
      moreDays[day & (length - 1)] = day
      moreTexts[day & (length - 1)] = texts[i]
    }
    this.#days = moreDays
    this.#texts = moreTexts
  }
}
