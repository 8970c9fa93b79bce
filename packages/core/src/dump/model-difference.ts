import type { Catalog } from '../model/catalog.ts'
import { type DumpedClass, type DumpedColumn, describeClass } from './dump.ts'

/**
 * The first difference between the dataclasses of a dump and those of a model, as a sentence. Null
 * if the dump can be opened.
 */
export function modelDifference(dumped: unknown, catalog: Catalog): string | null {
  const wanted = catalog.classes.map(describeClass)
  if (JSON.stringify(dumped) === JSON.stringify(wanted)) return null
  if (!Array.isArray(dumped) || !dumped.every(isDumpedClass)) return 'its model is malformed.'
  return (
    namesDiffer('dataclass', dumped, wanted, (name) => `"${name}"`) ??
    firstOf(wanted, (one, i) => classDiffers(dumped[i], one)) ??
    'its model is another one.'
  )
}

function classDiffers(
  { columns: dumped }: DumpedClass,
  { name, columns: wanted }: DumpedClass,
): string | null {
  return (
    namesDiffer('attribute', dumped, wanted, (attribute) => `"${name}.${attribute}"`) ??
    firstOf(wanted, (column, i) => {
      const before = describeColumn(dumped[i])
      const now = describeColumn(column)
      return before === now
        ? null
        : `attribute "${name}.${column.name}" is ${before} in it, and ${now} in the model.`
    })
  )
}

type Named = { readonly name: string }

function namesDiffer(
  what: 'attribute' | 'dataclass',
  dumped: readonly Named[],
  wanted: readonly Named[],
  quoted: (name: string) => string,
): string | null {
  const missing = without(wanted, dumped)
  const extra = without(dumped, wanted)
  if (missing.length > 0) {
    const instead =
      extra.length === 0 ? '' : `, which has ${extra.map(quoted).join(', ')} that the model lacks`
    return `${what} ${quoted(missing[0])} of the model is not in it${instead}.`
  }
  if (extra.length > 0) return `it has ${what} ${quoted(extra[0])}, which the model lacks.`
  const at = wanted.findIndex(({ name }, i) => dumped[i]?.name !== name)
  if (at < 0) return null
  return `it has ${what} ${quoted(dumped[at].name)} where the model has ${quoted(wanted[at].name)}: their order must be the same.`
}

const without = (these: readonly Named[], those: readonly Named[]): readonly string[] =>
  these.flatMap(({ name }) => (those.some((other) => other.name === name) ? [] : [name]))

function firstOf<T>(
  list: readonly T[],
  problemOf: (item: T, i: number) => string | null,
): string | null {
  for (const [i, item] of list.entries()) {
    const problem = problemOf(item, i)
    if (problem !== null) return problem
  }
  return null
}

function describeColumn({ type, key, dateOnly, relatedTo }: DumpedColumn): string {
  const more = [
    ...(key === true ? ['the key'] : []),
    ...(dateOnly === true ? ['dateOnly'] : []),
    ...(relatedTo === undefined ? [] : [`a relation to "${relatedTo}"`]),
  ]
  return more.length === 0 ? type : `${type} (${more.join(', ')})`
}

const isDumpedClass = (value: unknown): value is DumpedClass =>
  isNamed(value) &&
  'columns' in value &&
  Array.isArray(value.columns) &&
  value.columns.every(isNamed)

const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
