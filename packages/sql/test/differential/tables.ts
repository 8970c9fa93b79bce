import type { ClassModel, StorageAttribute } from '@entia/core'
import {
  buildCatalog,
  coerceInput,
  type RecordView,
  Refusal,
  type StoredValue,
} from '@entia/core/internal'
import { DATA_CLASSES } from '../../../core/test/differential/data-classes.ts'
import { CLASS_NAMES, type ClassName, type Row } from '../../../core/test/differential/schema.ts'
import type { World } from '../../../core/test/differential/world.ts'
import { layoutOf } from '../../src/schema/layout.ts'
import { WORDS_SUFFIX } from '../../src/schema/names.ts'
import { encode, writtenColumns, writtenTypes } from '../../src/schema/row-codec.ts'
import { type SqlModel, sqlModelOf } from '../../src/schema/sql-model.ts'
import { createWordsFunction } from '../../src/schema/word-index.ts'
import { joined, type Sql, sql } from '../../src/sql-builder/sql.ts'

/** The tables of the differential model. */
export const differentialModel = (schema: string): SqlModel =>
  sqlModelOf(buildCatalog({ name: 'differential', dataClasses: DATA_CLASSES }), { schema })

export const createTables = (model: SqlModel): readonly string[] => [
  `CREATE SCHEMA "${model.schema}"`,
  createWordsFunction(model.schema),
  ...model.tables.map(({ name, columns }) => {
    const all = columns.flatMap((column) => {
      const types = writtenTypes(column)
      return writtenColumns(column).map(({ quoted }, at) =>
        types[at] === 'text' ? `${quoted} text COLLATE "C"` : `${quoted} ${types[at]}`,
      )
    })
    return `CREATE UNLOGGED TABLE ${name.quoted} (_rec bigint PRIMARY KEY, ${all.join(', ')})`
  }),
  ...layoutOf(model).flatMap(({ indexes }) =>
    indexes.filter(({ name }) => name.endsWith(WORDS_SUFFIX)).map(({ definition }) => definition),
  ),
]

/** Replaces all rows by those of a world. */
export function fillTables({ tables, catalog }: SqlModel, { rows }: World): readonly Sql[] {
  const names = joined(
    tables.map(({ name }) => name),
    sql`, `,
  )
  return [
    sql`TRUNCATE ${names}`,
    ...CLASS_NAMES.flatMap((className) => {
      const { name, columns } = tables[catalog.byName.get(className)!.ordinal]!
      if (rows[className].length === 0) return []
      const values = rows[className].map(({ position, row }) => {
        const cells = columns.flatMap((column) =>
          encode(column, storedValue(column.attribute, row)),
        )
        return sql`(${joined([position, ...cells], sql`, `)})`
      })
      return [sql`INSERT INTO ${name} VALUES ${joined(values, sql`, `)}`]
    }),
  ]
}

function storedValue(attribute: StorageAttribute, row: Row): StoredValue {
  const { type, dateOnly, relation, hidden, name } = attribute
  const written = hidden && relation !== null ? relation.name : name
  const given = Object.hasOwn(row, written) ? row[written] : null
  const stored = coerceInput(type, dateOnly, given)
  if (stored instanceof Refusal) throw new Error(`${name} cannot be ${String(given)}`)
  return stored
}

/** The entities of a dataclass by record number, as tests of one record read them. */
export function recordViews(
  { catalog }: SqlModel,
  { rows }: World,
  dataClass: ClassModel,
): ReadonlyMap<number, RecordView> {
  const viewOf = (model: ClassModel, row: Row): RecordView => ({
    read: (ordinal) => storedValue(model.storage[ordinal]!, row),
    follow({ foreignKey, target }) {
      const key = storedValue(foreignKey, row)
      const found = rows[target.name as ClassName].find(({ row }) => row[target.key.name] === key)
      return found === undefined ? null : viewOf(target, found.row)
    },
    some({ inverse: { owner, foreignKey } }, test) {
      const key = storedValue(model.key, row)
      return rows[owner.name as ClassName].some(
        ({ row: other }) => storedValue(foreignKey, other) === key && test(viewOf(owner, other)),
      )
    },
  })
  const { name } = catalog.classes[dataClass.ordinal]!
  return new Map(
    rows[name as ClassName].map(({ position, row }) => [position, viewOf(dataClass, row)]),
  )
}
