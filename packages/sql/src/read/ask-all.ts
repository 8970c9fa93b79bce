import { beginSnapshot } from '../schema/entia-tables.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { COMMIT } from '../sql-builder/transaction.ts'
import type { Question } from '../translate/aggregate-sql.ts'
import { type ReadContext, stampIn } from './read-context.ts'

/** The answers to several questions, all of one moment. */
export interface Answers<A> {
  readonly globalStamp: number
  /** The key of the entity whose relation is read; null if it does not exist. */
  readonly owner: unknown
  readonly answers: readonly A[]
}

/** Asks all questions in one round trip. Answers are read only if the owner exists. */
export async function askAll<A>(
  context: ReadContext,
  questions: readonly Question<A>[],
  owner: Sql | null = null,
): Promise<Answers<A>> {
  const { pool, storeRow, model } = context
  const stamp = statementOf(sql`SELECT g.stamp, ${owner ?? sql`1`} FROM ${storeRow}`)
  const statements = questions.map(({ select }) => statementOf(select))
  const [head, ...results] = await pool.connect((connection) =>
    beginSnapshot(connection, model.schema, [stamp, ...statements, COMMIT]),
  )
  const [globalStamp, found] = head!.rows[0]!
  return {
    globalStamp: stampIn(context, globalStamp),
    owner: found,
    answers:
      found === null ? [] : questions.map((question, at) => question.answer(results[at]!.rows)),
  }
}
