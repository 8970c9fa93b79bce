import { type ClassModel, EntiaError } from '@entia/core'
import {
  type Awaitable,
  buildProjection,
  type EntityRecord,
  isDateOnly,
  isRelation,
  mapSliced,
  type Names,
  type NextSlice,
  type Projection,
  type SelectionSource,
  typeOf,
  type ValueAttribute,
} from '@entia/engine'
import type { Parameters } from '../../request/parameters.ts'
import type { DashboardColumn } from '../context/answer.ts'
import { type HandleContext, notApplicable } from '../context/context.ts'
import { knownPath } from '../resolve/data-target.ts'

/** The columns of a dashboard, and the projection that they need. */
export interface DashboardQuery {
  readonly columns: readonly DashboardColumn[]
  readonly projection: Projection
}

/** Refuses a dashboard of something other than a selection. Throws methodNotApplicable. */
export function refuseDashboard({ format }: Parameters, found: string): void {
  if (format === 'dashboard')
    throw notApplicable('$format=dashboard', `it shows a selection, not ${found}`)
}

/**
 * A dashboard shows entities that exist: deleted members of a set have no row and are not counted.
 */
export function dashboardSource(source: SelectionSource): SelectionSource {
  return source.kind === 'entitySet' ? { ...source, clean: true } : source
}

/**
 * The columns of a dashboard: the requested scalar attributes, or all. `*` means those of a
 * dataclass, also after to-one relations (`employer.*`). Throws attributeListInvalid around an
 * unknown name, attributeNotApplicable for an attribute that is not scalar, expandListInvalid,
 * methodNotApplicable for `$asArray`.
 */
export function dashboardQuery(
  dataClass: ClassModel,
  list: readonly string[] | null,
  { attributes, expand, asArray }: Parameters,
  context: HandleContext,
): DashboardQuery {
  if (asArray) throw notApplicable('$asArray', 'a dashboard has its own form')
  const { names } = context.caller
  const common = { names, plain: true, maxPathDepth: context.limits.maxPathDepth }
  // A table expands nothing, but unknown names are refused.
  if (expand.length > 0) buildProjection(dataClass, { ...common, attributes: [], expand })
  const columns = new Map<string, DashboardColumn>()
  for (const path of list ?? attributes ?? ['*'])
    for (const column of columnsOf(dataClass, path, context)) columns.set(column.name, column)
  const shown = [...columns.keys()]
  const projection = buildProjection(dataClass, { ...common, attributes: shown, expand: [] })
  return { columns: [...columns.values()], projection }
}

function columnsOf(
  dataClass: ClassModel,
  path: string,
  context: HandleContext,
): readonly DashboardColumn[] {
  const { names } = context.caller
  const steps = path.split('.')
  const isStar = steps.at(-1) === '*'
  if (isStar && steps.length === 1) return scalarsOf(dataClass, '', names)
  const known = knownPath(dataClass, isStar ? steps.slice(0, -1).join('.') : path, context)
  const { steps: relations, attribute, properties } = known
  const isToOne = relations.every(({ kind }) => kind === 'relatedEntity')
  if (isStar && isToOne && attribute.kind === 'relatedEntity')
    return scalarsOf(attribute.target, `${path.slice(0, -1)}`, names)
  const type =
    isStar || isRelation(attribute) || properties.length > 0 ? null : columnType(attribute)
  if (isToOne && type !== null)
    return [{ name: [...relations, attribute].map(({ name }) => name).join('.'), type }]
  throw new EntiaError('attributeNotApplicable', {
    dataClass: dataClass.name,
    attribute: path.slice(0, 100),
    use: '$format=dashboard',
    remedy:
      'Name attributes that hold one number, text, date or boolean, reached through to-one relations only.',
  })
}

function scalarsOf(
  dataClass: ClassModel,
  prefix: string,
  names: Names,
): readonly DashboardColumn[] {
  return names.attributes(dataClass).flatMap((attribute) => {
    const type = isRelation(attribute) ? null : columnType(attribute)
    return type === null ? [] : [{ name: `${prefix}${attribute.name}`, type }]
  })
}

/** Null for attributes that are not scalar. */
function columnType(attribute: ValueAttribute): DashboardColumn['type'] | null {
  const type = typeOf(attribute)
  switch (type) {
    case 'bool':
      return 'boolean'
    case 'long':
    case 'long64':
    case 'number':
      return 'number'
    case 'string':
    case 'uuid':
      return 'text'
    case 'date':
      return isDateOnly(attribute) ? 'dateOnly' : 'dateTime'
    case 'duration':
      return 'duration'
    case 'object':
    case 'image':
    case 'blob':
      return null
  }
}

/** The cells of the records that were read for the columns. */
export function dashboardRows(
  { columns, projection }: DashboardQuery,
  records: readonly (EntityRecord | null)[],
  nextSlice: NextSlice,
): Awaitable<readonly (readonly unknown[])[]> {
  const readers = columns.map(({ name }) => cellReader(projection, name.split('.')))
  return mapSliced(records, (record) => readers.map((read) => read(record)), nextSlice)
}

/** The cells of an empty relation are null. */
function cellReader(
  projection: Projection,
  [name, ...rest]: readonly string[],
): (record: EntityRecord | null) => unknown {
  const at = projection.fields.findIndex((field) => field.name === name)
  const field = projection.fields[at]
  if (field?.kind !== 'entity') return (record) => record?.values[at] ?? null
  const read = cellReader(field.projection, rest)
  return (record) => read((record?.values[at] ?? null) as EntityRecord | null)
}
