import { decide, type Fetched, type Missing, type WorkingStore } from '@entia/engine'
import type { SqlPool, SqlRows, Statement } from '../connect/port.ts'
import { storeRow } from '../schema/entia-tables.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN_SNAPSHOT, COMMIT } from '../sql-builder/transaction.ts'
import type { Concluded, Decided, DeciderOptions } from './decided.ts'
import { missingSql } from './missing-sql.ts'

/**
 * Decides about facts of one snapshot; what the body writes is dropped. Each round trip asks for
 * everything that is known to be needed, in a snapshot of its own, so that no transaction stays
 * open between them: as many as the body has reads that depend on each other. Throws what fetching
 * and the body throw.
 */
export async function decideRead<R>(
  { pool, model, dataset, maxRows }: DeciderOptions & { readonly pool: SqlPool },
  { name, predicted, first, body, maxRuns }: Omit<Decided<R>, 'session'>,
  working: WorkingStore,
): Promise<Concluded<R>> {
  const needed: Missing[] = []
  let seen: number | null = null
  const fetch = async (missing: readonly Missing[]): Promise<Fetched> => {
    for (const each of missing) needed.push(each)
    const questions = [
      ...(first === undefined ? [] : [first]),
      ...missingSql(model, needed, null, maxRows),
    ]
    const selects = questions.map(({ select }) => statementOf(select))
    const [, stamp, ...results] = await pool.connect((connection) =>
      connection.send([BEGIN_SNAPSHOT, stampStatement(model), ...selects, COMMIT]),
    )
    seen = stampOf(stamp!)
    dataset.note(seen)
    // Facts of an earlier snapshot.
    working.forgetFacts()
    return {
      found: questions.flatMap((question, at) => question.read(results[at]!)),
      globalStamp: seen,
    }
  }
  const isBlank = predicted.length === 0 && first === undefined
  const given = isBlank ? undefined : await fetch(predicted)
  let decision = await decide(working, body, { name, fetch, given, maxRuns })
  // An answer that needed no facts says nothing of the moment it is as of: it is made again.
  if (decision.kind === 'returned' && seen === null)
    decision = await decide(working, body, { name, fetch, given: await fetch([]), maxRuns })
  if (decision.kind === 'thrown') throw decision.error
  return { value: decision.value, globalStamp: seen! }
}

/** The global stamp. */
const stampStatement = ({ schema }: SqlModel): Statement =>
  statementOf(sql`SELECT g.stamp FROM ${storeRow(schema)}`)
const stampOf = ({ rows }: SqlRows): number => Number(rows[0]![0])
