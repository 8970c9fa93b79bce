import { exactSum } from './aggregate.ts'
import { type ClassName, type PlainData, type Row, SHAPE } from './office.ts'
import { valueAt } from './order.ts'
import { compareValues } from './plain-value.ts'

/** The arguments of a grouping: paths, sometimes with a time span, and aggregates by path. */
export interface PlainGrouping {
  readonly paths: readonly string[]
  readonly aggregates: { readonly [path: string]: readonly string[] }
}

export type PlainGroup = { readonly [name: string]: unknown }

interface Keyed {
  readonly value: unknown
  readonly key: unknown
}
const NOTHING: Keyed = { value: null, key: null }

/** The groups of some rows, in the order of their values. It scans all rows for each group. */
export function groupRows(
  data: PlainData,
  className: ClassName,
  rows: readonly Row[],
  { paths, aggregates }: PlainGrouping,
): readonly PlainGroup[] {
  const groups: { readonly values: readonly Keyed[]; readonly rows: Row[] }[] = []
  for (const row of rows) {
    for (const values of combinations(paths.map((path) => valuesAt(data, className, row, path)))) {
      const known = groups.find((group) =>
        group.values.every(({ key }, at) => compareValues(key, values[at].key) === 0),
      )
      if (known === undefined) groups.push({ values, rows: [row] })
      else known.rows.push(row)
    }
  }
  groups.sort((a, b) => {
    for (const at of paths.keys()) {
      const order = compareValues(a.values[at].key, b.values[at].key)
      if (order !== 0) return order
    }
    return 0
  })
  return groups.map(({ values, rows }) => ({
    ...Object.fromEntries(paths.map((path, at) => [path, values[at].value])),
    count: rows.length,
    ...Object.fromEntries(
      Object.entries(aggregates).map(([path, functions]) => [
        path,
        aggregatesOf(data, className, rows, path, functions),
      ]),
    ),
  }))
}

function combinations(lists: readonly (readonly Keyed[])[]): readonly (readonly Keyed[])[] {
  return lists.reduce<readonly (readonly Keyed[])[]>(
    (found, list) => found.flatMap((before) => list.map((each) => [...before, each])),
    [[]],
  )
}

const SPAN = /\.(day|week|month|quarter|year)$/

/** The values by which a row is grouped: the distinct elements of an array, otherwise one value. */
function valuesAt(data: PlainData, className: ClassName, row: Row, path: string): readonly Keyed[] {
  const span = SPAN.exec(path)?.[1]
  const { value, key } = valueAt(data, className, row, path.replace(SPAN, '').split('.'))
  if (span !== undefined) {
    if (typeof value !== 'string') return [NOTHING]
    const start = startOf(value, span)
    return [{ value: start, key: start }]
  }
  if (!Array.isArray(value)) return [isScalar(key) ? { value, key } : NOTHING]
  const elements: Keyed[] = []
  for (const each of elementsOf(value))
    if (!elements.some(({ key }) => compareValues(key, each.key) === 0)) elements.push(each)
  return elements.length === 0 ? [NOTHING] : elements
}

const isScalar = (key: unknown): boolean => key !== null && typeof key !== 'object'

const elementsOf = (list: readonly unknown[]): readonly Keyed[] =>
  list
    .map((value) => ({
      value,
      key:
        typeof value === 'string'
          ? value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
          : value,
    }))
    .filter(({ key }) => isScalar(key))

/** Uses the calendar of JavaScript. */
function startOf(text: string, span: string): string {
  const date = new Date(text)
  date.setUTCHours(0, 0, 0, 0)
  if (span === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  if (span === 'month' || span === 'quarter' || span === 'year') date.setUTCDate(1)
  if (span === 'quarter') date.setUTCMonth(Math.floor(date.getUTCMonth() / 3) * 3)
  if (span === 'year') date.setUTCMonth(0)
  return date.toISOString().replace(/T.*$/, '')
}

function aggregatesOf(
  data: PlainData,
  className: ClassName,
  rows: readonly Row[],
  path: string,
  functions: readonly string[],
): PlainGroup {
  const values = rows.flatMap((row) => {
    const { value, key } = valueAt(data, className, row, path.split('.'))
    return Array.isArray(value) ? elementsOf(value) : isScalar(key) ? [{ value, key }] : []
  })
  const ordered = [...values].sort((a, b) => compareValues(a.key, b.key))
  const last = ordered.at(-1)?.key
  const isSummed =
    isNumeric(className, path.split('.')) || values.every(({ value }) => typeof value === 'number')
  const sum = isSummed ? exactSum(values.map(({ value }) => Number(value))) : null
  const all: { readonly [name: string]: unknown } = {
    count: values.length,
    countDistinct: ordered.filter(
      ({ key }, at) => at === 0 || compareValues(key, ordered[at - 1].key) !== 0,
    ).length,
    sum,
    average: sum === null || values.length === 0 ? null : sum / values.length,
    min: ordered[0]?.value ?? null,
    max: ordered.find(({ key }) => compareValues(key, last) === 0)?.value ?? null,
  }
  return Object.fromEntries(functions.map((name) => [name, all[name]]))
}

function isNumeric(className: ClassName, [name, ...rest]: readonly string[]): boolean {
  const attribute = SHAPE[className].attributes[name]
  if (attribute.kind === 'one') return isNumeric(attribute.target, rest)
  return 'type' in attribute && ['long', 'long64', 'number', 'duration'].includes(attribute.type)
}
