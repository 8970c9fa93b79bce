import { listOf, membersOf } from './model.ts'
import type { ChartChoice } from './place.ts'

export interface Point {
  readonly label: string
  readonly value: number
  /** The number of entities of the point. */
  readonly count: number
  /** The begin of its span in epoch milliseconds; 0 without a time axis. */
  readonly time: number
}

export interface Chart {
  readonly form: 'bars' | 'line'
  readonly points: readonly Point[]
  /** The number of groups that are not shown: the smallest ones. */
  readonly others: number
}

export type Span = 'day' | 'week' | 'month' | 'quarter' | 'year'

const day = 86_400_000
/** The longest range in days that each span divides into at most 120 points. */
const longest: readonly (readonly [Span, number])[] = [
  ['day', 120],
  ['week', 800],
  ['month', 3600],
  ['quarter', 10_800],
]

/** The span that divides a range of time into a readable number of points. */
export function spanOf(from: number, to: number): Span {
  return longest.find(([, days]) => to - from <= days * day)?.[0] ?? 'year'
}

/** The begin of the span around a time, as the server groups dates: weeks begin on Monday. */
export function beginOf(time: number, span: Span): number {
  const days = Math.floor(time / day)
  if (span === 'day') return days * day
  // 1970 began on a Thursday.
  if (span === 'week') return (days - ((((days + 3) % 7) + 7) % 7)) * day
  const date = new Date(time)
  const month = date.getUTCMonth()
  const first = { month, quarter: month - (month % 3), year: 0 }[span]
  return Date.UTC(date.getUTCFullYear(), first, 1)
}

/** `!!2001-02-01!!` or ISO 8601 as epoch milliseconds. */
export function timeOf(value: unknown): number {
  return Date.parse(String(value).replaceAll('!!', ''))
}

/** The points of `__GROUPS`. A group without a value of `y` has no point. */
export function pointsOf(
  groups: unknown,
  path: string,
  { y, how }: ChartChoice,
  labelOf: (value: unknown) => string,
): readonly Point[] {
  return listOf(groups).flatMap((group) => {
    const members = membersOf(group)
    const value = how === 'count' ? members.count : membersOf(members[y])[how]
    if (typeof value !== 'number') return []
    const time = timeOf(members[path])
    return [
      {
        label: labelOf(members[path]),
        value,
        count: Number(members.count),
        time: Number.isNaN(time) ? 0 : time,
      },
    ]
  })
}

/** The same points with a zero for each span without entities, where a zero is true. */
export function withZeros(
  points: readonly Point[],
  span: Span,
  how: ChartChoice['how'],
): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if ((how !== 'count' && how !== 'sum') || first === undefined || last === undefined) return points
  const known = new Map(points.map((point) => [point.time, point]))
  const all: Point[] = []
  for (let time = first.time; time <= last.time; time = after(time, span))
    all.push(known.get(time) ?? { label: dateOf(time), value: 0, count: 0, time })
  return all
}

function after(time: number, span: Span): number {
  const date = new Date(time)
  const months = { day: 0, week: 0, month: 1, quarter: 3, year: 12 }[span]
  if (months === 0) return time + (span === 'day' ? day : 7 * day)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** `2001-02-28` of epoch milliseconds. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

export interface Tick {
  readonly time: number
  readonly label: string
}

/** At most `count` begins of years, months or days between two times, evenly chosen. */
export function timeTicks(from: number, to: number, count: number): readonly Tick[] {
  const days = Math.max(1, (to - from) / day)
  const months = days / 30
  const step = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200].find((one) => months / one <= count)
  const ticks: Tick[] = []
  if (months < 3) {
    const every = [1, 2, 7, 14, 28].find((one) => days / one <= count) ?? 28
    for (let time = Math.ceil(from / day) * day; time <= to; time += every * day)
      ticks.push({ time, label: dateOf(time) })
    return ticks
  }
  const by = step ?? 12_000
  const start = new Date(from)
  const first = start.getUTCFullYear() * 12 + start.getUTCMonth()
  for (let month = Math.ceil(first / by) * by; ; month += by) {
    const time = Date.UTC(Math.floor(month / 12), month % 12, 1)
    if (time > to) return ticks
    if (time >= from) ticks.push({ time, label: dateOf(time).slice(0, by % 12 === 0 ? 4 : 7) })
  }
}

/** About `count` round numbers that enclose `low` and `high`. */
export function ticksOf(low: number, high: number, count: number): readonly number[] {
  if (!(high > low)) return [low, low + 1]
  const raw = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= raw * 0.999) ?? raw
  const first = Math.floor(low / step)
  const last = Math.ceil(high / step)
  return Array.from({ length: last - first + 1 }, (_, at) => round((first + at) * step))
}

/** Removes the rounding errors of floating-point arithmetic. */
function round(value: number): number {
  return Number(value.toPrecision(12))
}

/** A linear scale from the domain to the range. */
export function scaleOf(
  domain: readonly [number, number],
  range: readonly [number, number],
): (value: number) => number {
  const [low, high] = domain
  const [start, end] = range
  return (value) => (high === low ? start : start + ((value - low) / (high - low)) * (end - start))
}
