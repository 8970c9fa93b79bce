import type { ChartChoice } from './place.ts'

export interface Point {
  readonly label: string
  readonly value: number
  /** The number of rows of the point. */
  readonly count: number
}

export interface Chart {
  readonly form: 'bars' | 'line'
  readonly points: readonly Point[]
  /** The number of groups that are not shown: the smallest ones. */
  readonly others: number
}

export type Cell = string | number | boolean | null

const maxBars = 20
const maxSteps = 100

/**
 * Groups `[x, y]` rows of the dashboard format by x. `type` is the type of x: dates give a line
 * over time, other types bars.
 */
export function chartOf(
  rows: readonly (readonly [Cell, Cell])[],
  type: string,
  how: ChartChoice['how'],
): Chart {
  const known = rows.filter(([x, y]) => x !== null && (how === 'count' || typeof y === 'number'))
  if (type === 'date') return { form: 'line', points: overTime(known, how), others: 0 }
  if (known.length > 0 && known.every(([x]) => typeof x === 'number')) {
    const distinct = new Set(known.map(([x]) => x)).size
    if (distinct > maxBars) return { form: 'bars', points: histogram(known, how), others: 0 }
  }
  const groups = [...group(known, ([x]) => String(x), how)]
  const isNumber = known.every(([x]) => typeof x === 'number')
  if (isNumber)
    return {
      form: 'bars',
      points: groups.sort((a, b) => Number(a.label) - Number(b.label)),
      others: 0,
    }
  groups.sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1))
  return {
    form: 'bars',
    points: groups.slice(0, maxBars),
    others: Math.max(0, groups.length - maxBars),
  }
}

type Rows = readonly (readonly [Cell, Cell])[]

function group(
  rows: Rows,
  labelOf: (row: readonly [Cell, Cell]) => string,
  how: ChartChoice['how'],
): readonly Point[] {
  const groups = new Map<string, number[]>()
  for (const row of rows) {
    const label = labelOf(row)
    const values = groups.get(label) ?? []
    if (values.length === 0) groups.set(label, values)
    values.push(typeof row[1] === 'number' ? row[1] : 0)
  }
  return [...groups].map(([label, values]) => ({
    label,
    value: aggregate(values, how),
    count: values.length,
  }))
}

function aggregate(values: readonly number[], how: ChartChoice['how']): number {
  switch (how) {
    case 'count':
      return values.length
    case 'sum':
      return sumOf(values)
    case 'average':
      return sumOf(values) / values.length
    case 'min':
      return values.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
    case 'max':
      return values.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY)
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0)
}

/**
 * Groups `20010209133000` by second, hour, day, month or year: the finest unit whose steps fit a
 * line.
 */
function overTime(rows: Rows, how: ChartChoice['how']): readonly Point[] {
  const texts = rows.map(([x]) => String(x))
  const digits = [14, 10, 8, 6, 4].find(
    (length) => new Set(texts.map((text) => text.slice(0, length))).size <= maxSteps,
  )
  const points = group(rows, ([x]) => String(x).slice(0, digits ?? 4), how)
  return [...points]
    .sort((a, b) => (a.label < b.label ? -1 : 1))
    .map((point) => ({ ...point, label: dayOf(point.label) }))
}

/** `20010209` as `2001-02-09`, `2001020913` as `2001-02-09 13h`. */
function dayOf(digits: string): string {
  const [, year = '', month, day, hour, rest] =
    /^(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d{4})?$/.exec(digits) ?? []
  const date = [year, month, day].filter(Boolean).join('-')
  if (hour === undefined) return date
  return rest === undefined
    ? `${date} ${hour}h`
    : `${date} ${hour}:${rest.slice(0, 2)}:${rest.slice(2)}`
}

function histogram(rows: Rows, how: ChartChoice['how']): readonly Point[] {
  const values = rows.map(([x]) => Number(x))
  const low = values.reduce((least, one) => Math.min(least, one))
  const high = values.reduce((most, one) => Math.max(most, one))
  const [start = low, next = high] = ticksOf(low, high, maxBars)
  const width = next - start || 1
  const binOf = (x: Cell) => start + Math.floor((Number(x) - start) / width) * width
  const points = group(rows, ([x]) => String(round(binOf(x))), how)
  return [...points].sort((a, b) => Number(a.label) - Number(b.label))
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
