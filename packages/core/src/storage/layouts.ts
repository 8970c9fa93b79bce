import type { Table } from './table.ts'

/**
 * Changes when a column is replaced or a code gets a new meaning: what was compiled for the old one
 * is compiled again. Cost O(tables).
 */
export function layoutsOf(tables: readonly Table[]): number {
  let layouts = 0
  for (let i = 0; i < tables.length; i++) layouts += tables[i].layout
  return layouts
}
