import { type ClassModel, EntiaError, isEntiaError, type RelationAttribute } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { isRelation, type Names, typeOf } from './names.ts'
import { isMediaAttribute } from './projection.ts'

/**
 * The requested names of one dataclass, in the order of the request. A relation that is `null` is
 * deferred.
 */
export interface Requested {
  readonly dataClass: ClassModel
  readonly names: Names
  /** The request names `*` or nothing: every attribute comes first. */
  all: boolean
  readonly values: Map<string, string[][] | null>
  readonly relations: Map<string, Requested | null>
}

export function newRequested(dataClass: ClassModel, names: Names): Requested {
  return { dataClass, names, all: false, values: new Map(), relations: new Map() }
}

export function addAttributePath(requested: Requested, path: string, maxDepth: number): void {
  try {
    const { target, last } = followRelations(requested, path, maxDepth)
    if (last === '*') {
      target.all = true
      return
    }
    // "notes.*" is all that is in the object: the object.
    const named = last.endsWith('.*') && isObjectPath(target, last) ? last.slice(0, -2) : last
    const { attribute, properties } = target.names.path(target.dataClass, named, maxDepth)
    if (isRelation(attribute)) {
      if (!target.relations.has(attribute.name)) target.relations.set(attribute.name, null)
    } else addValue(target, attribute.name, properties)
  } catch (cause) {
    throw wrapUnknown(
      cause,
      (attribute) =>
        restError(
          'attributeListInvalid',
          { dataClass: requested.dataClass.name, attribute },
          { cause },
        ),
      path,
    )
  }
}

function isObjectPath({ dataClass, names }: Requested, path: string): boolean {
  const attribute = names.attribute(dataClass, path.slice(0, path.indexOf('.')))
  return !isRelation(attribute) && typeOf(attribute) === 'object'
}

function addValue(target: Requested, name: string, properties: readonly string[]): void {
  const asked = target.values.get(name)
  if (properties.length === 0 || asked === null) target.values.set(name, null)
  else target.values.set(name, [...(asked ?? []), [...properties]])
}

/**
 * Walks the relations at the head of a path and opens a `Requested` for each. Returns the rest of
 * the path: a name, `*` or an object path.
 */
function followRelations(
  requested: Requested,
  path: string,
  maxDepth: number,
): { readonly target: Requested; readonly last: string } {
  const names = path.split('.')
  if (names.length > maxDepth)
    throw new EntiaError('budgetExceeded', {
      what: 'names in a path',
      limit: maxDepth,
      option: 'limits.maxPathDepth',
    })
  let target = requested
  for (let at = 0; at < names.length - 1; at++) {
    const attribute = requested.names.attribute(target.dataClass, names[at]!)
    if (!isRelation(attribute)) return { target, last: names.slice(at).join('.') }
    target = openRelation(target, attribute)
  }
  return { target, last: names.at(-1)! }
}

function openRelation(requested: Requested, relation: RelationAttribute): Requested {
  const open = requested.relations.get(relation.name)
  if (open !== undefined && open !== null) return open
  const opened = newRequested(relation.target, requested.names)
  requested.relations.set(relation.name, opened)
  return opened
}

interface Expanding {
  readonly maxPathDepth: number
  /** See `ProjectionRequest`. */
  readonly expandSelects: boolean
}

/**
 * Each relation named along the path comes inline, with all its attributes unless `$attributes`
 * chose some. True for a path that selects a value instead.
 */
export function addExpandPath(requested: Requested, path: string, expanding: Expanding): boolean {
  try {
    if (path !== '$all') return expandOne(requested, path, expanding)
    for (const { name } of requested.names.attributes(requested.dataClass).filter(isRelation))
      expandOne(requested, name, expanding)
    return false
  } catch (cause) {
    throw wrapUnknown(
      cause,
      (attribute) =>
        restError(
          'expandListInvalid',
          { dataClass: requested.dataClass.name, attribute },
          { cause },
        ),
      path,
    )
  }
}

function expandOne(
  requested: Requested,
  path: string,
  { maxPathDepth, expandSelects }: Expanding,
): boolean {
  const { steps, attribute, properties } = requested.names.path(
    requested.dataClass,
    path,
    maxPathDepth,
  )
  const isValue = !isRelation(attribute) && (properties.length > 0 || !isMediaAttribute(attribute))
  if (isValue && expandSelects) {
    addAttributePath(requested, path, maxPathDepth)
    return steps.length === 0
  }
  if (isValue)
    throw new EntiaError('attributeNotApplicable', {
      dataClass: attribute.owner.name,
      attribute: attribute.name,
      use: '$expand',
      remedy: 'Name a relation, an image or a BLOB.',
    })
  let target = requested
  for (const step of steps) target = expandRelation(target, step)
  // Images and BLOBs may be named: on an entity they stay addresses, since their content is fetched
  // by that address.
  if (isRelation(attribute)) expandRelation(target, attribute)
  // Beside values that are selected they are selected too; alone they select nothing.
  else if (expandSelects && steps.length === 0) addValue(requested, attribute.name, properties)
  return false
}

function expandRelation(requested: Requested, relation: RelationAttribute): Requested {
  const isNew = (requested.relations.get(relation.name) ?? null) === null
  const opened = openRelation(requested, relation)
  if (isNew) opened.all = true
  return opened
}

function wrapUnknown(
  cause: unknown,
  wrap: (attribute: string) => EntiaError,
  path: string,
): unknown {
  return isEntiaError(cause, 'attributeNotFound') || isEntiaError(cause, 'attributeNotApplicable')
    ? wrap(path.slice(0, 100))
    : cause
}
