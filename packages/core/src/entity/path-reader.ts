import { type Database, recordFinder } from '../execute/database.ts'
import { comparableOf } from '../execute/predicate-filter.ts'
import type { Scalar } from '../filter/predicate.ts'
import type { RelationAttribute } from '../model/catalog.ts'
import { notApplicable, type ResolvedPath } from '../model/path.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { WordColumn } from '../storage/column.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import type { Table } from '../storage/table.ts'
import { textKey } from '../value/compare.ts'
import { dateOrderKey } from '../value/date.ts'
import { propertyAt } from '../value/json.ts'
import type { Json, StoredValue } from '../value/types.ts'
import { presentedReader } from './entity-factory.ts'

/** Visits the records, none or many, that relations lead to from a record. */
type RelatedVisitor = (slot: number, visit: (slot: number) => void) => void

/** Follows a path of relations to the records that the reader may see. */
export function relatedVisitor(
  database: Database,
  steps: readonly RelationAttribute[],
): RelatedVisitor {
  if (steps.length === 0) return (slot, visit) => visit(slot)
  const next = relatedReader(database, steps[0])
  const further = relatedVisitor(database, steps.slice(1))
  return (slot, visit) => {
    for (const related of next(slot)) further(related, visit)
  }
}

/**
 * The same, but if several records lead to one entity over the first relation, only one of them is
 * followed. A relation usually leads to far fewer entities than there are records that refer to
 * them.
 */
export function relatedOnceVisitor(
  database: Database,
  steps: readonly RelationAttribute[],
): RelatedVisitor {
  const visitRelated = relatedVisitor(database, steps)
  const [first] = steps
  if (first?.kind !== 'relatedEntity') return visitRelated
  const column = database.tableOf(first.owner).columns[first.foreignKey.ordinal]
  if (column instanceof WordColumn) {
    const { codes } = column
    const isSeen = new Uint8Array(column.dictionary.codeLimit)
    return (slot, visit) => {
      if (isSeen[codes[slot]] === 1) return
      isSeen[codes[slot]] = 1
      visitRelated(slot, visit)
    }
  }
  const seen = new Set<StoredValue>()
  return (slot, visit) => {
    const key = column.read(slot)
    if (seen.has(key)) return
    seen.add(key)
    visitRelated(slot, visit)
  }
}

/**
 * The records that a relation leads to and the reader may see, in record order. Cost of a call:
 * O(related).
 */
export function relatedReader(
  database: Database,
  relation: RelationAttribute,
): (slot: number) => Int32Array | readonly number[] {
  const source = database.tableOf(relation.owner)
  if (relation.kind === 'relatedEntity') {
    const find = recordFinder(database, relation.target)
    return (slot) => {
      const related = find(source.read(slot, relation.foreignKey.ordinal))
      return related < 0 ? [] : [related]
    }
  }
  const target = database.tableOf(relation.target)
  const visible = database.visibleIn(relation.target)
  return (slot) => {
    const key = source.read(slot, source.model.key.ordinal) as string | number
    target.needReferrers(relation.inverse.foreignKey.ordinal, key)
    // Every foreign key has posting lists.
    const index = target.indexes[relation.inverse.foreignKey.ordinal] as AttributeIndex
    const postings = index.postings as PostingLists
    const list = index.listOfValue(key)
    if (list === 0) return []
    const start = postings.start(list)
    const related = postings.data.slice(start, start + postings.length(list))
    return visible === null ? related : related.filter((slot) => visible.has(slot))
  }
}

/** What is read of the record at the end of a path. */
type PathEnd = Pick<ResolvedPath, 'attribute' | 'properties'>

/**
 * The comparison key of a value as users see it; null for a value that is not compared. Computed
 * objects and media have a key only for counts.
 */
export function comparableReader({
  attribute,
  properties,
}: PathEnd): (value: unknown) => Scalar | null {
  if (attribute.kind === 'calculated' && properties.length === 0)
    return (value) => comparableOf(attribute, value)
  const collation = attribute.kind === 'storage' ? attribute.collation : 'folded'
  const isDate =
    attribute.kind === 'storage' && attribute.type === 'date' && properties.length === 0
  return (value) => {
    if (typeof value === 'string') return isDate ? dateOrderKey(value) : textKey(value, collation)
    return typeof value === 'number' || typeof value === 'boolean' ? value : null
  }
}

/** Visits a value, or the elements of a property that is an array. */
export function visitValues(
  { properties }: ResolvedPath,
  value: unknown,
  visit: (value: unknown) => void,
): void {
  if (properties.length > 0 && Array.isArray(value)) for (const element of value) visit(element)
  else visit(value)
}

/** Reads the last attribute of a path, as users see it, from a record of the attribute's class. */
export function attributeReader(database: Database, path: PathEnd): (slot: number) => unknown {
  const { attribute, properties } = path
  const table: Table = database.tableOf(attribute.owner)
  switch (attribute.kind) {
    case 'storage': {
      if (properties.length === 0) return presentedReader(table, attribute.ordinal)
      const column = table.columns[attribute.ordinal]
      return (slot) => propertyAt(column.read(slot) as Json, properties) ?? null
    }
    case 'calculated':
      return (slot) => {
        const entity = database.entityAt(table, slot) as Record<string, unknown>
        return propertyAt((entity[attribute.name] ?? null) as Json, properties) ?? null
      }
    default:
      throw notApplicable(
        attribute.owner.name,
        attribute.name,
        'a value',
        `Name an attribute behind the relation: "${attribute.name}.<attribute>".`,
      )
  }
}
