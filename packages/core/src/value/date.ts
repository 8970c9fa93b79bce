/** Milliseconds of one day. Stored dates have no leap seconds. */
const DAY = 86_400_000
/** The furthest day from 1970-01-01 that ECMAScript dates reach, both ways. */
const LAST_DAY = 100_000_000

const ISO =
  /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d\d:?\d\d)?)?$/
const BANGS = /^!!(\d{4})-(\d\d)-(\d\d)!!$/
const DAY_MONTH_YEAR = /^(\d{1,2})!(\d{1,2})!(\d{4})$/

/** Two-digit texts, so that formatting a date allocates little more than its result. */
const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, n) =>
  n < 10 ? `0${n}` : `${n}`,
)

/**
 * Reads a date text: `YYYY-MM-DD`, an ISO 8601 date-time (without a zone: UTC), `!!YYYY-MM-DD!!` or
 * `d!m!yyyy`. Returns days since 1970-01-01 with `dateOnly` (a time is cut off, in UTC), else epoch
 * milliseconds; null when the text is not a date, or the day does not exist. Digits beyond
 * milliseconds are cut off.
 */
export function parseDate(text: string, dateOnly: boolean): number | null {
  if (text.length === 10 && text.charCodeAt(4) === HYPHEN && text.charCodeAt(7) === HYPHEN) {
    const century = twoDigitsAt(text, 0)
    const year = twoDigitsAt(text, 2)
    const month = twoDigitsAt(text, 5)
    const day = twoDigitsAt(text, 8)
    // Small whole numbers only: this reads the usual form of a date in a few nanoseconds.
    if (century >= 0 && year >= 0 && month >= 0 && day >= 0) {
      const days = daysOf(century * 100 + year, month, day)
      return days === null || dateOnly ? days : days * DAY
    }
  }
  const iso = ISO.exec(text)
  if (iso !== null) {
    const [
      ,
      year,
      month,
      day,
      hours = '0',
      minutes = '0',
      seconds = '0',
      fraction = '',
      zone = 'Z',
    ] = iso
    if (year === '-000000') return null
    const days = daysOf(Number(year), Number(month), Number(day))
    const time = timeOf(
      Number(hours),
      Number(minutes),
      Number(seconds),
      Number(`${fraction}000`.slice(0, 3)),
    )
    const offset = offsetOf(zone)
    if (days === null || time === null || offset === null) return null
    return stored(days * DAY + time - offset, dateOnly)
  }
  const bangs = BANGS.exec(text)
  if (bangs !== null)
    return storedDay(Number(bangs[1]), Number(bangs[2]), Number(bangs[3]), dateOnly)
  const dmy = DAY_MONTH_YEAR.exec(text)
  if (dmy !== null) return storedDay(Number(dmy[3]), Number(dmy[2]), Number(dmy[1]), dateOnly)
  return null
}

const HYPHEN = 45

/** The number of two digits; -1 for any other characters. */
function twoDigitsAt(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}

/**
 * Epoch milliseconds as a stored date: whole days with `dateOnly`; null outside the range of dates
 * or when not whole.
 */
export function dateFromEpoch(milliseconds: number, dateOnly: boolean): number | null {
  return Number.isInteger(milliseconds) ? stored(milliseconds, dateOnly) : null
}

/**
 * ISO 8601 text of a stored date: `1980-01-15`, or `1980-01-15T00:00:00.000Z`. Arithmetic only;
 * allocates no `Date`.
 */
export function formatDate(value: number, dateOnly: boolean): string {
  if (dateOnly) return formatDay(value)
  const days = Math.floor(value / DAY)
  let rest = value - days * DAY
  const milliseconds = rest % 1000
  rest = (rest - milliseconds) / 1000
  const seconds = rest % 60
  rest = (rest - seconds) / 60
  const minutes = rest % 60
  const hours = (rest - minutes) / 60
  const fraction = milliseconds < 100 ? `0${TWO_DIGITS[milliseconds]}` : `${milliseconds}`
  return `${formatDay(days)}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[seconds]}.${fraction}Z`
}

/** The days of 400 years, after which the calendar repeats, in milliseconds. */
const CYCLE = 146_097 * 86_400_000

/**
 * The milliseconds of a text of `formatDate` or `formatDay`: numbers are compared several times as
 * fast. The month, quarter, year or week of the earliest dates begins before `Date` does.
 */
export function dateOrderKey(iso: string): number {
  const time = Date.parse(iso)
  if (!Number.isNaN(time)) return time
  return Date.parse(`-${Number(iso.slice(1, 7)) - 400}${iso.slice(7)}`) - CYCLE
}

/**
 * Reads a duration: milliseconds (`90000`, `-1.5`) or `hh:mm:ss` with more than 24 hours allowed
 * (`36:00:00.250`). Returns milliseconds, or null.
 */
export function parseDuration(text: string): number | null {
  const clock = /^(-?)(\d{1,7}):(\d\d):(\d\d)(?:\.(\d{1,3}))?$/.exec(text)
  if (clock === null) return parseNumber(text)
  const [, sign, hours, minutes, seconds, fraction = ''] = clock
  if (Number(minutes) > 59 || Number(seconds) > 59) return null
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  const milliseconds = whole * 1000 + Number(`${fraction}000`.slice(0, 3))
  return sign === '-' && milliseconds !== 0 ? -milliseconds : milliseconds
}

/** The number of up to 15 digits, which is exact; -1 for any other text. */
function wholeNumber(text: string): number {
  if (text.length === 0 || text.length > 15) return -1
  let number = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}

/**
 * Reads a text that is a decimal number (`20`, `-1.5`, `1e3`); null for any other text and for
 * numbers that are not finite.
 */
export function parseNumber(text: string): number | null {
  const whole = wholeNumber(text)
  if (whole >= 0) return whole
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return null
  const value = Number(text)
  return Number.isFinite(value) ? value + 0 : null
}

function stored(milliseconds: number, dateOnly: boolean): number | null {
  if (Math.abs(milliseconds) > LAST_DAY * DAY) return null
  return dateOnly ? Math.floor(milliseconds / DAY) + 0 : milliseconds + 0
}

function storedDay(year: number, month: number, day: number, dateOnly: boolean): number | null {
  const days = daysOf(year, month, day)
  return days === null ? null : stored(days * DAY, dateOnly)
}

function timeOf(
  hours: number,
  minutes: number,
  seconds: number,
  milliseconds: number,
): number | null {
  if (hours > 23 || minutes > 59 || seconds > 59) return null
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds
}

/** Milliseconds that a zone (`Z`, `+02:00`, `-0530`) is ahead of UTC. */
function offsetOf(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return null
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/**
 * Days since 1970-01-01 of a day of the proleptic Gregorian calendar; null if the day does not
 * exist. Years are counted from March, so that the leap day is the last of its year.
 */
function daysOf(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > lengthOfMonth(year, month)) return null
  const marchYear = month > 2 ? year : year - 1
  const leapDays = (marchYear >> 2) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  const dayOfYear = (((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0) + day - 1
  return marchYear * 365 + leapDays + dayOfYear - 719_468
}

function lengthOfMonth(year: number, month: number): number {
  if (month === 2) return (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  // The long months are the odd ones, from August on the even ones.
  return 30 + ((month ^ (month >> 3)) & 1)
}

/**
 * The inverse of `daysOf`, as text. All numbers except the era are below a million, and `| 0` is
 * faster than a call in uncompiled code.
 */
export function formatDay(days: number): string {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const leaps = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0)
  const yearOfEra = ((dayOfEra - leaps) / 365) | 0
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0))
  const marchMonth = ((5 * dayOfYear + 2) / 153) | 0
  const day = dayOfYear - (((153 * marchMonth + 2) / 5) | 0) + 1
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return `${formatYear(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))}-${TWO_DIGITS[month]}-${TWO_DIGITS[day]}`
}

function formatYear(year: number): string {
  if (year >= 1000 && year <= 9999) return `${year}`
  if (year >= 0 && year <= 9999) return `${year}`.padStart(4, '0')
  return `${year < 0 ? '-' : '+'}${`${Math.abs(year)}`.padStart(6, '0')}`
}

/** Days of one page of `DayTexts`, as a power of two, and the number of pages. */
const PAGE_BITS = 8
const PAGES = 128
/** Marks a place without a page: days reach 100 000 000 from 1970-01-01. */
const NO_PAGE = -2147483648
/** Only copied. */
const EMPTY_PAGE: readonly string[] = new Array(1 << PAGE_BITS).fill('')

/**
 * A cache of the texts of calendar days. A page of 256 days is created when one of them is first
 * needed, at the place of its last bits: days of 89 consecutive years have different places. Days
 * of another page at the same place are not cached. Cost: three reads of an array.
 */
export class DayTexts {
  /** By place: the number of its page. */
  readonly #numbers = new Int32Array(PAGES).fill(NO_PAGE)
  readonly #pages: string[][] = new Array(PAGES).fill([])

  of(day: number): string {
    const number = day >> PAGE_BITS
    const place = number & (PAGES - 1)
    if (this.#numbers[place] === number) {
      const text = this.#pages[place][day & ((1 << PAGE_BITS) - 1)]
      if (text !== '') return text
    }
    return this.#write(day, number, place)
  }

  #write(day: number, number: number, place: number): string {
    const text = formatDay(day)
    if (this.#numbers[place] === NO_PAGE) {
      this.#numbers[place] = number
      this.#pages[place] = EMPTY_PAGE.slice()
    }
    if (this.#numbers[place] === number) this.#pages[place][day & ((1 << PAGE_BITS) - 1)] = text
    return text
  }
}
