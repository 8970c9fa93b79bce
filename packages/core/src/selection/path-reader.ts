import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import type { RelationAttribute } from '../model/catalog.ts'
import type { ResolvedPath } from '../model/path.ts'
import type { Table } from '../storage/table.ts'
import { propertyAt } from '../value/json.ts'
import type { Json } from '../value/types.ts'
import { presentedReader } from './entity-factory.ts'

/** Visits the records that relations lead to from a record: none, one, or many. */
export function forEachRelated(
  database: Database,
  steps: readonly RelationAttribute[],
  slot: number,
  visit: (slot: number) => void,
): void {
  if (steps.length === 0) {
    visit(slot)
    return
  }
  for (const related of relatedSlots(database, steps[0], slot)) forEachRelated(database, steps.slice(1), related, visit)
}

/** The records a relation leads to, in record order. Cost O(answer). */
export function relatedSlots(
  database: Database,
  relation: RelationAttribute,
  slot: number,
): Int32Array | readonly number[] {
  const source = database.tableOf(relation.owner)
  const target = database.tableOf(relation.target)
  if (relation.kind === 'relatedEntity') {
    const key = source.read(slot, relation.foreignKey.ordinal)
    const related = key === null ? -1 : target.findKey(key)
    return related < 0 ? [] : [related]
  }
  const key = source.read(slot, source.model.key.ordinal)
  const index = target.indexes[relation.inverse.foreignKey.ordinal]
  if (index === null || index.postings === null) return []
  const list = index.listOfValue(key as string | number)
  if (list === 0) return []
  const start = index.postings.start(list)
  return index.postings.data.slice(start, start + index.postings.length(list))
}

/** Reads the last attribute of a path from a record of the class that it belongs to, as users see it. */
export function attributeReader(database: Database, path: ResolvedPath): (slot: number) => unknown {
  const { attribute, properties } = path
  const table: Table = database.tableOf(attribute.owner)
  switch (attribute.kind) {
    case 'storage': {
      if (properties.length === 0) return presentedReader(table, attribute.ordinal)
      const column = table.columns[attribute.ordinal]
      return (slot) => propertyAt(column.read(slot) as Json, properties) ?? null
    }
    case 'calculated':
      return (slot) => (database.entityAt(table, slot) as Record<string, unknown>)[attribute.name] ?? null
    default:
      throw new EntiaError('attributeNotApplicable', {
        dataClass: attribute.owner.name,
        attribute: attribute.name,
        use: 'a value',
        remedy: `Name an attribute behind the relation: "${attribute.name}.<attribute>".`,
      })
  }
}
