import type { ClassModel, StorageAttribute } from '@entia/core'
import { coerceInput, numberedAttributes } from '@entia/core/internal'
import type {
  EntityReference,
  KeyValue,
  Missing,
  RemoveQuery,
  WriteItem,
  WriteQuery,
} from '@entia/engine'
import type { Decided } from '../write/decided.ts'

/** The facts that saving some items will surely ask for. Wrong guesses cost a look-up only. */
export function predictedOfWrite({ dataClass, items }: WriteQuery): readonly Missing[] {
  const ofNew = predictedOfNew(dataClass)
  const missing: Missing[] = []
  for (const { reference, values } of items) {
    const isNew = reference === null
    for (const each of isNew ? ofNew : predictedOfReference(reference)) missing.push(each)
    addPredictedOfValues(missing, dataClass, values, isNew)
  }
  return missing
}

/** The dataclass of a request whose items name entities: they are surely written. */
export const writtenOf = ({ dataClass, items }: WriteQuery | RemoveQuery): Set<ClassModel> =>
  new Set((items ?? []).some((item) => 'reference' in item && item.reference) ? [dataClass] : [])

export const predictedOfRemoval = ({ items }: RemoveQuery): readonly Missing[] =>
  (items ?? []).flatMap((item) => ('reference' in item ? predictedOfReference(item.reference) : []))

/**
 * How a save may first be decided: see `Decided`. It changes one entity, or makes new ones with
 * automatic numbers, in one commit. An answer that shows related entities needs more facts.
 */
export function attemptOfSave(query: WriteQuery): Decided<unknown>['attempt'] {
  const { dataClass, items, atomic, refresh, projection } = query
  if (refresh || (items.length > 1 && !atomic)) return undefined
  const isUpdate = items.length === 1 && items[0]!.reference !== null
  const isNew = items.every(({ reference }) => reference === null) && isNumbered(dataClass)
  if (!isUpdate && !isNew) return undefined
  const isExpanded = projection.fields.some(({ kind }) => kind === 'entity' || kind === 'entities')
  return isExpanded ? 'known' : 'read'
}

/** The facts that saving one entity will surely ask for; `key` is null for a new one. */
export function predictedOfSave(
  dataClass: ClassModel,
  key: unknown,
  values: ReadonlyMap<string, unknown>,
): readonly Missing[] {
  const missing = [...(key === null ? predictedOfNew(dataClass) : predictedOfKey(dataClass, key))]
  addPredictedOfValues(missing, dataClass, values, key === null)
  return missing
}

/** A sequence of numbers; UUIDs have none. */
const predictedOfNew = (dataClass: ClassModel): readonly Missing[] =>
  isNumbered(dataClass) ? [{ kind: 'sequence', dataClass }] : []

export const isNumbered = (dataClass: ClassModel): boolean =>
  numberedAttributes(dataClass).length > 0

/** Nothing for a value that no entity has as its key. */
export function predictedOfKey(dataClass: ClassModel, given: unknown): readonly Missing[] {
  const key = scalarGiven(dataClass.key, given)
  return key === null ? [] : [{ kind: 'entity', dataClass, key }]
}

/** The stored value of a text or number; null for other values and for those that are refused. */
function scalarGiven({ type, dateOnly }: StorageAttribute, given: unknown): KeyValue | null {
  const value = coerceInput(type, dateOnly, given)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

export function predictedOfReference(reference: EntityReference): readonly Missing[] {
  return reference.kind === 'attribute' ? [] : predictedOfKey(reference.dataClass, reference.key)
}

/** Holders of unique values, given keys, and targets of relations. */
function addPredictedOfValues(
  missing: Missing[],
  dataClass: ClassModel,
  values: WriteItem['values'],
  isNew: boolean,
): void {
  for (const attribute of askingAttributes(dataClass)) {
    const { relation } = attribute
    const given = values.get(attribute.name) ?? (relation && values.get(relation.name))
    if (typeof given !== 'string' && typeof given !== 'number') continue
    const value = scalarGiven(attribute, given)
    if (value === null) continue
    if (attribute.key && isNew) missing.push({ kind: 'entity', dataClass, key: value })
    else if (attribute.unique && !attribute.key) missing.push({ kind: 'holder', attribute, value })
    if (relation !== null) missing.push({ kind: 'entity', dataClass: relation.target, key: value })
  }
}

/** The attributes whose values ask for facts. */
function askingAttributes(dataClass: ClassModel): readonly StorageAttribute[] {
  let asking = askingByClass.get(dataClass)
  if (asking === undefined) {
    asking = dataClass.storage.filter(({ relation, unique, key }) => relation || unique || key)
    askingByClass.set(dataClass, asking)
  }
  return asking
}
const askingByClass = new WeakMap<ClassModel, readonly StorageAttribute[]>()
