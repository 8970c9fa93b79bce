import { parseOrderBy } from '../../src/filter/bind-order-by.ts'
import type { OrderBySyntax } from '../../src/filter/syntax.ts'
import { type ClassName, type PlainData, type Row, related, SHAPE } from './office.ts'
import { comparable, compareValues, Refused } from './plain-value.ts'

/** Sorts rows by an order as text; ties keep their order. */
export function orderRows(
  data: PlainData,
  className: ClassName,
  rows: readonly Row[],
  text: string,
): readonly Row[] {
  return orderBySyntax(data, className, rows, parseOrderBy(text))
}

/** As `orderRows`, for the `order by` of a filter; null keeps the order. */
export function orderBySyntax(
  data: PlainData,
  className: ClassName,
  rows: readonly Row[],
  terms: OrderBySyntax | null,
): readonly Row[] {
  if (terms === null) return rows
  const paths = terms.map(({ path }) => path.steps.map(({ name }) => name))
  for (const path of paths) valueAt(data, className, null, path)
  const keyed = rows.map((row) => ({
    row,
    keys: paths.map((path) => sortKey(data, className, row, path)),
  }))
  keyed.sort((a, b) => {
    for (const [i, { descending }] of terms.entries()) {
      const order = compareValues(a.keys[i], b.keys[i])
      if (order !== 0) return descending ? -order : order
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}

/** Only scalars have an order; any other value sorts as null. */
function sortKey(
  data: PlainData,
  className: ClassName,
  row: Row,
  path: readonly string[],
): unknown {
  const { key } = valueAt(data, className, row, path)
  return typeof key === 'object' ? null : key
}

/** The value at the end of a path of to-one relations, and its comparison key. */
export function valueAt(
  data: PlainData,
  className: ClassName,
  row: Row | null,
  path: readonly string[],
): { readonly value: unknown; readonly key: unknown } {
  const [name, ...rest] = path
  const attribute = SHAPE[className].attributes[name]
  switch (attribute?.kind) {
    case 'alias':
      return valueAt(data, className, row, [...attribute.path, ...rest])
    case 'one':
      if (rest.length === 0) break
      return valueAt(data, attribute.target, related(data, className, row, name)[0] ?? null, rest)
    case 'value':
    case 'computed': {
      const isProperty = attribute.type === 'object'
      if (isProperty !== rest.length > 0 || attribute.type === 'blob') break
      const isExact = attribute.kind === 'value' && attribute.isExact === true
      const dateOnly = attribute.kind === 'value' && attribute.dateOnly === true
      let value =
        row === null ? null : attribute.kind === 'computed' ? attribute.get(row) : row[name]
      for (const property of rest) value = propertyOf(value, property)
      return {
        value,
        key: comparable(isProperty ? 'string' : attribute.type, isExact, dateOnly, value),
      }
    }
  }
  throw new Refused(`${path.join('.')} has no order`)
}

function propertyOf(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return null
  return (json as { readonly [name: string]: unknown })[name]
}
