/** The format of calendar dates: `!!2024-01-31!!` or `31!1!2024`. */
export type DateOnlyFormat = '!!yyyy-mm-dd!!' | 'd!m!yyyy'

/** Formats a calendar date, given as `YYYY-MM-DD`. */
export function formatDateOnly(iso: string, format: DateOnlyFormat): string {
  if (format === '!!yyyy-mm-dd!!') return `!!${iso}!!`
  const [, year, month, day] = /^(.*)-(\d{2})-(\d{2})$/.exec(iso) ?? []
  return year === undefined ? iso : `${Number(day)}!${Number(month)}!${year}`
}

/** The day of a date-time between `!!`: the form of `__TIMESTAMP` in answers to writes. */
export function timestampDay(iso: string): string {
  return `!!${iso.slice(0, iso.indexOf('T'))}!!`
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** Weekday offsets of the months in a year that starts on March 1 (Sakamoto's algorithm). */
const MONTH_SHIFTS = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]

/**
 * Formats an ISO 8601 date-time in UTC for headers: `Sat, 21 Nov 2026 16:20:11 GMT`. Allocates no
 * `Date`.
 */
export function headerDate(iso: string): string {
  // Years of more than four digits have a sign.
  if (iso.charCodeAt(10) !== LETTER_T) return new Date(iso).toUTCString()
  const year = iso.slice(0, 4)
  const day = iso.slice(8, 10)
  const month = Number(iso.slice(5, 7)) - 1
  const from = month < 2 ? Number(year) - 1 : Number(year)
  const leaps = Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400)
  // Adds a week for the year 0, whose January belongs to the year before.
  const weekday = WEEKDAYS[(from + leaps + MONTH_SHIFTS[month]! + Number(day) + 7) % 7]
  return `${weekday}, ${day} ${MONTHS[month]} ${year} ${iso.slice(11, 19)} GMT`
}

const LETTER_T = 84

/** A calendar date as a date-time, the form of aggregates. */
export function dayAsDateTime(iso: string): string {
  return `${iso}T00:00:00.000Z`
}
