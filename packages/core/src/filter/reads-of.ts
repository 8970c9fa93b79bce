import { assertNever } from '../errors.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { OrderBy, Predicate } from './predicate.ts'

/** Dataclasses, each with the columns that are read of its entities. */
export type Reads = ReadonlyMap<ClassModel, ReadonlySet<number>>

/**
 * What a predicate about entities of one dataclass, with an order, reads; null where that cannot be told: what computes an attribute may
 * read anything.
 */
export function readsOf(dataClass: ClassModel, predicate: Predicate, orderBy: OrderBy | null): Reads | null {
  const reads: WrittenReads = new Map([[dataClass, new Set()]])
  if (!addReads(predicate, reads)) return null
  for (const { steps, attribute } of orderBy ?? []) {
    if (attribute.kind === 'calculated') return null
    for (const step of steps) addRelation(step, reads)
    addColumn(attribute, reads)
  }
  return reads
}

type WrittenReads = Map<ClassModel, Set<number>>

function addColumn({ owner, ordinal }: StorageAttribute, reads: WrittenReads): void {
  const columns = reads.get(owner)
  if (columns === undefined) reads.set(owner, new Set([ordinal]))
  else columns.add(ordinal)
}

/** A relation leads from a foreign key to a key, or back. */
function addRelation(relation: RelationAttribute, reads: WrittenReads): void {
  addColumn(relation.kind === 'relatedEntity' ? relation.foreignKey : relation.inverse.foreignKey, reads)
  addColumn(relation.kind === 'relatedEntity' ? relation.target.key : relation.owner.key, reads)
}

function addReads(predicate: Predicate, reads: WrittenReads): boolean {
  switch (predicate.kind) {
    case 'constant':
      return true
    case 'compare':
    case 'property':
      addColumn(predicate.attribute, reads)
      return true
    case 'computed':
      return false
    case 'related':
      addRelation(predicate.relation, reads)
      return addReads(predicate.part, reads)
    case 'not':
      return addReads(predicate.part, reads)
    case 'and':
    case 'or':
      return predicate.parts.every((part) => addReads(part, reads))
    default:
      return assertNever(predicate)
  }
}
