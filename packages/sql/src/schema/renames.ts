import { SqlName } from '../sql-builder/sql.ts'
import {
  type DatabaseState,
  type KeyState,
  stateByClass,
  type TableState,
} from './database-state.ts'
import type { TableLayout } from './layout.ts'
import { bounded, columnName, companionName, tableName, WORDS_SUFFIX } from './names.ts'

/**
 * The renamed tables and columns of a migration: statements, and what the tables look like after
 * them. A rename that is done already does nothing. One whose old name is not in the database is
 * refused if something there may be meant: it would stay behind with its data.
 */
export class Renames {
  readonly statements: { readonly description: string; readonly text: string }[] = []
  readonly obstacles: string[] = []
  /** By name after the renames. */
  readonly tables: Map<string, TableState>
  readonly #schema: string
  /** The tables with a column `class`. */
  readonly #byClass: readonly string[]
  readonly #renamed: ReadonlyMap<string, string>
  readonly #old = new Set<string>()

  constructor(
    schema: string,
    tables: readonly TableLayout[],
    database: DatabaseState,
    renamed: { readonly [name: string]: string },
  ) {
    this.#schema = schema
    this.#byClass = ['entia_class', 'entia_sequence', ...stateByClass(database)]
    this.tables = new Map(database.tables)
    this.#renamed = new Map(Object.entries(renamed))
    const names = this.#inOrder(this.#renamed)
    for (const [name, old] of names.filter(([each]) => !each.includes('.'))) {
      const table = tables.find(({ dataClass }) => dataClass === name)
      if (table === undefined) this.#refuse(name, old)
      else this.#renameTable(table, old, database.classes.get(old) ?? tableName(old))
    }
    for (const [name, old] of names.filter(([each]) => each.includes('.'))) {
      const [dataClass, attribute] = name.split('.', 2)
      const table = tables.find((each) => each.dataClass === dataClass)
      const column = table?.columns.find(({ of }) => of?.attribute.name === attribute)
      if (table === undefined || column?.of == null) this.#refuse(name, old)
      else this.#renameColumn(table, column.of.attribute.name, column.name, old)
    }
    // Only now are the names taken that other renames give.
    for (const [name, old] of names) this.#refuseUnknownOld(tables, database, name, old)
  }

  /** A name that another rename takes away is taken away first: `{ b: 'a', c: 'b' }`. */
  #inOrder(renamed: ReadonlyMap<string, string>): (readonly [name: string, old: string])[] {
    const ordered = new Map<string, string>()
    const add = (name: string, old: string, path: readonly string[]): void => {
      const next = [...renamed].find(([other, from]) => fullName(other, from) === name)
      if (path.includes(name))
        this.obstacles.push(
          `"renamed" exchanges the names ${path.join(', ')}. Migrate to a name that none of them has, and then again.`,
        )
      else if (next !== undefined && !ordered.has(next[0])) add(...next, [...path, name])
      ordered.set(name, old)
    }
    for (const [name, old] of renamed) if (!ordered.has(name)) add(name, old, [])
    return [...ordered]
  }

  /** True for the former name of a table that has another one now. */
  isRenamed(table: string): boolean {
    return this.#old.has(table)
  }

  #refuse(name: string, old: string): void {
    const [dataClass, attribute] = name.split('.', 2)
    const [now] = [...this.#renamed].find(([, from]) => from === dataClass) ?? []
    // The command line takes the old name first, and migrateDatabase the new one.
    const remedy =
      attribute !== undefined && now !== undefined && !now.includes('.')
        ? `${dataClass} is called ${now} now: rename its attributes under that name.`
        : `If ${old} is the new name, exchange the two.`
    this.obstacles.push(
      `"renamed" says that ${name} was ${old}, but the model has no ${name}. ${remedy}`,
    )
  }

  #refuseUnknownOld(
    layouts: readonly TableLayout[],
    database: DatabaseState,
    name: string,
    old: string,
  ): void {
    const [dataClass, attribute] = name.split('.', 2)
    const table = layouts.find((each) => each.dataClass === dataClass)
    if (table === undefined) return
    const state = this.tables.get(table.name)
    let missing = old
    // What the database has and the model has not.
    let left: readonly string[]
    if (attribute === undefined) {
      if (state !== undefined) return
      const known = new Set(layouts.map((each) => each.name))
      left = [...database.classes].flatMap(([each, at]) =>
        this.tables.has(at) && !known.has(at) ? [each] : [],
      )
    } else {
      const to = table.columns.find(({ of }) => of?.attribute.name === attribute)?.name
      if (state === undefined || to === undefined || state.columns.has(to)) return
      const known = new Set(table.columns.map((each) => each.name))
      missing = `${dataClass}.${old}`
      left = [...state.columns.keys()].filter((each) => !known.has(each) && !each.includes('$'))
    }
    if (left.length > 0)
      this.obstacles.push(
        `"renamed" says that ${name} was ${old}, but the database has no ${missing}. It has ${left.join(', ')}, which the model has not: give the one that is meant, or leave ${name} out of "renamed".`,
      )
  }

  #renameTable(table: TableLayout, oldClass: string, oldTable: string): void {
    const state = this.tables.get(oldTable)
    if (state === undefined) return
    if (this.tables.has(table.name)) {
      // Done before: the old name is again in use, by another rename.
      const again = this.#renamed.get(oldClass)
      if (again !== undefined && !this.tables.has(tableName(again))) return
      this.obstacles.push(
        `"renamed" says that ${table.dataClass} was ${oldClass}, but the database has both. Leave it out of "renamed".`,
      )
      return
    }
    this.#old.add(oldTable)
    this.tables.delete(oldTable)
    this.#add(
      `Rename the dataclass ${oldClass} to ${table.dataClass}`,
      `ALTER TABLE ${this.#qualified(oldTable)} RENAME TO ${new SqlName(table.name).quoted}`,
    )
    // One that a dropped dataclass of this name left behind.
    this.#add(
      `Forget the former sequence of ${table.dataClass}`,
      `DELETE FROM ${this.#qualified('entia_sequence')} WHERE class = ${literal(table.dataClass)}`,
    )
    for (const name of this.#byClass)
      this.#add(
        `Rename the dataclass in ${name}`,
        `UPDATE ${this.#qualified(name)} SET class = ${literal(table.dataClass)} WHERE class = ${literal(oldClass)}`,
      )
    const nameOf = (name: string): string =>
      name.startsWith(`${oldTable}$`) ? bounded(table.name + name.slice(oldTable.length)) : name
    this.tables.set(table.name, { ...state, ...this.#renameKeys(table, state, nameOf) })
    // Foreign keys of other tables follow the table by themselves.
    this.#changeConstraints((each) =>
      each.target === oldTable ? { ...each, target: table.name } : each,
    )
  }

  #renameColumn(table: TableLayout, attribute: string, to: string, old: string): void {
    const state = this.tables.get(table.name)
    const from = columnName(old)
    if (state === undefined || !state.columns.has(from)) return
    if (state.columns.has(to)) {
      const again = this.#renamed.get(`${table.dataClass}.${old}`)
      if (again !== undefined && !state.columns.has(columnName(again))) return
      this.obstacles.push(
        `"renamed" says that ${table.dataClass}.${attribute} was ${old}, but the database has both. Leave it out of "renamed".`,
      )
      return
    }
    const pairs = new Map([
      [from, to],
      [companionName(from), companionName(to)],
    ])
    const alter = `ALTER TABLE ${this.#qualified(table.name)}`
    for (const [before, after] of pairs)
      if (state.columns.has(before))
        this.#add(
          `Rename the column ${before} of ${table.dataClass} to ${after}`,
          `${alter} RENAME COLUMN ${new SqlName(before).quoted} TO ${new SqlName(after).quoted}`,
        )
    const renamed = (name: string): string => pairs.get(name) ?? name
    const onRenamed = (each: KeyState): KeyState => ({
      ...each,
      columns: each.columns.map(renamed),
    })
    const suffixes = ['', '$unique', '$relation', '$keys', WORDS_SUFFIX]
    const names = new Map(
      suffixes.map((suffix) => [
        bounded(`${table.name}$${old}`, suffix),
        bounded(`${table.name}$${attribute}`, suffix),
      ]),
    )
    const keys = this.#renameKeys(table, state, (name) => names.get(name) ?? name)
    this.tables.set(table.name, {
      ...state,
      columns: new Map([...state.columns].map(([name, each]) => [renamed(name), each])),
      indexes: mapValues(keys.indexes, onRenamed),
      constraints: mapValues(keys.constraints, onRenamed),
    })
    // Foreign keys follow the column, too.
    this.#changeConstraints((each) =>
      each.target === table.name && each.targetColumn !== null
        ? { ...each, targetColumn: renamed(each.targetColumn) }
        : each,
    )
  }

  /** The indexes and constraints of a table by their new names. */
  #renameKeys(table: TableLayout, state: TableState, nameOf: (name: string) => string): Keys {
    const quoted = (name: string): string => new SqlName(name).quoted
    const renamed = (kind: keyof Keys, sqlOf: (from: string, to: string) => string) =>
      new Map(
        Array.from(state[kind], ([from, each]) => {
          const to = nameOf(from)
          const what = kind === 'indexes' ? 'index' : 'constraint'
          if (to !== from) this.#add(`Rename the ${what} ${from}`, sqlOf(from, to))
          return [to, each]
        }),
      )
    return {
      indexes: renamed(
        'indexes',
        (from, to) => `ALTER INDEX ${this.#qualified(from)} RENAME TO ${quoted(to)}`,
      ),
      constraints: renamed(
        'constraints',
        (from, to) =>
          `ALTER TABLE ${this.#qualified(table.name)} RENAME CONSTRAINT ${quoted(from)} TO ${quoted(to)}`,
      ),
    }
  }

  #changeConstraints(change: (state: KeyState) => KeyState): void {
    for (const [name, other] of this.tables)
      this.tables.set(name, { ...other, constraints: mapValues(other.constraints, change) })
  }

  #qualified(name: string): string {
    return new SqlName(this.#schema, name).quoted
  }

  #add(description: string, text: string): void {
    this.statements.push({ description, text })
  }
}

type Keys = Pick<TableState, 'indexes' | 'constraints'>

const mapValues = <T>(map: ReadonlyMap<string, T>, change: (value: T) => T) =>
  new Map(Array.from(map, ([name, each]) => [name, change(each)]))

/** The old name as it would be written as a new one: `Employee.name`. */
const fullName = (name: string, old: string): string =>
  name.includes('.') ? `${name.split('.', 1)[0]}.${old}` : old

/** Names of a model are identifiers: they contain neither quotes nor backslashes. */
function literal(name: string): string {
  if (/['\\]/.test(name)) throw new TypeError('A dataclass has no such name.')
  return `'${name}'`
}
