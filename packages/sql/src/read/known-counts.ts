import type { ClassModel } from '@entia/core'
import { type Predicate, readsOf } from '@entia/core/internal'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { keyOf, RecentAnswers } from './recent-answers.ts'

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

/** Counts that a process remembers. */
const MAX_COUNTS = 2048

/** Before every global stamp: the statement counts. */
const NEVER = -1

/**
 * The counts that this process found lately, the least recently used first out. A statement is
 * given the stamp of a known count, and the database counts only where one of the dataclasses that
 * the count reads changed since: in the snapshot of the statement, so that no count is stale.
 */
export class KnownCounts {
  readonly #classes: SqlName
  readonly #known = new RecentAnswers<Known>(MAX_COUNTS)
  readonly #figures = { known: 0, counted: 0 }

  constructor(model: Pick<SqlModel, 'schema'>) {
    this.#classes = new SqlName(model.schema, 'entia_class')
  }

  /**
   * The count of the rows of `select`, whose dataclasses are `reads`: null if they are not known.
   * The statement must have the row of the store as `g`.
   */
  countOf(select: Sql, reads: ReadonlySet<ClassModel> | null): CountSql {
    const counted = sql`(SELECT count(*) ${select})`
    if (reads === null)
      return {
        column: counted,
        read: (found) => {
          this.#figures.counted++
          return Number(found)
        },
      }
    const key = keyOf(select)
    const known = key === null ? undefined : this.#known.get(key)
    const isKnown = this.unchangedSince(known?.globalStamp ?? NEVER, reads)
    return {
      column: sql`CASE WHEN ${isKnown} THEN NULL ELSE ${counted} END`,
      read: (found, globalStamp) => {
        const count = found === null ? known!.count : Number(found)
        if (found === null) this.#figures.known++
        else this.#figures.counted++
        if (key !== null) this.#remember(key, { count, globalStamp })
        return count
      },
    }
  }

  /**
   * The condition that none of these dataclasses changed after a global stamp: of a statement that
   * has the row of the store as `g`.
   */
  unchangedSince(globalStamp: number, reads: ReadonlySet<ClassModel>): Sql {
    const classes = Array.from(reads, ({ name }) => name)
    // A database that was restored to an earlier moment has a lower stamp.
    return sql`g.stamp >= ${globalStamp}::bigint AND ${globalStamp}::bigint >= (SELECT max(changed) FROM ${this.#classes} WHERE class = ANY (${classes}::text[]))`
  }

  /** How many counts were known, and how many the database had to count. */
  get figures(): { readonly known: number; readonly counted: number } {
    return this.#figures
  }

  /** The count of a whole dataclass, which the database keeps. */
  ofClass({ name }: ClassModel): CountSql {
    return {
      column: sql`(SELECT members FROM ${this.#classes} WHERE class = ${name})`,
      read: (found) => Number(found),
    }
  }

  #remember(key: string, known: Known): void {
    const before = this.#known.get(key)
    // A statement that was slow may bring an older count than another one did.
    if (before === undefined || before.globalStamp <= known.globalStamp) this.#known.set(key, known)
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
