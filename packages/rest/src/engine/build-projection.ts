import type { AttributeModel, ClassModel } from '@entia/core'
import { isRelation, type Names, typeOf } from './names.ts'
import type { ProjectedField, Projection } from './projection.ts'
import { addAttributePath, addExpandPath, newRequested, type Requested } from './requested-names.ts'

export interface ProjectionRequest {
  readonly names: Names
  /** From `$attributes` or the path; null for all. */
  readonly attributes: readonly string[] | null
  readonly expand: readonly string[]
  /** `$asArray`: only requested relations are included. */
  readonly plain: boolean
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
  const { projections } = request.names
  const {
    attributes,
    expand,
    plain,
    expandSelects = false,
    relationsLast = false,
    maxPathDepth,
  } = request
  // What nearly everybody asks for is found without the text of a question.
  if (attributes === null && expand.length === 0) {
    const form = (plain ? 1 : 0) + (relationsLast ? 2 : 0)
    request.names.wholes[form] ??= new Map()
    const wholes = request.names.wholes[form]
    let whole = wholes.get(dataClass)
    if (whole === undefined) {
      whole = buildAsked(dataClass, request)
      wholes.set(dataClass, whole)
    }
    return whole
  }
  // Names hold neither commas nor blanks.
  const asked = `${dataClass.name} ${attributes?.join() ?? '*'} ${expand.join()} ${plain} ${expandSelects} ${relationsLast} ${maxPathDepth}`
  const known = projections.get(asked)
  if (known !== undefined) return known
  const built = buildAsked(dataClass, request)
  if (
    projections.size >= MAX_PROJECTIONS ||
    request.names.projectionCharacters >= MAX_PROJECTION_CHARACTERS
  ) {
    projections.clear()
    request.names.projectionCharacters = 0
  }
  projections.set(asked, built)
  request.names.projectionCharacters += asked.length
  return built
}

function buildAsked(dataClass: ClassModel, request: ProjectionRequest): Projection {
  const built = build(dataClass, request)
  return request.relationsLast === true ? withRelationsLast(built) : built
}

function withRelationsLast({ dataClass, fields }: Projection): Projection {
  const isRelated = ({ kind }: ProjectedField) => kind !== 'value' && kind !== 'properties'
  return {
    dataClass,
    fields: [...fields.filter((field) => !isRelated(field)), ...fields.filter(isRelated)],
  }
}

/** Projections kept for the same question again. */
const MAX_PROJECTIONS = 256
/** Characters of what they were asked by: what a long list makes is large. */
const MAX_PROJECTION_CHARACTERS = 128 * 1024

function build(dataClass: ClassModel, request: ProjectionRequest): Projection {
  const { names, attributes, expand, expandSelects = false, plain, maxPathDepth } = request
  const requested = newRequested(dataClass, names)
  for (const path of attributes ?? []) addAttributePath(requested, path, maxPathDepth)
  let selects = false
  for (const path of expand)
    selects = addExpandPath(requested, path, { maxPathDepth, expandSelects }) || selects
  if (attributes === null && !selects) requested.all = true
  return toProjection(requested, plain)
}

/** Leaves out paths below another path of the list, whose value contains theirs. */
function outermost(paths: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isBelow = (path: readonly string[], other: readonly string[]): boolean =>
    other.length < path.length && other.every((name, at) => name === path[at])
  return paths.filter((path) => !paths.some((other) => isBelow(path, other)))
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
