import {
  type AttributeModel,
  type ClassModel,
  EntiaError,
  type RelationAttribute,
  type StorageAttribute,
  type ToOneAttribute,
} from '@entia/core'
import {
  both,
  either,
  type Predicate,
  readsOf,
  refused,
  tableParts,
  wayBack,
} from '@entia/core/internal'
import { isRelation } from '../interface/names.ts'
import { isMediaAttribute } from '../interface/projection.ts'
import type { Shape } from '../interface/replicas.ts'
import type { CallerStore } from './caller-store.ts'

/** What a replica holds of one dataclass. */
export interface HeldClass {
  readonly dataClass: ClassModel
  /** With the caller's row filters. */
  readonly predicate: Predicate
  /** The key first. */
  readonly columns: readonly HeldColumn[]
}

/** An attribute that is sent. */
export interface HeldColumn {
  /** Of the attribute, or of the relation whose hidden foreign key it is. */
  readonly name: string
  readonly attribute: StorageAttribute
  /** The relation whose key is sent only if its target is visible; null for other values. */
  readonly masked: ToOneAttribute | null
}

type ViewPort = ReturnType<typeof tableParts>['port']

/** The selections of one caller, from the inside. */
export const portOf = ({ view }: CallerStore, { name }: ClassModel): ViewPort =>
  tableParts(view.dataClass(name) as never).port

interface Draft {
  readonly dataClass: ClassModel
  readonly predicates: Predicate[]
  /** Null for all attributes. */
  names: Set<string> | null
  readonly foreignKeys: Set<StorageAttribute>
}

/**
 * The shapes of a replica as one condition for each dataclass. A relation in `with` becomes a
 * condition of the dataclass that it leads to. Throws dataClassNotFound, attributeNotFound,
 * attributeNotApplicable, argumentInvalid and the errors of a filter.
 */
export function heldClasses(
  callerStore: CallerStore,
  shapes: ReadonlyMap<string, Shape>,
): readonly HeldClass[] {
  const { names } = callerStore
  const drafts = new Map<ClassModel, Draft>()
  const draftOf = (dataClass: ClassModel, attributes: readonly string[] | null): Draft => {
    let draft = drafts.get(dataClass)
    if (draft === undefined) {
      const asked = attributes === null ? null : new Set(attributes)
      draft = { dataClass, predicates: [], names: asked, foreignKeys: new Set() }
      drafts.set(dataClass, draft)
    }
    return draft
  }
  for (const [name, { attributes }] of shapes) {
    const dataClass = names.dataClass(name)
    for (const each of attributes ?? []) names.attribute(dataClass, each)
    draftOf(dataClass, attributes)
  }
  for (const [name, { filter, with: paths }] of shapes) {
    const dataClass = names.dataClass(name)
    const draft = draftOf(dataClass, null)
    const predicate = boundTo(callerStore, dataClass, filter?.text ?? '', filter?.params)
    draft.predicates.push(predicate)
    for (const path of paths) {
      let from = { draft, predicate }
      for (const step of path.split('.')) {
        const relation = names.attribute(from.draft.dataClass, step)
        if (!isRelation(relation)) throw notARelation(relation)
        const { target } = relation
        // Other dataclasses than those of the shapes are held with all attributes.
        const next = draftOf(target, null)
        from.draft.foreignKeys.add(foreignKeyFrom(relation))
        next.foreignKeys.add(foreignKeyFrom(relation))
        const rows = portOf(callerStore, target).scope.rowsOf(target)
        const related = relatedTo(relation, from.predicate)
        const reached = rows === null ? related : both([related, rows])
        next.predicates.push(reached)
        from = { draft: next, predicate: reached }
      }
    }
  }
  return [...drafts.values()].map((draft) => ({
    dataClass: draft.dataClass,
    predicate: draft.predicates.length === 1 ? draft.predicates[0]! : either(draft.predicates),
    columns: columnsOf(callerStore, draft),
  }))
}

/** What identifies shapes, to be written as JSON. */
export const shapesText = (shapes: ReadonlyMap<string, Shape>): unknown =>
  [...shapes].map(([name, { filter, attributes, with: paths }]) => [
    name,
    filter?.text ?? null,
    filter?.params ?? null,
    attributes,
    paths,
  ])

/** The names of the dataclasses that decide what a replica is sent. Cost: O(shapes). */
export function readsOfHeld(
  callerStore: CallerStore,
  held: readonly HeldClass[],
): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (classes: Iterable<ClassModel> | null): void => {
    // A condition on a computed attribute is refused as a shape.
    for (const { name } of classes ?? []) names.add(name)
  }
  for (const { dataClass, predicate, columns } of held) {
    add([dataClass])
    add(readsOf(predicate))
    for (const { masked } of columns) {
      if (masked === null) continue
      add([masked.target])
      const rows = portOf(callerStore, masked.target).scope.rowsOf(masked.target)
      if (rows !== null) add(readsOf(rows))
    }
  }
  return names
}

function boundTo(
  callerStore: CallerStore,
  dataClass: ClassModel,
  text: string,
  params: unknown,
): Predicate {
  const { binder } = portOf(callerStore, dataClass)
  const { predicate, orderBy } = binder.bindFilter(dataClass, text, params ?? undefined)
  if (orderBy === null) return predicate
  throw refused(`The shape of ${dataClass.name}`, 'a filter without an order', 'one with an order')
}

const foreignKeyFrom = (relation: RelationAttribute): StorageAttribute =>
  relation.kind === 'relatedEntity' ? relation.foreignKey : relation.inverse.foreignKey

/** The condition of entities to which a relation leads from those that satisfy `part`. */
function relatedTo(relation: RelationAttribute, part: Predicate): Predicate {
  const back = relation.kind === 'relatedEntities' ? relation.inverse : wayBack(relation)
  return { kind: 'related', relation: back, part, whenMissing: false, instance: 1 }
}

function notARelation({ owner, name }: AttributeModel): EntiaError {
  return new EntiaError('attributeNotApplicable', {
    dataClass: owner.name,
    attribute: name,
    use: 'a path of a shape (with)',
    remedy: 'Name relations, as in "staff.manager".',
  })
}

/** A column by its name as sent. Throws attributeNotFound. */
export function columnNamed(
  { names, view }: CallerStore,
  dataClass: ClassModel,
  name: string,
): HeldColumn {
  const found = names.attribute(dataClass, name)
  if (found.kind === 'storage') return { name, attribute: found, masked: null }
  if (found.kind !== 'relatedEntity') throw names.unknown(dataClass, name)
  return { name, attribute: found.foreignKey, masked: view.restrictsRows ? found : null }
}

/** Whether the caller may not see some entities that a relation leads to. */
const hidesSome = (callerStore: CallerStore, { target }: ToOneAttribute): boolean =>
  portOf(callerStore, target).scope.rowsOf(target) !== null

/** The attributes that are sent: those that the caller may read, without contents of media. */
function columnsOf(callerStore: CallerStore, draft: Draft): readonly HeldColumn[] {
  const { names } = callerStore
  const { dataClass, foreignKeys } = draft
  if (names.find(dataClass, dataClass.key.name) === undefined)
    throw names.unknown(dataClass, dataClass.key.name)
  const columns: HeldColumn[] = []
  for (const attribute of dataClass.storage) {
    const { relation } = attribute
    // A hidden foreign key has the name of its relation.
    const own = attribute.hidden ? undefined : names.find(dataClass, attribute.name)
    const along = relation === null ? undefined : names.find(dataClass, relation.name)
    if ((own ?? along) === undefined || isMediaAttribute(attribute)) continue
    const name = own === undefined ? relation!.name : attribute.name
    const isAsked =
      draft.names === null ||
      draft.names.has(name) ||
      (relation !== null && draft.names.has(relation.name)) ||
      attribute.key ||
      foreignKeys.has(attribute)
    if (!isAsked) continue
    const masked = own === undefined && hidesSome(callerStore, relation!) ? relation : null
    columns.push({ name, attribute, masked })
  }
  return columns.sort((a, b) => Number(b.attribute.key) - Number(a.attribute.key))
}
