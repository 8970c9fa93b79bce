import type { SqlPool } from '../../src/connect/port.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import { run } from '../database.ts'

/** The contents of a dataset at one time. */
export interface Census {
  readonly sessions: number
  readonly locks: number
  readonly sets: number
  readonly members: number
  readonly uploads: number
  /** The numbers of commits whose changes and whose ids are kept. */
  readonly changes: number
  readonly commits: number
  /** Rows that have expired, or belong to nothing. */
  readonly leftovers: number
}

const TABLES = ['session', 'lock', 'set', 'set_chunk', 'upload', 'commit', 'change']
const NOW = `extract(epoch FROM statement_timestamp()) * 1000`

export async function census(pool: SqlPool, schema: string): Promise<Census> {
  const [session, lock, set, chunk, upload, commit, change] = TABLES.map(
    (name) => `"${schema}".entia_${name}`,
  )
  const { rows } = await run(
    pool,
    `SELECT (SELECT count(*) FROM ${session}), (SELECT count(*) FROM ${lock}),
      (SELECT count(*) FROM ${set}),
      (SELECT coalesce(sum(cardinality(recs)), 0) FROM ${chunk}),
      (SELECT count(*) FROM ${upload}),
      (SELECT count(DISTINCT commit_id) FROM ${change}), (SELECT count(*) FROM ${commit}),
      (SELECT count(*) FROM ${session} WHERE expires <= ${NOW})
      + (SELECT count(*) FROM ${set} WHERE expires <= ${NOW})
      + (SELECT count(*) FROM ${upload} WHERE expires <= ${NOW})
      + (SELECT count(*) FROM ${change} c WHERE NOT EXISTS
          (SELECT FROM ${commit} m WHERE m.id = c.commit_id))`,
  )
  const [sessions, locks, sets, members, uploads, changes, commits, leftovers] =
    rows[0]!.map(Number)
  return {
    sessions: sessions!,
    locks: locks!,
    sets: sets!,
    members: members!,
    uploads: uploads!,
    changes: changes!,
    commits: commits!,
    leftovers: leftovers!,
  }
}

/**
 * Lets time pass: moves every time in the database into the past, in one transaction. So the clock
 * of the database, which decides what has expired, stays the one that the store uses.
 */
export async function passTime(pool: SqlPool, schema: string, minutes: number): Promise<void> {
  const milliseconds = minutes * 60_000
  const earlier = (table: string, columns: readonly string[]): string =>
    `UPDATE "${schema}".${table} SET ${columns.map((name) => `${name} = ${name} - $1::double precision`).join(', ')}`
  await pool.connect(async ({ send }) => {
    const statement = (text: string, ...values: number[]) => statementOfText(text, values)
    await send([
      statement('BEGIN'),
      statement(earlier('entia_session', ['expires', 'ends']), milliseconds),
      statement(earlier('entia_set', ['expires']), milliseconds),
      statement(earlier('entia_upload', ['expires']), milliseconds),
      statement(
        `UPDATE "${schema}".entia_commit SET at = at - $1::double precision * interval '1 minute'`,
        minutes,
      ),
      statement('COMMIT'),
    ])
  })
}
