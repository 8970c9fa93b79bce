/** In milliseconds. */
const DAY = 86_400_000
/** The first moment of PostgreSQL's dates: day 0 of the Julian calendar. */
const FIRST = -2_440_588 * DAY

/**
 * A moment in milliseconds since 1970 as PostgreSQL reads it, exactly and in every time zone; null
 * before its first date.
 */
export function momentText(milliseconds: number): string | null {
  if (milliseconds < FIRST) return null
  const date = new Date(milliseconds)
  const year = date.getUTCFullYear()
  const [day, time] = date.toISOString().slice(-20, -1).split('T')
  // ISO 8601 has a year 0, the calendar of PostgreSQL does not.
  return year > 0
    ? `${String(year).padStart(4, '0')}${day} ${time}+00`
    : `${String(1 - year).padStart(4, '0')}${day} ${time}+00 BC`
}

/** The same for a day since 1970-01-01: a cast to `date` ignores the time. */
export const dayText = (day: number): string | null =>
  momentText(day * DAY)?.replace(/ [^B]*\+00/, '') ?? null
