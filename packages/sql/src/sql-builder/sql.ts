import type { SqlValue } from '../connect/port.ts'

/**
 * A piece of SQL. Its text comes from templates in this package only; everything else is a name of
 * the catalog or a bound value.
 */
export class Sql {
  readonly strings: readonly string[]
  readonly holes: readonly Hole[]

  constructor(strings: readonly string[], holes: readonly Hole[]) {
    this.strings = strings
    this.holes = holes
  }
}

/** A quoted name: of a schema, table, column or index. */
export class SqlName {
  readonly quoted: string
  /** The last part as it is. */
  readonly plain: string

  /** Several parts make a qualified name. */
  constructor(...parts: readonly string[]) {
    this.plain = parts.at(-1) ?? ''
    this.quoted = parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.')
  }
}

/** Values become parameters. */
export type Hole = Sql | SqlName | SqlValue

/** The template of SQL: `sql`SELECT ${name} FROM ${table} WHERE "ID" = ${key}``. */
export function sql(strings: TemplateStringsArray, ...holes: readonly Hole[]): Sql {
  return new Sql(strings, holes)
}

/** The strings of `joined`, by the number of its holes: pieces of one shape share them. */
const BLANKS: (readonly string[])[] = []
const MAX_SHARED_BLANKS = 512

function blanks(holes: number): readonly string[] {
  if (holes > MAX_SHARED_BLANKS) return Array<string>(holes + 1).fill('')
  return (BLANKS[holes] ??= Array<string>(holes + 1).fill(''))
}

/** Several pieces with the same text between them. */
export function joined(pieces: readonly Hole[], separator: Sql): Sql {
  if (pieces.length === 0) return sql``
  const holes: Hole[] = []
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) holes.push(separator)
    holes.push(piece)
  }
  return new Sql(blanks(holes.length), holes)
}

const COMMA = sql`, `

/** The pieces with commas between them. */
export const listed = (pieces: readonly Hole[]): Sql => joined(pieces, COMMA)
