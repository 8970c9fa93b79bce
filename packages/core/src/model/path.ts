import { EntiaError, overBudget } from '../errors.ts'
import { checkText } from '../value/check-options.ts'
import type {
  AttributeModel,
  ClassModel,
  ComputedAttribute,
  RelationAttribute,
  StorageAttribute,
  ToManyAttribute,
  ToOneAttribute,
} from './catalog.ts'

/** The maximal number of relations in a path, after aliases are expanded. */
export const MAX_PATH_STEPS = 32
/** The maximal number of property names after an object attribute. */
const MAX_PATH_PROPERTIES = 64

/** A resolved path: relations, an attribute, and properties of an object attribute. */
export interface ResolvedPath {
  readonly steps: readonly RelationAttribute[]
  /**
   * A relation if the path ends with one. Never an alias: aliases are replaced by their steps and
   * target.
   */
  readonly attribute: StorageAttribute | ComputedAttribute | ToOneAttribute | ToManyAttribute
  /**
   * The attribute that the path names, possibly an alias. Messages use it, since the target of an
   * alias may be hidden.
   */
  readonly written: AttributeModel
  /**
   * Property names after an object attribute, as written. They are arbitrary: read own properties
   * only (`propertyAt`).
   */
  readonly properties: readonly string[]
}

/** True for the attributes that a caller may see. All others are treated as unknown. */
export type Sees = (attribute: AttributeModel) => boolean
export const everything: Sees = () => true

/**
 * The name of the key in the REST interface, whatever the key attribute is called. No attribute can
 * have this name.
 */
const KEY_NAME = '__KEY'

/** The attribute with this name, or undefined; `__KEY` is the key attribute. Cost: O(1). */
export function findAttribute(dataClass: ClassModel, name: string): AttributeModel | undefined {
  return dataClass.attributes.get(name) ?? (name === KEY_NAME ? dataClass.key : undefined)
}

/** The attribute with this name. Throws `attributeNotFound` also where `sees` is false. */
export function knownAttribute(dataClass: ClassModel, name: string, sees: Sees): AttributeModel {
  const attribute = findAttribute(dataClass, name)
  if (attribute === undefined || !sees(attribute)) throw unknownAttribute(dataClass, name, sees)
  return attribute
}

export function isRelation(attribute: AttributeModel): attribute is RelationAttribute {
  return attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities'
}

/**
 * Resolves a dotted path (`employer.city`, `notes.tags`) from a dataclass; an alias is replaced by
 * its steps and target. Collection marks (`coll[]`) in property names stay as written. Attributes
 * for which `sees` is false are unknown. Cost: O(path). Throws `attributeNotFound` naming the part
 * and the class, `attributeNotApplicable` for a path that continues after a plain value, and
 * `budgetExceeded` for a path that is too long.
 */
export function resolvePath(
  dataClass: ClassModel,
  path: string,
  sees: Sees = everything,
): ResolvedPath {
  checkText('A path', path, 'employer.city')
  const names = path.split('.')
  if (names.length > MAX_PATH_STEPS + MAX_PATH_PROPERTIES)
    throw tooLong('steps of one path', MAX_PATH_STEPS)
  const steps: RelationAttribute[] = []
  let current = dataClass
  for (let i = 0; i < names.length; i++) {
    const found = knownAttribute(current, names[i], sees)
    const attribute = found.kind === 'alias' ? found.target : found
    if (found.kind === 'alias') steps.push(...found.steps)
    const isLast = i === names.length - 1
    const isCrossed = isRelation(attribute) && !isLast
    if (isCrossed) steps.push(attribute)
    const properties =
      isRelation(attribute) || isLast
        ? []
        : propertiesBelow(attribute.type, found, names.slice(i + 1))
    if (steps.length > MAX_PATH_STEPS) throw tooLong('steps of one path', MAX_PATH_STEPS)
    if (!isCrossed) return { steps, attribute, written: found, properties }
    current = attribute.target
  }
  throw unknownAttribute(dataClass, path, sees)
}

function propertiesBelow(
  type: (StorageAttribute | ComputedAttribute)['type'],
  { name, owner }: AttributeModel,
  names: readonly string[],
): readonly string[] {
  const refuse = (remedy: string): EntiaError =>
    notApplicable(owner.name, name, `the path "${name}.${names.join('.')}"`, remedy)
  if (type !== 'object')
    throw refuse('Only relations and object attributes have something behind a dot.')
  if (names.length > MAX_PATH_PROPERTIES)
    throw tooLong('properties of one path', MAX_PATH_PROPERTIES)
  if (names.some((part) => part.includes('[')))
    throw refuse('Elements of a collection ("[]") are named in filters only.')
  if (names.includes('*'))
    throw refuse('"*" stands at the end of a path that is shown only: name one property.')
  if (names.includes(''))
    throw new EntiaError('attributeNotFound', { dataClass: owner.name, attribute: `${name}.` })
  return names
}

/**
 * The names that adapters may show: exposed attributes, and relations to exposed dataclasses.
 *
 * @example
 * ```ts
 * import { dataClassOf } from '@entia/core'
 * const { attributes } = dataClassOf(store.Employee.get(1)!)
 * isVisible(attributes.get('salary')!) // → true
 * ```
 */
export function isVisible(attribute: AttributeModel): boolean {
  return attribute.exposed && (!isRelation(attribute) || attribute.target.exposed)
}

/** The error for a name that is unknown or hidden: both give the same message. */
export function unknownAttribute(dataClass: ClassModel, name: string, sees: Sees): EntiaError {
  return new EntiaError('attributeNotFound', {
    dataClass: dataClass.name,
    attribute: name,
    // The message may reach the callers of an adapter, so it must not name hidden attributes.
    known: [...dataClass.attributes.values()]
      .filter((known) => isVisible(known) && sees(known))
      .map(({ name }) => name),
  })
}

const tooLong = (what: string, limit: number): EntiaError =>
  overBudget(what, limit, 'not adjustable')

/** The way back from the target of a to-one relation, also if the model has no name for it. */
export const wayBack = (relation: ToOneAttribute): ToManyAttribute =>
  relation.inverse ?? {
    kind: 'relatedEntities',
    name: `${relation.owner.name}.${relation.name}`,
    owner: relation.target,
    target: relation.owner,
    inverse: relation,
    exposed: false,
  }

/** The error for a dataclass that is unknown or hidden. */
export const unknownDataClass = (dataClass: unknown, known: Iterable<string>): EntiaError =>
  new EntiaError('dataClassNotFound', { dataClass: String(dataClass), known: [...known] })

/** The error for a use that an attribute does not have. */
export const notApplicable = (
  dataClass: string,
  attribute: string,
  use: string,
  remedy: string,
): EntiaError => new EntiaError('attributeNotApplicable', { dataClass, attribute, use, remedy })

/**
 * Refuses a path along a relation where only values of the dataclass itself are aggregated, as in
 * every asynchronous store. Throws `attributeNotApplicable`.
 */
export function checkOwnPath(dataClass: ClassModel, path: string): void {
  const [first = '', ...others] = String(path).split('.')
  const kind = dataClass.attributes.get(first)?.kind
  if (others.length === 0 || (kind !== 'relatedEntity' && kind !== 'relatedEntities')) return
  throw notApplicable(
    dataClass.name,
    path,
    'aggregates and distinct values',
    'Name an attribute of the dataclass itself, or an alias.',
  )
}
