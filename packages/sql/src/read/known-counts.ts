import type { ClassModel } from '@entia/core'
import { type Predicate, readsOf } from '@entia/core/kit'
import { wireText } from '../connect/wire-values.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'

/** How many entities a statement selects: a column of it, and the reader of what that answers. */
export interface CountSql {
  readonly column: Sql
  /** `globalStamp`: of the same statement. */
  read(found: unknown, globalStamp: number): number
}

/** A count, and the global stamp that it was of. */
interface Known {
  readonly count: number
  readonly globalStamp: number
}

/** Counts that a process remembers, and how long what it remembers them by may be. */
const MAX_COUNTS = 2048
const MAX_KEY_LENGTH = 4096

/** Before every global stamp: the statement counts. */
const NEVER = -1

/**
 * The counts that this process found lately, the least recently used first out. A statement is
 * given the stamp of a known count, and the database counts only where one of the dataclasses that
 * the count reads changed since: in the snapshot of the statement, so that no count is stale.
 */
export class KnownCounts {
  readonly #model: SqlModel
  /** False where the database does not keep when a dataclass changed. */
  readonly #isKept: boolean
  readonly #known = new Map<string, Known>()

  constructor(model: SqlModel, isKept: boolean) {
    this.#model = model
    this.#isKept = isKept
  }

  /**
   * The count of the rows of `select`, whose dataclasses are `reads`: null if they are not known.
   * The statement must have the row of the store as `g`.
   */
  countOf(select: Sql, reads: ReadonlySet<ClassModel> | null): CountSql {
    const counted = sql`(SELECT count(*) ${select})`
    if (reads === null || !this.#isKept) return { column: counted, read: (found) => Number(found) }
    const key = keyOf(select)
    const known = key === null ? undefined : this.#known.get(key)
    const since = known?.globalStamp ?? NEVER
    const classes = Array.from(reads, ({ name }) => name)
    // A database that was restored to an earlier moment has a lower stamp.
    const isKnown = sql`g.stamp >= ${since}::bigint AND ${since}::bigint >= (SELECT max(changed) FROM ${this.#classes} WHERE class = ANY (${classes}::text[]))`
    return {
      column: sql`CASE WHEN ${isKnown} THEN NULL ELSE ${counted} END`,
      read: (found, globalStamp) => {
        const count = found === null ? known!.count : Number(found)
        if (key !== null) this.#remember(key, { count, globalStamp })
        return count
      },
    }
  }

  /** The count of a whole dataclass, which the database keeps; null if it does not. */
  ofClass({ name }: ClassModel): CountSql | null {
    if (!this.#isKept) return null
    return {
      column: sql`(SELECT members FROM ${this.#classes} WHERE class = ${name})`,
      read: (found) => Number(found),
    }
  }

  #remember(key: string, known: Known): void {
    const before = this.#known.get(key)
    this.#known.delete(key)
    // A statement that was slow may bring an older count than another one did.
    const isNewer = before === undefined || before.globalStamp <= known.globalStamp
    this.#known.set(key, isNewer ? known : before)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_COUNTS && oldest !== undefined) this.#known.delete(oldest)
  }

  get #classes(): SqlName {
    return new SqlName(this.#model.schema, 'entia_class')
  }
}

/** The dataclasses that decide which entities predicates select; null if they are not known. */
export function readsOfAll(
  predicates: readonly (readonly [ClassModel, Predicate])[],
): ReadonlySet<ClassModel> | null {
  const reads = new Set<ClassModel>()
  for (const [dataClass, predicate] of predicates) {
    const others = readsOf(predicate)
    if (others === null) return null
    reads.add(dataClass)
    for (const other of others) reads.add(other)
  }
  return reads
}

/** What a count is remembered by: its text and its values. Null if that is too long. */
function keyOf(select: Sql): string | null {
  const { text, values } = statementOf(select)
  let key = text
  for (const value of values) {
    if (key.length > MAX_KEY_LENGTH) return null
    const shown = `${wireText(value)}`
    key += `\n${typeof value} ${shown.length} ${shown}`
  }
  return key.length > MAX_KEY_LENGTH ? null : key
}
