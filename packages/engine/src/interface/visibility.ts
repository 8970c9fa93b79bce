import type { RowFilter } from '@entia/core'
import type { Caller } from './caller.ts'
import { fingerprint } from './fingerprint.ts'

/**
 * Identifies what a caller may see: the known dataclasses and attributes with their types, and the
 * row filters. Callers with equal ones see the same entities. Cost: O(model).
 */
export function visibilityOf({ names, access }: Pick<Caller, 'names' | 'access'>): string {
  const known = names
    .dataClasses()
    .map((dataClass) => [
      dataClass.name,
      ...names
        .attributes(dataClass)
        .map((attribute) => [
          attribute.name,
          attribute.kind,
          'type' in attribute ? attribute.type : null,
        ]),
    ])
  // Row filters of one dataclass may read others.
  const rows =
    access === null
      ? []
      : names.catalog.classes.map((each) => [each.name, filterText(access.rows(each, 'read'))])
  return fingerprint(JSON.stringify([known, rows]))
}

function filterText(rows: boolean | RowFilter): unknown {
  if (typeof rows !== 'object') return rows
  if ('text' in rows) return [rows.text, rows.params]
  const { filter } = rows
  return { ...rows, filter: filterText(filter as RowFilter) }
}
