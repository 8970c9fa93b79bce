import type { AnyDataStore, ClassModel } from '@entia/core'
import type { Row } from '../print/rows.ts'

type Table = ReturnType<AnyDataStore['dataClass']>

/** The stored columns of an entity, and the selected path of each. */
interface StoredColumns {
  readonly names: readonly string[]
  readonly paths: string
  readonly read: (selected: Row) => Row
}

/**
 * The attributes with own values, in the order of the model; for a relation that is its own foreign
 * key, the key.
 */
function storedColumns({ attributes }: ClassModel): StoredColumns {
  const names: string[] = []
  const paths: string[] = []
  const related = new Map<string, string>()
  for (const attribute of attributes.values()) {
    if (attribute.kind === 'storage') {
      names.push(attribute.name)
      paths.push(attribute.name)
    } else if (attribute.kind === 'relatedEntity' && attribute.foreignKey.hidden) {
      names.push(attribute.name)
      paths.push(`${attribute.name}.${attribute.target.key.name}`)
      related.set(attribute.name, attribute.target.key.name)
    }
  }
  const keyOf = (entity: unknown, name: string): unknown => (entity as Row | null)?.[name] ?? null
  const read = (selected: Row): Row => {
    if (related.size === 0) return selected
    const row: Record<string, unknown> = { ...selected }
    for (const [name, key] of related) row[name] = keyOf(row[name], key)
    return row
  }
  return { names, paths: paths.join(', '), read }
}

const PAGE = 1000

/**
 * The stored values of a selection, and the names of their columns. Reads page by page to bound
 * memory.
 */
export function storedRows(
  { model }: Table,
  selection: ReturnType<Table['all']>,
): {
  readonly columns: readonly string[]
  readonly rows: Iterable<Row>
  /** The number of rows. */
  readonly total: number
} {
  const { names, paths, read } = storedColumns(model)
  const rows = function* (): Iterable<Row> {
    for (let at = 0; at < selection.count; at += PAGE)
      for (const selected of selection.page(at, PAGE).select(paths)) yield read(selected as Row)
  }
  return { columns: names, rows: rows(), total: selection.count }
}
