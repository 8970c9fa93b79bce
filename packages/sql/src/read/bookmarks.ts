import type { StorageAttribute } from '@entia/core'
import type { OrderBy } from '@entia/core/internal'
import type { SqlModel } from '../schema/sql-model.ts'
import type { Window } from '../server-state/set-pieces.ts'
import { joined, listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { fromPlace, keyAt, type Place, placeOf, recordAt, rootPlace } from '../translate/place.ts'
import { predicateSql } from '../translate/predicate-sql.ts'
import { type AskedOrder, type EntityQuerySql, pagePart } from './entity-query-sql.ts'
import type { KnownCounts } from './known-counts.ts'
import { referencePredicate } from './owner-sql.ts'
import { keyOf, RecentAnswers } from './recent-answers.ts'

/** The end of a page: after how many entities, which is the last one, and when that was so. */
interface Bookmark {
  readonly position: number
  readonly key: string | number
  readonly globalStamp: number
}

/** A page with bookmarks. */
export interface MarkedPage {
  /**
   * The page as `p`, to be joined with the row of the store. Its first column is true if it begins
   * behind a bookmark.
   */
  readonly join: Sql
  /** Takes its rows; `keyColumn` has the keys of the entities. */
  note(rows: readonly (readonly unknown[])[], keyColumn: number, globalStamp: number): void
}

/** Entities that OFFSET skips quickly enough. */
const MIN_SKIPPED = 1000
/** Selections with bookmarks, and bookmarks of one selection. */
const MAX_SELECTIONS = 512
const MAX_BOOKMARKS = 64

/**
 * The ends of deep pages that this process answered. OFFSET reads all entities that it skips. The
 * next page begins behind the last entity of an earlier one instead, if no dataclass that the
 * selection reads changed since. The statement decides that in its own snapshot, and uses OFFSET
 * otherwise, so no bookmark is stale.
 */
export class Bookmarks {
  readonly #model: SqlModel
  readonly #counts: KnownCounts
  readonly #ends = new RecentAnswers<Bookmark[]>(MAX_SELECTIONS)

  constructor(model: SqlModel, counts: KnownCounts) {
    this.#model = model
    this.#counts = counts
  }

  /**
   * A page of these columns. Null for a page near the beginning, and for orders without bookmarks:
   * by attributes of related entities, by properties, and descending by what may be null.
   */
  pageOf(
    asked: EntityQuerySql,
    where: Sql,
    order: AskedOrder,
    window: Window,
    columns: Sql,
  ): MarkedPage | null {
    const { skip, top } = window
    const { dataClass, orderBy, reads, from } = asked
    if (skip + top < MIN_SKIPPED || reads === null || orderBy === null) return null
    if (!hasBookmarks(orderBy)) return null
    const selection = keyOf(sql`FROM ${from} WHERE ${where} ORDER BY ${order.by}`)
    if (selection === null) return null
    const bookmark = this.#nearest(selection, skip)
    const note: MarkedPage['note'] = (rows, keyColumn, globalStamp) => {
      const isUsed = rows[0]?.[keyColumn - 1] === true
      if (bookmark !== null && rows.length > 0 && !isUsed) this.#ends.delete(selection)
      const key = rows.at(-1)?.[keyColumn]
      const position = skip + rows.length
      const isEnd = rows.length === top && position >= MIN_SKIPPED
      if (isEnd && (typeof key === 'string' || typeof key === 'number'))
        this.#add(selection, { position, key, globalStamp })
    }
    const plain = sql`SELECT FALSE, ${columns} ${pagePart(asked, where, order, window)}`
    if (bookmark === null) return { join: sql`LEFT JOIN LATERAL (${plain}) AS p ON TRUE`, note }
    const { position, key, globalStamp } = bookmark
    const at = rootPlace(this.#model, dataClass)
    const there = placeOf(this.#model, dataClass, 'o', 0)
    const marked = referencePredicate({ kind: 'key', dataClass, key })
    const values = orderBy.map(({ attribute }) => keyAt(there, attribute as StorageAttribute))
    const known = [
      this.#counts.unchangedSince(globalStamp, reads),
      predicateSql(this.#model, marked, there),
      ...values.map((value) => sql`${value} IS NOT NULL`),
    ]
    const shown = [recordAt(there), ...values].map((each, n) => sql`${each} AS ${columnAt(n)}`)
    const mark = sql`SELECT ${listed(shown)} FROM ${fromPlace(there)} WHERE ${joined(known, sql` AND `)}`
    const isMarked = sql`${MARK}.${columnAt(0)}`
    const behind = sql`${isMarked} IS NOT NULL AND ${behindMark(at, orderBy)} AND ${where}`
    const next = sql`SELECT TRUE, ${columns} ${pagePart(asked, behind, order, { skip: skip - position, top })}`
    const others = sql`SELECT FALSE, ${columns} ${pagePart(asked, sql`${isMarked} IS NULL AND ${where}`, order, window)}`
    return {
      join: sql`LEFT JOIN LATERAL (${mark}) AS ${MARK} ON TRUE LEFT JOIN LATERAL ((${next}) UNION ALL (${others})) AS p ON TRUE`,
      note,
    }
  }

  /** The last bookmark that is not behind the beginning of a page. */
  #nearest(selection: string, skip: number): Bookmark | null {
    let nearest: Bookmark | null = null
    for (const bookmark of this.#ends.get(selection) ?? []) {
      const { position, globalStamp } = bookmark
      if (position > skip) continue
      const isBetter = nearest === null || position > nearest.position
      const isNewer = position === nearest?.position && globalStamp > nearest.globalStamp
      if (isBetter || isNewer) nearest = bookmark
    }
    return nearest
  }

  #add(selection: string, bookmark: Bookmark): void {
    const ends = this.#ends.get(selection) ?? []
    const others = ends.filter(({ position }) => position !== bookmark.position)
    this.#ends.set(selection, [...others.slice(1 - MAX_BOOKMARKS), bookmark])
  }
}

/** The bookmarked entity in a statement: its record number, and what the order compares. */
const MARK = new SqlName('b')
const columnAt = (at: number): SqlName => COLUMNS[at] ?? new SqlName(`v${at}`)
const COLUMNS = Array.from({ length: 4 }, (_, at) => new SqlName(`v${at}`))

/** True if one range of the order holds all entities behind one whose values are not null. */
function hasBookmarks(orderBy: OrderBy): boolean {
  const isPlain = orderBy.every(
    ({ steps, attribute }) =>
      steps.length === 0 && attribute.kind === 'storage' && attribute.type !== 'object',
  )
  if (!isPlain) return false
  const [first] = orderBy
  if (orderBy.length !== 1 || !first!.descending)
    return orderBy.every(({ descending }) => !descending)
  const { key, notNull } = first!.attribute as StorageAttribute
  return key || notNull
}

/** The condition of the entities behind the bookmarked one. Null is lowest, so none has it. */
function behindMark(at: Place, orderBy: OrderBy): Sql {
  const values = orderBy.map(({ attribute }) => keyAt(at, attribute as StorageAttribute))
  const marked = values.map((_, n) => sql`${MARK}.${columnAt(n + 1)}`)
  const record = recordAt(at)
  const markedRecord = sql`${MARK}.${columnAt(0)}`
  if (orderBy[0]?.descending === true)
    return sql`${values[0]!} <= ${marked[0]!} AND (${values[0]!} < ${marked[0]!} OR ${record} > ${markedRecord})`
  return sql`(${listed([...values, record])}) > (${listed([...marked, markedRecord])})`
}
