import type { PageAnswer, PageQuery } from '@entia/rest/engine'
import { storeRow } from '../schema/entia-tables.ts'
import { joined, type Sql, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { rootPlace } from '../translate/place.ts'
import { type AskedEntities, askedCount, askedOrder, pagePart } from './asked-entities.ts'
import type { ReadContext } from './read-context.ts'
import { EntityCounter, type RecordSql, recordSql, type ShownSql } from './record-sql.ts'
import { textSql } from './text-sql.ts'

/** What a page answers, before plans and entity sets. */
export type FoundPage = Pick<PageAnswer, 'globalStamp' | 'count' | 'records' | 'texts'>

/** A page as one statement. */
export interface PageSql {
  readonly select: Sql
  /** Undefined if the entity whose relation is read does not exist. Throws budgetExceeded. */
  read(rows: readonly (readonly unknown[])[]): FoundPage | undefined
}

/**
 * The statement of a page: its entities with what they show, their count and the global stamp, all
 * of one moment. Null if a part of it has no SQL. Cost: O(query).
 */
export function pageSql(
  context: ReadContext,
  asked: AskedEntities,
  query: PageQuery,
): PageSql | null {
  const { model } = context
  const { dataClass, filters, where, owner } = asked
  const at = rootPlace(model, dataClass)
  const order = askedOrder(model, asked, filters.rowsOf)
  const scope = { model, rowsOf: filters.rowsOf, relatedTop: query.relatedTop }
  const { textForm, projection } = query
  const asText = textForm && textSql(scope, at, dataClass, textForm)
  const shown = asText ?? recordSql(scope, at, projection)
  if (where === null || order === null || shown === null) return null
  const count = askedCount(context, { ...asked, where })
  const page = sql`SELECT TRUE, ${joined(shown.columns, sql`, `)} ${pagePart(asked, where, order, query)}`
  return {
    select: sql`SELECT g.stamp, ${owner ?? sql`1`}, ${count.column}, p.* FROM ${storeRow(model.schema)} LEFT JOIN LATERAL (${page}) AS p ON TRUE`,
    read(rows) {
      const [stamp, found, members] = rows[0]!
      if (found === null) return undefined
      const counter = new EntityCounter(query)
      const globalStamp = Number(stamp)
      const page = { globalStamp, count: count.read(members, globalStamp) }
      const placed = rows[0]![FIRST - 1] === null ? [] : rows
      const read = <T, N>(part: ShownSql<T>, removed: N): (T | N)[] =>
        placed.map((row) => (row[FIRST] === null ? removed : part.read(row, FIRST, counter)))
      return asText === null
        ? { ...page, records: read(shown as RecordSql, null), texts: null }
        : { ...page, records: [], texts: read(asText, undefined) }
    },
  }
}

/** The first column of a record, its key: null for a removed member of a set. */
const FIRST = 4

/** Asks the database for a page: one round trip. */
export async function readPage(
  context: ReadContext,
  page: PageSql,
): Promise<FoundPage | undefined> {
  const { rows } = await context.pool.query(statementOf(page.select))
  return page.read(rows)
}
