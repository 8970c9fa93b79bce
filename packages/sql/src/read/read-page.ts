import { EntityCounter, type PageAnswer, type PageQuery } from '@entia/engine'
import { listed, type Sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { askedOrder, type EntityQuerySql, pageStatement } from './entity-query-sql.ts'
import { type ReadContext, stampIn } from './read-context.ts'
import type { RecordSql, ShownSql } from './record-sql.ts'

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
  asked: EntityQuerySql,
  query: PageQuery,
): PageSql | null {
  const { model, pieces } = context
  const { dataClass, filters, where } = asked
  const order = askedOrder(context, asked)
  const scope = { model, rowsOf: filters.rowsOf, relatedTop: query.relatedTop }
  const { textForm, projection } = query
  const asText = textForm && pieces.text(scope, filters, dataClass, textForm)
  const shown = asText ?? pieces.record(scope, filters, projection)
  if (where === null || order === null || shown === null) return null
  const columns = listed(shown.columns)
  // A plan shows how the database finds the page without what this process remembers.
  const { select, count, marked } = pageStatement(
    context,
    { ...asked, where },
    order,
    columns,
    query,
    !query.withExplain,
  )
  return {
    select,
    read(rows) {
      const [stamp, found, members] = rows[0]!
      const globalStamp = stampIn(context, stamp)
      if (found === null) return undefined
      const counter = new EntityCounter(query)
      const page = { globalStamp, count: count.read(members, globalStamp) }
      const placed = rows[0]![FIRST - 1] === null ? [] : rows
      marked?.note(placed, FIRST, globalStamp)
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
