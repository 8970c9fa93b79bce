/** A duration: milliseconds, or text such as `'250ms'`, `'90s'`, `'15m'`, `'2h'`, `'1d'`. */
export type Duration = number | `${number}${DurationUnit}`
export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd'

const millisecondsOf: Readonly<Record<DurationUnit, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}
const written = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** Converts to milliseconds. Throws a TypeError for an invalid or negative duration. */
export function toMilliseconds(duration: Duration): number {
  if (typeof duration === 'number' && duration >= 0 && Number.isFinite(duration)) return duration
  const parts = typeof duration === 'string' ? written.exec(duration) : null
  if (parts === null)
    throw new TypeError(
      `A duration is a number of milliseconds or a text such as '90s', '15m' or '2h', not ${JSON.stringify(duration)}.`,
    )
  return Number(parts[1]) * millisecondsOf[parts[2] as DurationUnit]
}
