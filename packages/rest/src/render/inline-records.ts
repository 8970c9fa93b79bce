import type { EntityRecord, Projection, RelatedPage } from '../engine/projection.ts'

/** A record with the projection for which it was read. */
export interface ShownRecord {
  readonly record: EntityRecord
  readonly projection: Projection
}

/** An entity and all its inline entities, each after its own inline entities. */
export function inmostFirst(shown: ShownRecord): readonly ShownRecord[] {
  const outerFirst: ShownRecord[] = []
  const open = [shown]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    outerFirst.push(next)
    open.push(...inlineIn(next))
  }
  return outerFirst.reverse()
}

function inlineIn({ record, projection }: ShownRecord): readonly ShownRecord[] {
  return projection.fields.flatMap((field, at) => {
    const value = record.values[at]
    if (field.kind === 'entity' && value !== null)
      return [{ record: value as EntityRecord, projection: field.projection }]
    if (field.kind !== 'entities' || value === null) return []
    return (value as RelatedPage).records.map((record) => ({
      record,
      projection: field.projection,
    }))
  })
}

/** True if records show more than `most` entities, including inline ones. */
export function showMoreThan(
  most: number,
  records: readonly (EntityRecord | null)[],
  projection: Projection,
): boolean {
  return sizeOf(records, projection, most) > most
}

/** The number of entities shown; for more than `most`, any number above it. */
function sizeOf(
  records: readonly (EntityRecord | null)[],
  projection: Projection,
  most: number,
): number {
  let size = records.length
  for (const [at, field] of projection.fields.entries()) {
    if (field.kind !== 'entity' && field.kind !== 'entities') continue
    for (const record of records) {
      if (size > most) return size
      const value = record?.values[at]
      if (value === null || value === undefined) continue
      const inner =
        field.kind === 'entity' ? [value as EntityRecord] : (value as RelatedPage).records
      size += sizeOf(inner, field.projection, most)
    }
  }
  return size
}
