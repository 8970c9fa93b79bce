import type { Catalog, ClassModel, StorageAttribute } from '@entia/core'
import { checkNames } from '@entia/core/internal'
import { SqlName } from '../sql-builder/sql.ts'
import { columnName, companionName, MAX_NAME_BYTES, tableName } from './names.ts'
import { refuseTables } from './schema-errors.ts'

/**
 * How a column holds its attribute. `folded` text has a comparison key beside it; `exact` text and
 * `uuid` are their own keys (COLLATE "C"); `date` is milliseconds, `dateOnly` days since 1970;
 * `object` is json as written, with a jsonb whose texts are folded; `media` is bytes with a media
 * type.
 */
export type ColumnKind =
  | 'bool'
  | 'integer'
  | 'bigint'
  | 'double'
  | 'folded'
  | 'exact'
  | 'uuid'
  | 'date'
  | 'dateOnly'
  | 'object'
  | 'media'

/** A column that another program made, in the type that it chose. */
export interface TheirColumn {
  readonly name: SqlName
  /** As PostgreSQL prints it. */
  readonly type: 'text' | 'uuid' | 'timestamp with time zone' | 'date'
}

/** The columns that every table has. */
export const RECORD = new SqlName('_rec')
export const STAMP = new SqlName('_stamp')
export const TIMESTAMP = new SqlName('_ts')

export interface SqlColumn {
  readonly attribute: StorageAttribute
  readonly kind: ColumnKind
  readonly name: SqlName
  /** What filters and orders compare: the folded key, the folded jsonb, or the column itself. */
  readonly key: SqlName
  /** Of `media`: the column of the media type. */
  readonly mediaType: SqlName | null
  /**
   * Of existing tables: the column of another program with the same value, which is written with
   * this one and never read. Null if this column is of Entia's type.
   */
  readonly theirs: TheirColumn | null
}

export interface SqlTable {
  readonly model: ClassModel
  /** Qualified by the schema. */
  readonly name: SqlName
  /** By the attribute's ordinal among the stored ones. */
  readonly columns: readonly SqlColumn[]
  /** The attributes with unique values beside the key. */
  readonly unique: readonly StorageAttribute[]
  /** True for a table that another program made. */
  readonly isExisting: boolean
}

/**
 * The tables of a model. Each one has, besides its columns, `_rec bigint` (the record number),
 * `_stamp integer` and `_ts bigint` (epoch milliseconds).
 */
export interface SqlModel {
  readonly catalog: Catalog
  /** The schema's name, not quoted. */
  readonly schema: string
  /** By `ClassModel.ordinal`. */
  readonly tables: readonly SqlTable[]
}

/** Other names of the table and columns of a dataclass than those of the model. */
export interface TableNames {
  readonly table?: string
  /** Attribute to column. */
  readonly columns?: { readonly [attribute: string]: string }
  /**
   * True for a table that another program made: `migrateDatabase` adds columns and indexes to it,
   * and changes and drops nothing. Dates are `timestamptz` and `date`, UUIDs `uuid`, and texts
   * `text` or `varchar`.
   */
  readonly existing?: boolean
}

export interface SqlModelOptions {
  readonly schema: string
  /** By the name of the dataclass. */
  readonly tables?: { readonly [dataClass: string]: TableNames } | undefined
}

/**
 * The tables and columns of a model. Cost: O(attributes). Throws `modelInvalid` for a name in
 * `tables` that the model does not have, or that two tables or columns share, and `argumentInvalid`
 * for a misspelt option.
 */
export function sqlModelOf(catalog: Catalog, options: SqlModelOptions): SqlModel {
  const { schema } = options
  const given = new Map(Object.entries(options.tables ?? {}))
  for (const name of given.keys())
    if (!catalog.byName.has(name))
      refuseTables(name, null, 'the option "tables" names it, but the model does not have it')
  const taken = new Map<string, string>()
  const tables = catalog.classes.map((model) => {
    const names = given.get(model.name) ?? {}
    checkNames(names, ['table', 'columns', 'existing'])
    const table = names.table ?? tableName(model.name)
    checkLength(model.name, null, 'table', table)
    const other = taken.get(table)
    if (other !== undefined)
      refuseTables(model.name, null, `its table "${table}" is that of "${other}"`)
    taken.set(table, model.name)
    return {
      model,
      name: new SqlName(schema, table),
      columns: columnsOf(model, names),
      unique: model.storage.filter(({ unique, key }) => unique && !key),
      isExisting: names.existing === true,
    }
  })
  return { catalog, schema, tables }
}

function columnsOf(model: ClassModel, names: TableNames): readonly SqlColumn[] {
  const given = new Map(Object.entries(names.columns ?? {}))
  for (const name of given.keys())
    if (!model.storage.some((attribute) => attribute.name === name))
      refuseTables(model.name, name, 'the option "tables" names it, but it has no column')
  const taken = new Set(['_rec', '_stamp', '_ts'])
  return model.storage.map((attribute) => {
    const kind = kindOf(attribute)
    const column = given.get(attribute.name) ?? columnName(attribute.name)
    checkLength(model.name, attribute.name, 'column', column)
    const companion = new SqlName(companionName(column))
    const type = names.existing === true ? THEIR_TYPES.get(kind) : undefined
    const theirs = type === undefined ? null : { name: new SqlName(column), type }
    const name = theirs === null ? new SqlName(column) : companion
    const isKeyed = kind === 'folded' || kind === 'object'
    const mediaType = kind === 'media' ? companion : null
    const key = isKeyed ? companion : name
    for (const { quoted } of new Set([name, key, mediaType ?? name, theirs?.name ?? name])) {
      if (taken.has(quoted) || taken.has(quoted.slice(1, -1)))
        refuseTables(model.name, attribute.name, `the column ${quoted} is taken`)
      taken.add(quoted)
    }
    return { attribute, kind, name, key, mediaType, theirs }
  })
}

/** PostgreSQL would silently cut off the name. */
function checkLength(owner: string, attribute: string | null, what: string, name: string): void {
  const bytes = Buffer.byteLength(name)
  if (bytes > MAX_NAME_BYTES)
    refuseTables(
      owner,
      attribute,
      `the name of its ${what} has ${bytes} bytes, of which PostgreSQL keeps ${MAX_NAME_BYTES}`,
    )
}

/** Folded text is read from their column: its comparison key is a column of its own anyway. */
const THEIR_TYPES: ReadonlyMap<ColumnKind, TheirColumn['type']> = new Map([
  ['exact', 'text'],
  ['uuid', 'uuid'],
  ['date', 'timestamp with time zone'],
  ['dateOnly', 'date'],
])

const KINDS = {
  bool: 'bool',
  long: 'integer',
  long64: 'bigint',
  number: 'double',
  duration: 'double',
  uuid: 'uuid',
  object: 'object',
  image: 'media',
  blob: 'media',
} as const

function kindOf({ type, collation, dateOnly }: StorageAttribute): ColumnKind {
  if (type === 'string') return collation
  if (type === 'date') return dateOnly ? 'dateOnly' : 'date'
  return KINDS[type]
}
