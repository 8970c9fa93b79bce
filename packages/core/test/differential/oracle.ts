import { createRequire } from 'node:module'
import { foldedKey, withTexts, wordsBetweenBlanks } from './folding.ts'
import {
  type Attribute,
  CLASS_NAMES,
  type ClassName,
  keyAttributeOf,
  type Row,
  SHAPES,
  type ValueType,
} from './schema.ts'
import type { Sql, SqlValue } from './sql.ts'
import { keyOf } from './values.ts'
import type { PlacedRow, World } from './world.ts'

/** The part of sql.js that is used; it has no types of its own. */
interface Statement {
  bind(values: readonly SqlValue[]): boolean
  step(): boolean
  get(): SqlValue[]
  run(values: readonly SqlValue[]): void
  reset(): void
  free(): boolean
}
interface SqlDatabase {
  prepare(text: string): Statement
  exec(text: string): unknown
  close(): void
}
type InitSqlJs = () => Promise<{ readonly Database: new () => SqlDatabase }>

/** The number of prepared statements to keep. Most queries have one of few shapes. */
const MAX_STATEMENTS = 1000

/** The tables of the schema in SQLite, with keys computed by the test itself. */
export class Oracle {
  readonly #database: SqlDatabase
  readonly #statements = new Map<string, Statement>()

  static async open(): Promise<Oracle> {
    const initSqlJs = createRequire(import.meta.url)('sql.js') as InitSqlJs
    const { Database } = await initSqlJs()
    return new Oracle(new Database())
  }

  private constructor(database: SqlDatabase) {
    this.#database = database
    for (const name of CLASS_NAMES) {
      const columns = columnsOf(name).map(({ column, declared }) => `"${column}" ${declared}`)
      database.exec(`CREATE TABLE ${name} (position INTEGER PRIMARY KEY, ${columns.join(', ')})`)
      for (const { kind, name: attribute } of SHAPES[name].attributes.values())
        if (kind === 'one')
          database.exec(`CREATE INDEX "${name} ${attribute}" ON ${name} ("${attribute} position")`)
    }
  }

  /** Replaces all rows by those of some worlds. `positionIn` distinguishes them. */
  fill(worlds: readonly World[]): void {
    this.#database.exec('BEGIN')
    for (const name of CLASS_NAMES) {
      this.#database.exec(`DELETE FROM ${name}`)
      const columns = columnsOf(name)
      const insert = this.#prepared(`INSERT INTO ${name} VALUES (?${', ?'.repeat(columns.length)})`)
      worlds.forEach(({ rows }, world) => {
        const positions = new Map(
          CLASS_NAMES.map((target) => [target, positionsOf(target, rows[target], world)]),
        )
        for (const { position, row } of rows[name]) {
          const values = columns.map(({ read }) => read(row, positions))
          insert.run([positionIn(world, position), ...values])
        }
      })
    }
    this.#database.exec('COMMIT')
  }

  /** The first column of every row of a result. */
  values(question: Sql): readonly SqlValue[] {
    return this.rows(question).map(([value]) => value)
  }

  rows({ text, values }: Sql): readonly SqlValue[][] {
    const statement = this.#prepared(text)
    const found: SqlValue[][] = []
    statement.bind(values)
    while (statement.step()) found.push(statement.get())
    statement.reset()
    return found
  }

  close(): void {
    this.#database.close()
  }

  #prepared(text: string): Statement {
    const kept = this.#statements.get(text)
    if (kept !== undefined) return kept
    if (this.#statements.size >= MAX_STATEMENTS) {
      // The oldest ones: the statement of a large filter hardly repeats.
      for (const [old, statement] of [...this.#statements].slice(0, MAX_STATEMENTS / 2)) {
        statement.free()
        this.#statements.delete(old)
      }
    }
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }
}

/** All record numbers of one world are below this. */
const SPAN = 1000

/** The record number of a row of one of several worlds. */
export const positionIn = (world: number, position: number): number => world * SPAN + position
export const worldAt = (position: number): number => Math.floor(position / SPAN)

/** Positions by dataclass and key. Relations join by them, since worlds may share keys. */
type Positions = ReadonlyMap<ClassName, ReadonlyMap<unknown, number>>

function positionsOf(
  name: ClassName,
  rows: readonly PlacedRow[],
  world: number,
): ReadonlyMap<unknown, number> {
  return new Map(
    rows.map(({ position, row }) => [row[SHAPES[name].key], positionIn(world, position)]),
  )
}

interface Column {
  readonly column: string
  readonly declared: 'TEXT' | 'INTEGER' | 'REAL'
  readonly read: (row: Row, positions: Positions) => SqlValue
}

const DECLARED: { readonly [T in ValueType]: Column['declared'] } = {
  text: 'TEXT',
  exactText: 'TEXT',
  uuid: 'TEXT',
  long: 'INTEGER',
  long64: 'INTEGER',
  number: 'REAL',
  bool: 'INTEGER',
  instant: 'INTEGER',
  day: 'INTEGER',
  duration: 'REAL',
}

const COLUMNS = new Map(
  CLASS_NAMES.map((name) => [
    name,
    [...SHAPES[name].attributes.values()].flatMap((attribute) => columnsFor(attribute)),
  ]),
)

const columnsOf = (name: ClassName): readonly Column[] => COLUMNS.get(name) ?? []

function columnsFor(attribute: Attribute): readonly Column[] {
  const { name } = attribute
  switch (attribute.kind) {
    case 'stored':
      return valueColumns(name, attribute.type, (row) => row[name] ?? null)
    case 'computed':
      return valueColumns(name, attribute.type, (row) => attribute.get(row) ?? null)
    case 'one': {
      const { type } = keyAttributeOf(attribute.target)
      return [
        { column: name, declared: DECLARED[type], read: (row) => keyOf(type, row[name]) },
        {
          column: `${name} position`,
          declared: 'INTEGER',
          read: (row, positions) => positions.get(attribute.target)?.get(row[name]) ?? null,
        },
      ]
    }
    case 'object':
      return [
        { column: name, declared: 'TEXT', read: (row) => jsonText(row[name], foldedKey) },
        {
          column: `${name} words`,
          declared: 'TEXT',
          read: (row) => jsonText(row[name], (text) => wordsBetweenBlanks(text)),
        },
      ]
    case 'blob':
      return [{ column: name, declared: 'INTEGER', read: (row) => (row[name] === null ? null : 1) }]
    default:
      return []
  }
}

function valueColumns(
  name: string,
  type: ValueType,
  read: (row: Row) => unknown,
): readonly Column[] {
  const key: Column = {
    column: name,
    declared: DECLARED[type],
    read: (row) => keyOf(type, read(row)),
  }
  if (type !== 'text' && type !== 'exactText') return [key]
  const part = (suffix: string, of: (text: string) => string): Column => ({
    column: `${name} ${suffix}`,
    declared: 'TEXT',
    read: (row) => {
      const text = read(row)
      return typeof text === 'string' ? of(text) : null
    },
  })
  const isExact = type === 'exactText'
  const words = part('words', (text) => wordsBetweenBlanks(text, isExact))
  return [key, part('spelling', (text) => text), words]
}

const jsonText = (json: unknown, replace: (text: string) => string): string | null =>
  json === null || json === undefined ? null : JSON.stringify(withTexts(json, replace))
