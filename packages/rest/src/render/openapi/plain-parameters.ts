import type { AttributeModel, ClassModel } from '@entia/core'
import { isMediaAttribute, isRelation, type Names, NUMERIC_TYPES, typeOf } from '@entia/engine'
import { plainKeyMember } from '../../endpoints/context/plain-members.ts'
import { isListParameter, type PlainResource } from '../../request/plain-head.ts'
import { componentName, count, inQuery, type Piece, parameterRef, pieceOf, text } from './schema.ts'

/** The parameters of a list of plain REST, as references to components. */
export const listParameters = (dataClass: ClassModel, names: Names): readonly Piece[] =>
  Object.keys(plainParameters(dataClass, names)).map(parameterRef)

/** The parameters that one entity of plain REST has too, as references to components. */
export const includeParameters = (dataClass: ClassModel, names: Names): readonly Piece[] =>
  Object.keys(includes(dataClass, names)).map(parameterRef)

/**
 * The parameters of plain REST for one dataclass, by component: filters by each of its attributes,
 * the order, the page, and related entities.
 */
export function plainParameters(dataClass: ClassModel, names: Names): Piece {
  return {
    ...filters(dataClass, names),
    ...sort(dataClass, names),
    ...PAGES,
    ...includes(dataClass, names),
  }
}

/** Shared by all dataclasses. */
const PAGES: Piece = {
  'rest.plain.q': inQuery('q', 'A text attribute contains it, or a number equals it.', text, '1'),
  'rest.plain.order': inQuery('_order', 'asc or desc for each name of _sort.', text, 'desc'),
  'rest.plain.page': inQuery(
    '_page',
    'The number of a page; the header Link names the other pages.',
    count,
    1,
  ),
  'rest.plain.limit': inQuery(
    '_limit',
    'The most entities; with _page the size of a page, by default 10.',
    count,
    2,
  ),
  'rest.plain.start': inQuery('_start', 'Entities before the first one.', count, 1),
  'rest.plain.end': inQuery('_end', 'The position after the last entity.', count, 2),
}

/** Filters by the attributes of the dataclass itself. */
function filters(dataClass: ClassModel, names: Names): Piece {
  const home = `${componentName(dataClass.name)}.plain`
  const byName = new Map<string, Piece>()
  const put = (name: string, description: string, schema: Piece): void => {
    // An attribute called "max_lte" is not a bound of "max", and "q" is always the search.
    if (byName.has(name) || isListParameter(name)) return
    byName.set(name, inQuery(name, description, schema))
  }
  const filtered = names.attributes(dataClass).flatMap((attribute) => filterOf(attribute) ?? [])
  for (const { name, type } of filtered)
    put(name, `${name} has this value, or one of these.`, valueSchema(type))
  for (const { name, type, isKey } of filtered) {
    if (type === 'object') continue
    put(`${name}_ne`, `${name} does not have this value.`, valueSchema(type))
    if (type === 'bool' || isKey) continue
    put(`${name}_gte`, `${name} is at least this value.`, valueSchema(type))
    put(`${name}_lte`, `${name} is at most this value.`, valueSchema(type))
    if (type === 'string' || type === 'uuid')
      put(`${name}_like`, `${name} contains the text; ^ and $ anchor it, .* is any text.`, text)
  }
  return pieceOf([...byName].map(([name, piece]) => [`${home}.${componentName(name)}`, piece]))
}

interface Filtered {
  readonly name: string
  readonly type: string
  /** Whether it is the key of a related entity, which has no order. */
  readonly isKey: boolean
}

/** What a filter names; null for media and to-many relations. */
function filterOf(attribute: AttributeModel): Filtered | null {
  if (attribute.kind === 'relatedEntity') {
    const name = plainKeyMember(attribute)
    return name === null ? null : { name, type: attribute.target.key.type, isKey: true }
  }
  if (isRelation(attribute) || isMediaAttribute(attribute)) return null
  return { name: attribute.name, type: typeOf(attribute), isKey: false }
}

function valueSchema(type: string): Piece {
  if (NUMERIC_TYPES.has(type)) return { type: 'number' }
  return type === 'bool' ? { type: 'boolean' } : text
}

function sort(dataClass: ClassModel, names: Names): Piece {
  const { name, key } = dataClass
  // An order is text, so it can name only what the filter language can write.
  const isNamed =
    names.find(dataClass, key.name) !== undefined && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key.name)
  const example = isNamed ? key.name : undefined
  const sorted = inQuery('_sort', 'Attributes to order by, separated by commas.', text, example)
  return { [`${componentName(name)}.plain._sort`]: sorted }
}

function includes(dataClass: ClassModel, names: Names): Piece {
  const home = `${componentName(dataClass.name)}.plain`
  const attributes = names.attributes(dataClass)
  const put = (kind: AttributeModel['kind'], name: '_embed' | '_expand', description: string) => {
    const related = attributes.filter((one) => one.kind === kind).map((one) => one.name)
    if (related.length === 0) return {}
    const schema = { type: 'array', items: { enum: related } }
    return { [`${home}.${name}`]: inQuery(name, description, schema, related.slice(0, 1)) }
  }
  return {
    ...put('relatedEntities', '_embed', 'Lists of related entities to include.'),
    ...put('relatedEntity', '_expand', 'Related entities to include.'),
  }
}

/** How plain REST is served, as far as the document shows it. */
export interface OpenApiPlain {
  /** The prefix that the host puts before both base paths; '' for none. */
  readonly mountPath: string
  /** The base path of the entity interface, without `mountPath`. */
  readonly entityPath: string
  readonly basePath: string
  readonly resources: ReadonlyMap<string, PlainResource>
  /** The object attribute with further members of a dataclass, or null. */
  othersOf(dataClass: string): string | null
}
