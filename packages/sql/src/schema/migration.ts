import type { StoredValue } from '@entia/core/internal'
import { SqlName } from '../sql-builder/sql.ts'
import type { Demand } from './breaches.ts'
import type { ColumnState, DatabaseState, KeyState, TableState } from './database-state.ts'
import { missingTable, obstaclesOf, untypedMedia, unwrittenColumn } from './existing-tables.ts'
import { type ColumnLayout, type KeyLayout, layoutOf, place, type TableLayout } from './layout.ts'
import { companionName } from './names.ts'
import { Renames } from './renames.ts'
import type { ColumnKind, SqlColumn, SqlModel } from './sql-model.ts'

export interface MigrationOptions {
  /**
   * New name to old name, of dataclasses (`Employee: 'Person'`) and attributes
   * (`'Employee.surname': 'lastName'`).
   */
  readonly renamed?: { readonly [name: string]: string } | undefined
  /** Drops the tables and columns that the model no longer has. */
  readonly drop?: boolean | undefined
}

export interface MigrationStep {
  /** What it does, in the words of the model. */
  readonly description: string
  readonly action:
    | { readonly kind: 'sql'; readonly text: string }
    /** Writes the default value, or the keys of texts, into the rows that exist. */
    | { readonly kind: 'fill'; readonly column: SqlColumn; readonly value: StoredValue }
    | { readonly kind: 'fold'; readonly column: SqlColumn }
  /** What entities that exist may not obey. */
  readonly demand?: Demand | undefined
}

export interface Migration {
  readonly steps: readonly MigrationStep[]
  /** What no migration can do: with the remedy. */
  readonly obstacles: readonly string[]
}

const quote = (name: string): string => new SqlName(name).quoted

/**
 * What must be done so that a database fits a model. Nothing if it does. What the model no longer
 * has stays unless `drop` is given. Cost: O(attributes).
 */
export function migration(
  model: SqlModel,
  database: DatabaseState,
  options: MigrationOptions = {},
): Migration {
  return new Draft(model, database, options).plan()
}

/**
 * Kinds of columns that take every value of another type as it is. A moment is also a bigint, but
 * neither a day nor another number is one.
 */
const WIDER: ReadonlyMap<string, readonly ColumnKind[]> = new Map([
  ['integer', ['bigint', 'double']],
])

/** Kinds of columns of one type whose values the other kind takes, by the kind of the model. */
const ALIKE: ReadonlyMap<ColumnKind, readonly string[]> = new Map([
  ['folded', ['exact', 'uuid']],
  ['exact', ['folded', 'uuid']],
])

class Draft {
  readonly #model: SqlModel
  readonly #layout: readonly TableLayout[]
  readonly #database: DatabaseState
  readonly #drop: boolean
  readonly #renames: Renames
  readonly #steps: MigrationStep[] = []
  readonly #obstacles: string[] = []
  /** Foreign keys refer to tables and columns that other steps make. */
  readonly #last: MigrationStep[] = []

  constructor(
    model: SqlModel,
    database: DatabaseState,
    { renamed = {}, drop = false }: MigrationOptions,
  ) {
    this.#model = model
    this.#layout = layoutOf(model)
    this.#database = database
    this.#drop = drop
    this.#renames = new Renames(model.schema, this.#layout, database, renamed)
  }

  plan(): Migration {
    for (const text of this.#renames.statements) this.#sql(text.description, text.text)
    this.#obstacles.push(...this.#renames.obstacles)
    for (const [at, table] of this.#layout.entries()) {
      const state = this.#renames.tables.get(table.name)
      if (state === undefined && table.isExisting) this.#obstacles.push(missingTable(table))
      else if (state === undefined) this.#createTable(table)
      else this.#changeTable(table, at, state)
    }
    this.#leaveTables()
    return { steps: [...this.#steps, ...this.#last], obstacles: this.#obstacles }
  }

  #sql(description: string, text: string, demand?: Demand): void {
    this.#steps.push(stepOf(description, text, demand))
  }

  #qualified(name: string): string {
    return new SqlName(this.#model.schema, name).quoted
  }

  #createTable(table: TableLayout): void {
    const columns = table.columns.map(
      ({ definition, isNotNull }) => `${definition}${isNotNull ? ' NOT NULL' : ''}`,
    )
    const checks = table.constraints.filter(({ kind }) => kind === 'keys')
    const parts = [...columns, ...checks.map(({ clause }) => clause)]
    this.#sql(
      `Add the dataclass ${table.dataClass}`,
      `CREATE TABLE ${this.#qualified(table.name)} (${parts.join(', ')})`,
    )
    for (const { name, type } of table.columns)
      if (type === 'bytea')
        this.#sql(
          `Keep the bytes of ${table.dataClass}.${name} uncompressed`,
          `ALTER TABLE ${this.#qualified(table.name)} ALTER COLUMN ${quote(name)} SET STORAGE EXTERNAL`,
        )
    this.#addKeys(table, null)
  }

  #changeTable(table: TableLayout, at: number, state: TableState): void {
    const alter = `ALTER TABLE ${this.#qualified(table.name)}`
    const wanted = new Set(table.columns.map(({ name }) => name))
    this.#dropKeys(table, state)
    const added = table.columns.filter(({ name }) => !state.columns.has(name))
    const isAdded = new Set(added.map(({ of }) => of))
    for (const column of added) this.#addColumn(table, column, alter)
    for (const column of table.columns) {
      const found = state.columns.get(column.name)
      if (found !== undefined) this.#changeColumn(table, column, found, alter)
    }
    for (const column of this.#model.tables[at]!.columns) {
      if (isAdded.has(column)) this.#fill(table, column, state)
      else if (lacksCheck(table, column, state)) this.#fold(table, column)
    }
    for (const column of added)
      if (column.isNotNull)
        this.#sql(
          `Refuse null in ${place(table, column)}`,
          `${alter} ALTER COLUMN ${quote(column.name)} SET NOT NULL`,
          column.of === null ? undefined : { kind: 'notNull', column: column.of },
        )
    const oldKeys = new Set(
      this.#model.tables[at]!.columns.map(({ name }) => companionName(name.plain)),
    )
    for (const [name, { isNotNull, hasDefault }] of state.columns) {
      if (wanted.has(name)) continue
      // A process of the older model would compare with keys that are not written any more.
      if (oldKeys.has(name) && !table.isExisting) {
        this.#sql(
          `Drop the comparison keys ${name} of ${table.dataClass}`,
          `${alter} DROP COLUMN ${quote(name)}`,
        )
        continue
      }
      if (table.isExisting) {
        if (isNotNull && !hasDefault) this.#obstacles.push(unwrittenColumn(table, name))
      } else if (this.#drop)
        this.#sql(
          `Drop the column ${name} of ${table.dataClass}`,
          `${alter} DROP COLUMN ${quote(name)}`,
        )
      else if (isNotNull && !hasDefault)
        this.#sql(
          `Keep the column ${name} of ${table.dataClass}, which the model no longer has`,
          `${alter} ALTER COLUMN ${quote(name)} DROP NOT NULL`,
        )
    }
    this.#addKeys(table, state)
  }

  #addColumn(table: TableLayout, column: ColumnLayout, alter: string): void {
    if (column.of === null && !table.isExisting) {
      this.#obstacles.push(
        `The table ${table.name} has no column ${column.name}: it was not made by Entia. Name another one in the option "tables", or say "existing: true" for it there.`,
      )
      return
    }
    this.#sql(
      `Add the column ${column.name} of ${table.dataClass}`,
      `${alter} ADD COLUMN ${column.definition}`,
    )
    if (column.type === 'bytea')
      this.#sql(
        `Keep the bytes of ${place(table, column)} uncompressed`,
        `${alter} ALTER COLUMN ${quote(column.name)} SET STORAGE EXTERNAL`,
      )
  }

  /** Fills the columns of an attribute, of which at least one is new. */
  #fill(table: TableLayout, column: SqlColumn, state: TableState): void {
    const { attribute } = column
    const description = `${table.dataClass}.${attribute.name}`
    if (state.columns.has((column.theirs ?? column).name.plain)) {
      if (column.kind === 'media') {
        this.#obstacles.push(untypedMedia(table, description))
        return
      }
      this.#fold(table, column)
      return
    }
    const { defaultValue } = attribute
    if (defaultValue !== undefined && defaultValue !== null)
      this.#steps.push({
        description: `Write the default value of ${description}`,
        action: { kind: 'fill', column, value: defaultValue },
      })
  }

  #fold(table: TableLayout, column: SqlColumn): void {
    this.#steps.push({
      description: `Write the keys of ${table.dataClass}.${column.attribute.name}`,
      action: { kind: 'fold', column },
    })
  }

  #changeColumn(table: TableLayout, column: ColumnLayout, found: ColumnState, alter: string): void {
    if (column.isTheirs) {
      this.#obstacles.push(...obstaclesOf(table, column, found))
      return
    }
    const name = quote(column.name)
    if (found.type !== column.type) {
      const kind = column.of?.kind
      const isWider = kind !== undefined && WIDER.get(found.type)?.includes(kind) === true
      if (isWider && found.kind !== 'dateOnly')
        this.#sql(
          `Widen ${place(table, column)} to ${column.type}`,
          `${alter} ALTER COLUMN ${name} TYPE ${column.type}`,
        )
      else this.#obstacles.push(differs(place(table, column), found.type, column.type))
    } else if (isOtherKind(column, found))
      this.#obstacles.push(
        differs(place(table, column), typeName(found.kind!), typeName(column.of!.kind)),
      )
    else if (column.type === 'text' && found.collation !== 'C')
      this.#sql(
        `Compare ${place(table, column)} byte for byte`,
        `${alter} ALTER COLUMN ${name} TYPE text COLLATE "C"`,
      )
    if (column.isNotNull !== found.isNotNull)
      this.#sql(
        `${column.isNotNull ? 'Refuse' : 'Allow'} null in ${place(table, column)}`,
        `${alter} ALTER COLUMN ${name} ${column.isNotNull ? 'SET' : 'DROP'} NOT NULL`,
        column.of === null ? undefined : { kind: 'notNull', column: column.of },
      )
  }

  /** Those that the model no longer has, or has over other columns. */
  #dropKeys(table: TableLayout, state: TableState): void {
    for (const kind of ['constraints', 'indexes'] as const) {
      const keys = new Map(table[kind].map((each) => [each.name, each]))
      for (const [name, found] of state[kind]) {
        const wanted = keys.get(name)
        if (wanted === undefined ? !isOurs(table, name) : isSame(wanted, found)) continue
        if (kind === 'constraints') this.#dropConstraint(table.name, name)
        else this.#sql(`Drop the index ${name}`, `DROP INDEX ${this.#qualified(name)} CASCADE`)
      }
    }
  }

  /** Another step may have dropped it, with the index of the former key that it refers to. */
  #dropConstraint(table: string, name: string): void {
    this.#sql(
      `Drop the constraint ${name}`,
      `ALTER TABLE ${this.#qualified(table)} DROP CONSTRAINT IF EXISTS ${quote(name)}`,
    )
  }

  /** Those of a table that is created now if `state` is null: it has its checks. */
  #addKeys(table: TableLayout, state: TableState | null): void {
    for (const kind of ['indexes', 'constraints'] as const)
      for (const key of table[kind]) {
        const found = state?.[kind].get(key.name)
        if (found === undefined ? state === null && key.kind === 'keys' : isSame(key, found))
          continue
        const steps = kind === 'indexes' ? this.#steps : this.#last
        steps.push(stepOf(descriptionOf(key), key.definition, demandOf(key)))
      }
  }

  /**
   * Tables of dataclasses that the model no longer has. Those that stay must not keep entities of
   * the model from being deleted.
   */
  #leaveTables(): void {
    const wanted = new Set(this.#layout.map(({ name }) => name))
    for (const [dataClass, table] of this.#database.classes) {
      const state = this.#database.tables.get(table)
      const isLeft = !wanted.has(table) && !this.#renames.isRenamed(table)
      if (!isLeft || state === undefined || this.#database.existing.has(table)) continue
      if (this.#drop)
        this.#sql(`Drop the dataclass ${dataClass}`, `DROP TABLE ${this.#qualified(table)} CASCADE`)
      else
        for (const [name, { target }] of this.#renames.tables.get(table)?.constraints ?? [])
          if (target !== null && wanted.has(target)) this.#dropConstraint(table, name)
    }
  }
}

const stepOf = (description: string, text: string, demand?: Demand): MigrationStep => ({
  description,
  action: { kind: 'sql', text },
  demand,
})

const differs = (place: string, found: string, wanted: string): string =>
  `${place} is ${found} in the database and ${wanted} in the model. Add an attribute of another name and copy the values.`

const typeName = (kind: string): string => (kind === 'folded' || kind === 'exact' ? 'text' : kind)

/** The same type of PostgreSQL stands for other values, such as days in place of numbers. */
function isOtherKind({ name, of }: ColumnLayout, { kind }: ColumnState): boolean {
  if (of === null || of.name.plain !== name || kind === null || kind === of.kind) return false
  return ALIKE.get(of.kind)?.includes(kind) !== true
}

/** True if an earlier release made the keys of a column: rows may lack some. */
const lacksCheck = (table: TableLayout, column: SqlColumn, state: TableState): boolean =>
  table.constraints.some(
    ({ kind, of, name }) => kind === 'keys' && of === column && !state.constraints.has(name),
  )

/** Indexes that the operator added have other names and stay. */
const isOurs = (table: TableLayout, name: string): boolean => name.startsWith(`${table.name}$`)

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, at) => name === b[at])
function isSame(wanted: KeyLayout, found: KeyState): boolean {
  // PostgreSQL has no order of the columns of a check.
  const ordered = (names: readonly string[]): readonly string[] =>
    wanted.clause === null ? names : [...names].sort()
  return (
    wanted.isUnique === found.isUnique &&
    wanted.target === found.target &&
    wanted.targetColumn === found.targetColumn &&
    sameList(ordered(wanted.columns), ordered(found.columns))
  )
}

function descriptionOf({ kind, target, of: { attribute } }: KeyLayout): string {
  const name = `${attribute.owner.name}.${attribute.name}`
  switch (kind) {
    case 'index':
    case 'key':
      return `Index ${name}`
    case 'words':
      return `Index the words of ${name}`
    case 'unique':
      return `Make ${name} unique`
    case 'relation':
      return `Relate ${name} to ${target}`
    case 'keys':
      return `Require a comparison key with each value of ${name}`
  }
}

function demandOf({ kind, of: column }: KeyLayout): Demand | undefined {
  if (kind === 'key' || kind === 'unique') return { kind: 'unique', column }
  return kind === 'relation' ? { kind, column } : undefined
}
