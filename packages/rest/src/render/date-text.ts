/** How calendar dates are written: `!!2024-01-31!!` or `31!1!2024`. */
export type DateOnlyFormat = '!!yyyy-mm-dd!!' | 'd!m!yyyy'

/** A calendar date, given as `YYYY-MM-DD`, in the protocol's form. */
export function formatDateOnly(iso: string, format: DateOnlyFormat): string {
  if (format === '!!yyyy-mm-dd!!') return `!!${iso}!!`
  const [, year, month, day] = /^(.*)-(\d{2})-(\d{2})$/.exec(iso) ?? []
  return year === undefined ? iso : `${Number(day)}!${Number(month)}!${year}`
}

/** The day of a date-time, between `!!`: how answers to writes show `__TIMESTAMP`. */
export function timestampDay(iso: string): string {
  return `!!${iso.slice(0, iso.indexOf('T'))}!!`
}

/** A calendar date as the date-time that aggregates answer. */
export function dayAsDateTime(iso: string): string {
  return `${iso}T00:00:00.000Z`
}
