import { EntiaError } from '../errors.ts'
import type {
  AliasAttribute,
  AttributeModel,
  ClassModel,
  ComputedAttribute,
  RelationAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import { findAttribute } from '../model/path.ts'
import { type BindContext, cannotBeAnalysed, refusedAt } from './context.ts'
import type { PathSyntax, StepSyntax } from './syntax.ts'

/** One relation of a path, and the number of the independent join through it. */
export interface RelationStep {
  readonly relation: RelationAttribute
  readonly instance: number
}

/** The end of a path in a filter, with aliases replaced by their paths. */
interface FilterPath {
  readonly steps: readonly RelationStep[]
  readonly attribute: StorageAttribute | ComputedAttribute | RelationAttribute
  /**
   * The attribute that the path names, which may be an alias. Messages name this one: the target of
   * an alias may be hidden.
   */
  readonly written: AttributeModel
  /** `{n}` behind a relation at the end, else 1. */
  readonly instance: number
  /**
   * The names behind an object attribute. For an attribute that is itself a collection, the first
   * entry has no name.
   */
  readonly properties: readonly StepSyntax[]
}

const NO_STEPS: readonly RelationStep[] = Object.freeze([])
const NO_PROPERTIES: readonly StepSyntax[] = Object.freeze([])

/**
 * Looks up every name of a path. Cost: O(names). Throws `filterCannotBeAnalysed` at the name; for
 * an unknown name its cause is `attributeNotFound`.
 */
export function resolveFilterPath(
  context: BindContext,
  dataClass: ClassModel,
  path: PathSyntax,
): FilterPath {
  const names = path.steps
  let steps: RelationStep[] | null = null
  let current = dataClass
  for (let i = 0; i < names.length; i++) {
    const step = names[i]
    const found = findAttribute(current, step.name)
    if (found === undefined || !context.isVisible(found))
      throw unknown(context, current, step.name, step.at)
    if (found.kind === 'alias') steps = [...(steps ?? []), ...stepsOf(found)]
    const attribute = found.kind === 'alias' ? found.target : found
    if (attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities') {
      if (step.element !== null)
        throw misplaced(context, step, `[${step.element}]`, 'a collection of an object attribute')
      if (step.instance !== 1 && steps !== null && attribute.kind === 'relatedEntity')
        setApart(steps, step.instance)
      if (i === names.length - 1)
        return {
          steps: steps ?? NO_STEPS,
          attribute,
          written: found,
          instance: step.instance,
          properties: NO_PROPERTIES,
        }
      ;(steps ??= []).push({ relation: attribute, instance: step.instance })
      current = attribute.target
    } else {
      if (step.instance !== 1) throw misplaced(context, step, `{${step.instance}}`, 'a relation')
      const properties = propertiesOf(context, attribute, found, names, i)
      return { steps: steps ?? NO_STEPS, attribute, written: found, instance: 1, properties }
    }
  }
  throw unknown(context, dataClass, '', path.at)
}

/**
 * `roles.actor{2}`: one role has one actor, so another actor belongs to another role. `{n}` behind
 * a to-one relation therefore also applies to the relations before it, back to the nearest to-many
 * relation.
 */
function setApart(steps: RelationStep[], instance: number): void {
  for (let i = steps.length - 1; i >= 0 && steps[i].instance === 1; i--) {
    steps[i] = { relation: steps[i].relation, instance }
    if (steps[i].relation.kind === 'relatedEntities') return
  }
}

function stepsOf(alias: AliasAttribute): RelationStep[] {
  return alias.steps.map((relation) => ({ relation, instance: 1 }))
}

/**
 * The names behind an attribute that is not a relation: none, or properties of an object attribute.
 */
function propertiesOf(
  context: BindContext,
  attribute: StorageAttribute | ComputedAttribute,
  written: AttributeModel,
  names: readonly StepSyntax[],
  index: number,
): readonly StepSyntax[] {
  const isBare = index === names.length - 1 && names[index].element === null
  if (isBare) return NO_PROPERTIES
  if (attribute.kind !== 'storage' || attribute.type !== 'object') {
    const next = names[index + 1]
    if (next === undefined)
      throw misplaced(context, names[index], '[]', 'a collection of an object attribute')
    throw unknown(context, written.owner, `${written.name}.${next.name}`, next.at)
  }
  for (let i = index + 1; i < names.length; i++)
    if (names[i].instance !== 1)
      throw misplaced(context, names[i], `{${names[i].instance}}`, 'a relation')
  const below = names.slice(index + 1)
  return names[index].element === null ? below : [{ ...names[index], name: '' }, ...below]
}

function unknown(
  context: BindContext,
  dataClass: ClassModel,
  attribute: string,
  at: number,
): EntiaError {
  const known = [...dataClass.attributes.values()].filter(context.isVisible).map(({ name }) => name)
  return refusedAt(
    context,
    at,
    new EntiaError('attributeNotFound', { dataClass: dataClass.name, attribute, known }),
  )
}

function misplaced(
  context: BindContext,
  { name, at }: StepSyntax,
  mark: string,
  place: string,
): EntiaError {
  return cannotBeAnalysed(
    context,
    at,
    `"${mark}" can stand behind ${place} only, and "${name}" is not one.`,
  )
}

/**
 * Replaces `employer.ID` by the foreign key on this side of the relation, which compares like the
 * key. So a query for a key reads no related entity. If that entity may be hidden, the path stays:
 * a hidden entity has no key.
 */
export function nearestKey<Attribute extends StorageAttribute | ComputedAttribute>(
  context: BindContext,
  path: readonly RelationStep[],
  far: Attribute,
): { readonly steps: readonly RelationStep[]; readonly attribute: Attribute | StorageAttribute } {
  let attribute: Attribute | StorageAttribute = far
  let length = path.length
  while (length > 0) {
    const { relation } = path[length - 1]
    if (relation.kind !== 'relatedEntity' || attribute !== relation.target.key) break
    if (context.isRestricted(relation.target)) break
    attribute = relation.foreignKey
    length--
  }
  return { steps: length === path.length ? path : path.slice(0, length), attribute }
}
