import type { SqlModel } from '../schema/sql-model.ts'
import { stateTables } from '../server-state/tables.ts'
import { joined, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import type { DatabaseProblem, ProblemKind } from './problem.ts'
import { type Check, MAX_PROBLEMS } from './table-checks.ts'

const REMEDY_HISTORY = 'Delete these rows; readers of changes start again from the present stamp.'
const REMEDY_RESTORE = 'Stop all processes and run "entia migrate": it continues the stamps.'

/** What the store keeps beside the dataclasses: history, sessions, locks and entity sets. */
export function storeChecks(model: SqlModel): readonly Check[] {
  const { schema } = model
  const name = (table: string): SqlName => new SqlName(schema, table)
  const [store, commit, change, history] = [
    'entia_store',
    'entia_commit',
    'entia_change',
    'entia_history',
  ].map(name) as [SqlName, SqlName, SqlName, SqlName]
  const { session, lock, set, chunk } = stateTables(schema)
  const highest = sql`(SELECT s.stamp FROM ${store} AS s)`
  return [
    check(
      'history',
      'entia_change',
      sql`SELECT DISTINCT e.commit_id FROM ${change} AS e LEFT JOIN ${commit} AS c ON c.id = e.commit_id WHERE c.stamp IS NULL`,
      ([id]) => `the commit "${String(id)}" of some changes is not stored`,
      REMEDY_HISTORY,
    ),
    check(
      'history',
      'entia_change',
      sql`SELECT DISTINCT c.stamp FROM ${change} AS e JOIN ${commit} AS c ON c.id = e.commit_id, ${history} AS h WHERE c.stamp <= h.changes_until`,
      ([stamp]) => `changes of the commit ${String(stamp)} should have been deleted`,
      REMEDY_HISTORY,
    ),
    check(
      'history',
      'entia_commit',
      sql`SELECT c.stamp, ${highest} FROM ${commit} AS c WHERE c.stamp > ${highest}`,
      ([stamp, last]) => `the commit ${String(stamp)} is after the global stamp ${String(last)}`,
      REMEDY_RESTORE,
    ),
    check(
      'history',
      'entia_class',
      sql`SELECT c.class, c.changed FROM ${name('entia_class')} AS c WHERE c.changed > ${highest}`,
      ([dataClass, changed]) =>
        `"${String(dataClass)}" changed at ${String(changed)}, in the future`,
      REMEDY_RESTORE,
    ),
    check(
      'lock',
      'entia_lock',
      sql`SELECT l.class, l.rec FROM ${lock} AS l LEFT JOIN ${session} AS s ON s.id = l.session WHERE s.id IS NULL`,
      ([dataClass, record]) =>
        `the lock of ${String(dataClass)}, record ${String(record)}, has no session`,
      'Delete the row.',
    ),
    check(
      'lock',
      'entia_lock',
      sql`SELECT l.class, l.rec FROM ${lock} AS l LEFT JOIN (${records(model)}) AS r ON r.class = l.class AND r.rec = l.rec WHERE r.rec IS NULL AND l.class = ANY (${model.tables.map((table) => table.model.name)}::text[])`,
      ([dataClass, record]) =>
        `the locked record ${String(record)} of ${String(dataClass)} does not exist`,
      'Delete the row.',
    ),
    check(
      'set',
      'entia_set',
      sql`SELECT e.id FROM ${set} AS e LEFT JOIN ${session} AS s ON s.id = e.owner WHERE e.owner IS NOT NULL AND s.id IS NULL`,
      ([id]) => `the entity set ${String(id)} has an owner without a session`,
      'Delete the row: clients create the set again.',
    ),
    check(
      'set',
      'entia_set_chunk',
      sql`SELECT e.id, e.size, coalesce(c.size, 0) FROM ${set} AS e FULL JOIN (SELECT id, sum(cardinality(recs)) AS size FROM ${chunk} GROUP BY id) AS c ON c.id = e.id WHERE e.size IS DISTINCT FROM coalesce(c.size, 0)`,
      ([id, size, found]) =>
        id === null
          ? 'there are members of an entity set that does not exist'
          : `the entity set ${String(id)} has ${String(found)} members of ${String(size)}`,
      'Delete its rows: clients create the set again.',
    ),
  ]
}

function check(
  kind: ProblemKind,
  place: string,
  select: Sql,
  problem: (row: readonly unknown[]) => string,
  remedy: string,
): Check {
  return {
    select: sql`${select} LIMIT ${MAX_PROBLEMS}::bigint`,
    problem: (row): DatabaseProblem => ({ kind, place, problem: problem(row), remedy }),
  }
}

/** The records of all dataclasses; of a model without any, none. */
const records = ({ tables }: SqlModel): Sql =>
  tables.length === 0
    ? sql`SELECT ''::text AS class, 0::bigint AS rec WHERE false`
    : joined(
        tables.map(
          ({ model, name }) => sql`SELECT ${model.name}::text AS class, _rec AS rec FROM ${name}`,
        ),
        sql` UNION ALL `,
      )
