import { type ClassName, type PlainData, type Row, related, SHAPE } from './office.ts'
import { valueAt } from './order.ts'
import { compareValues } from './plain-value.ts'

export interface PlainAggregates {
  readonly count: number
  /** Null for attributes that are not numbers. */
  readonly sum: number | null
  readonly average: number | null
  readonly min: unknown
  readonly max: unknown
}

/** Count, sum, average, minimum and maximum of one attribute over rows, without nulls. */
export function aggregate(
  data: PlainData,
  className: ClassName,
  rows: readonly Row[],
  attribute: string,
): PlainAggregates {
  const values = rows
    .map((row) => valueAt(data, className, row, [attribute]))
    .filter(({ key }) => key !== null)
  const ordered = [...values].sort((a, b) => compareValues(a.key, b.key))
  const isNumeric = ['long', 'long64', 'number', 'duration'].includes(typeOf(className, attribute))
  const sum = isNumeric ? exactSum(values.map(({ value }) => Number(value))) : null
  return {
    count: values.length,
    sum,
    average: sum === null || values.length === 0 ? null : sum / values.length,
    min: ordered[0]?.value ?? null,
    max:
      ordered.find(({ key }) => compareValues(key, ordered[ordered.length - 1].key) === 0)?.value ??
      null,
  }
}

/**
 * Adds whole quarters, since all values of the office are multiples: only the result is rounded.
 */
export function exactSum(values: readonly number[]): number {
  return Number(values.reduce((quarters, value) => quarters + BigInt(value * 4), 0n)) / 4
}

function typeOf(className: ClassName, name: string): string {
  const attribute = SHAPE[className].attributes[name]
  return attribute.kind === 'value' || attribute.kind === 'computed' ? attribute.type : ''
}

/** The distinct values at a path, ascending, without nulls; of equal texts the first one. */
export function distinct(
  data: PlainData,
  className: ClassName,
  rows: readonly Row[],
  path: readonly string[],
): readonly unknown[] {
  const found: { readonly value: unknown; readonly key: unknown }[] = []
  for (const entry of rows.flatMap((row) => valuesAt(data, className, row, path))) {
    if (typeof entry.key === 'object') continue
    if (!found.some(({ key }) => compareValues(key, entry.key) === 0)) found.push(entry)
  }
  return found.sort((a, b) => compareValues(a.key, b.key)).map(({ value }) => value)
}

/** As `valueAt`, also through to-many relations. */
function valuesAt(
  data: PlainData,
  className: ClassName,
  row: Row,
  path: readonly string[],
): readonly { readonly value: unknown; readonly key: unknown }[] {
  const attribute = SHAPE[className].attributes[path[0]]
  if (attribute.kind !== 'one' && attribute.kind !== 'many')
    return [valueAt(data, className, row, path)]
  return related(data, className, row, path[0]).flatMap((other) =>
    valuesAt(data, attribute.target, other, path.slice(1)),
  )
}
