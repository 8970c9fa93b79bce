import {
  type AttributeModel,
  type ClassModel,
  EntiaError,
  isEntiaError,
  type RelationAttribute,
} from '@entia/core'
import { outermost } from '@entia/core/internal'
import { engineError } from '../errors/engine-error.ts'
import { isRelation, type Names, namesOf, typeOf } from './names.ts'
import { isMediaAttribute, type ProjectedField, type Projection } from './projection.ts'

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

function newRequested(dataClass: ClassModel, names: Names): Requested {
  return { dataClass, names, all: false, values: new Map(), relations: new Map() }
}

function addAttributePath(requested: Requested, path: string, maxDepth: number): void {
  try {
    const { target, last } = followRelations(requested, path, maxDepth)
    if (last === '*') {
      target.all = true
      return
    }
    if (isMark(target, last)) return
    // "notes.*" is all that is in the object: the object.
    const named = last.endsWith('.*') && isObjectPath(target, last) ? last.slice(0, -2) : last
    const { attribute, properties } = target.names.path(target.dataClass, named, maxDepth)
    if (properties.some((property) => property.includes('[')))
      throw new EntiaError('attributeNotApplicable', {
        dataClass: target.dataClass.name,
        attribute: attribute.name,
        use: `the path "${named}"`,
        remedy: 'Elements of a collection ("[]") are named in filters only.',
      })
    if (isRelation(attribute)) {
      if (!target.relations.has(attribute.name)) target.relations.set(attribute.name, null)
    } else addValue(target, attribute.name, properties)
  } catch (cause) {
    throw listInvalid('attributeListInvalid', requested, path, cause)
  }
}

/** An error about a name of a list, as one about the list. */
const listInvalid = (
  code: 'attributeListInvalid' | 'expandListInvalid',
  { dataClass }: Requested,
  path: string,
  cause: unknown,
): unknown =>
  wrapUnknown(
    cause,
    (attribute) => engineError(code, { dataClass: dataClass.name, attribute }, { cause }),
    path,
  )

/** Each entity is shown with its key, stamp and timestamp. Attributes of these names come first. */
function isMark({ dataClass, names }: Requested, name: string): boolean {
  return MARKS.has(name) && names.find(dataClass, name) === undefined
}
const MARKS: ReadonlySet<string> = new Set(['key', 'stamp', 'timestamp'])

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
  const names = namesOf(path, maxDepth)
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
function addExpandPath(requested: Requested, path: string, expanding: Expanding): boolean {
  try {
    if (path !== '$all') return expandOne(requested, path, expanding)
    for (const { name } of requested.names.attributes(requested.dataClass).filter(isRelation))
      expandOne(requested, name, expanding)
    return false
  } catch (cause) {
    throw listInvalid('expandListInvalid', requested, path, cause)
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

export interface ProjectionRequest {
  readonly names: Names
  /** From `$attributes` or the path; null for all. */
  readonly attributes: readonly string[] | null
  readonly expand?: readonly string[]
  /** `$asArray`: only requested relations are included. */
  readonly plain?: boolean
  /** What `$expand` names that cannot be expanded is selected, as if `$attributes` named it. */
  readonly expandSelects?: boolean
  /** Relations behind all else, as answers to writes show them. */
  readonly relationsLast?: boolean
  readonly maxPathDepth: number
}

/**
 * Builds the projection that `$attributes` (or the path's list) and `$expand` ask for. Throws
 * attributeListInvalid and expandListInvalid around the name that is unknown, budgetExceeded.
 */
export function buildProjection(dataClass: ClassModel, request: ProjectionRequest): Projection {
  const { names, attributes, expand = [], plain = false, maxPathDepth } = request
  const { expandSelects = false, relationsLast = false } = request
  const { projections } = names
  // What nearly everybody asks for is found without the text of a question.
  if (attributes === null && expand.length === 0) {
    const form = (plain ? 1 : 0) + (relationsLast ? 2 : 0)
    names.defaultProjections[form] ??= new Map()
    const defaults = names.defaultProjections[form]
    let whole = defaults.get(dataClass)
    if (whole === undefined) {
      whole = build(dataClass, request)
      defaults.set(dataClass, whole)
    }
    return whole
  }
  // Names hold neither commas nor blanks.
  const asked = `${dataClass.name} ${attributes?.join() ?? '*'} ${expand.join()} ${plain} ${expandSelects} ${relationsLast} ${maxPathDepth}`
  const known = projections.get(asked)
  if (known !== undefined) return known
  const built = build(dataClass, request)
  const isFull = names.projectionCharacters >= MAX_PROJECTION_CHARACTERS
  if (isFull || projections.size >= MAX_PROJECTIONS) {
    projections.clear()
    names.projectionCharacters = 0
  }
  projections.set(asked, built)
  names.projectionCharacters += asked.length
  return built
}

/** Projections kept for the same question again. */
const MAX_PROJECTIONS = 256
/** Characters of what they were asked by: what a long list makes is large. */
const MAX_PROJECTION_CHARACTERS = 128 * 1024

function build(dataClass: ClassModel, request: ProjectionRequest): Projection {
  const { names, attributes, expand = [], expandSelects = false, maxPathDepth } = request
  const requested = newRequested(dataClass, names)
  for (const path of attributes ?? []) addAttributePath(requested, path, maxPathDepth)
  let selects = false
  for (const path of expand)
    selects = addExpandPath(requested, path, { maxPathDepth, expandSelects }) || selects
  if (attributes === null && !selects) requested.all = true
  const built = toProjection(requested, request.plain === true)
  if (request.relationsLast !== true) return built
  const isRelated = ({ kind }: ProjectedField) => kind !== 'value' && kind !== 'properties'
  const { fields } = built
  return {
    dataClass,
    fields: [...fields.filter((field) => !isRelated(field)), ...fields.filter(isRelated)],
  }
}

function toProjection(requested: Requested, plain: boolean): Projection {
  const fields: ProjectedField[] = []
  const taken = new Set<string>()
  const add = (attribute: AttributeModel): void => {
    if (taken.has(attribute.name)) return
    taken.add(attribute.name)
    fields.push(toField(requested, attribute, plain))
  }
  if (requested.all)
    for (const attribute of requested.names.attributes(requested.dataClass))
      if (!plain || !isRelation(attribute) || requested.relations.has(attribute.name))
        add(attribute)
  for (const name of [...requested.values.keys(), ...requested.relations.keys()])
    add(requested.names.attribute(requested.dataClass, name))
  return { dataClass: requested.dataClass, fields }
}

function toField(requested: Requested, attribute: AttributeModel, plain: boolean): ProjectedField {
  const { name } = attribute
  if (!isRelation(attribute)) {
    const paths = requested.all ? null : (requested.values.get(name) ?? null)
    return paths === null || typeOf(attribute) !== 'object'
      ? { kind: 'value', name, attribute }
      : { kind: 'properties', name, attribute, paths: outermost(paths) }
  }
  const inner = requested.relations.get(name) ?? null
  if (attribute.kind === 'relatedEntity')
    return inner === null
      ? { kind: 'deferredEntity', name, attribute }
      : { kind: 'entity', name, attribute, projection: toProjection(inner, plain) }
  return inner === null
    ? { kind: 'deferredEntities', name, attribute }
    : { kind: 'entities', name, attribute, projection: toProjection(inner, plain) }
}
