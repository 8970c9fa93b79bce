import type { ClassModel } from '@entia/core'
import { numberedAttributes } from '@entia/core/internal'
import type { WorkingCommit } from '@entia/engine'
import type { SqlPool, SqlRows } from '../connect/port.ts'
import { type ValueColumn, valueRows } from '../schema/bound-values.ts'
import { numberQueries } from '../schema/sequences.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { numberedInsertion, placeColumn } from './change-sql.ts'
import { textAroundKey } from './commit-sql.ts'
import { expectName } from './row-lock-sql.ts'

/**
 * Whether new entities of a dataclass differ by nothing but their key if the database gives them
 * other numbers than those that they were decided with. So no code of the application may run, and
 * no bound may refuse a number.
 */
export function canBeNumberedLate({ tables }: SqlModel, dataClass: ClassModel): boolean {
  const known = numberedLate.get(dataClass)
  if (known !== undefined) return known
  const { key, hooks, attributes, ordinal } = dataClass
  const numbered = numberedAttributes(dataClass)
  const isPossible =
    !tables[ordinal]!.isExisting &&
    numbered.length === 1 &&
    numbered[0] === key &&
    key.relation === null &&
    key.min === null &&
    key.max === null &&
    Object.values(hooks).every((hook) => hook === undefined) &&
    [...attributes.values()].every((each) => each.kind !== 'calculated' || each.set === null)
  numberedLate.set(dataClass, isPossible)
  return isPossible
}
const numberedLate = new WeakMap<ClassModel, boolean>()

/** True if a commit inserts entities of a dataclass, with numbers from the first one on. */
export const hasNumbersFrom = (
  { changes }: WorkingCommit,
  dataClass: ClassModel,
  first: number,
): boolean =>
  changes.every(
    (change, at) =>
      change.kind === 'insert' && change.dataClass === dataClass && change.key === first + at,
  )

const NUMBERS = new SqlName('numbers')

/**
 * The statement that gives numbers to the new entities of commits, all of one dataclass, and
 * inserts them with their history. `givenIn` reads its row.
 */
export function numberedCommit(
  { schema, tables }: SqlModel,
  commits: readonly WorkingCommit[],
  commitIds: readonly string[],
): Sql {
  const changes = commits.flatMap((commit) => commit.changes)
  const { dataClass } = changes[0]!
  const count = changes.length
  const texts = changes.map(textAroundKey)
  const isOne = commits.length === 1
  const columns: ValueColumn[] = [
    placeColumn(changes),
    { name: STAMP, type: 'integer', values: changes.map(({ stamp }) => stamp) },
    { name: TIMESTAMP, type: 'bigint', values: changes.map(({ timestamp }) => timestamp) },
    { name: AHEAD, type: 'text', values: texts.map(([ahead]) => ahead) },
    { name: BEHIND, type: 'text', values: texts.map(([, behind]) => behind) },
  ]
  if (!isOne) {
    const each = <T>(of: (at: number, ord: number) => T): readonly T[] =>
      commits.flatMap((commit, at) => commit.changes.map((_, ord) => of(at, ord)))
    columns.push({ name: ORD, type: 'integer', values: each((_, ord) => ord) })
    columns.push({ name: COMMIT_ID, type: 'text', values: each((at) => commitIds[at]!) })
  }
  const [commitId, ord] = isOne
    ? [sql`${commitIds[0]!}`, sql`n.place`]
    : [sql`v.${COMMIT_ID}`, sql`v.${ORD}`]
  return sql`WITH ${numberQueries(schema, dataClass.name, count)}, inserted AS (${numberedInsertion(tables[dataClass.ordinal]!, changes, NUMBERS)}), history AS (INSERT INTO ${new SqlName(schema, 'entia_change')} (commit_id, ord, class, key, kind, record, stamp, timestamp, written) SELECT ${commitId}, ${ord}, ${dataClass.name}, n.number::text, 'insert', i.rec, v.${STAMP}, v.${TIMESTAMP}, (v.${AHEAD} || n.number || v.${BEHIND})::json FROM ${valueRows(columns)} JOIN ${NUMBERS} AS n ON n.place = v.place JOIN inserted AS i ON i.number = n.number) SELECT ${expectName(schema)}((SELECT count(*) FROM inserted), ${count}::bigint), array_agg(n.number ORDER BY n.place), array_agg(i.rec ORDER BY n.place) FROM ${NUMBERS} AS n JOIN inserted AS i ON i.number = n.number`
}

const STAMP = new SqlName('stamp')
const TIMESTAMP = new SqlName('timestamp')
const AHEAD = new SqlName('ahead')
const BEHIND = new SqlName('behind')
const ORD = new SqlName('ord')
const COMMIT_ID = new SqlName('commit_id')

/** What the database gave to new entities, in their order. */
export interface GivenNumbers {
  readonly numbers: readonly number[]
  /** Their record numbers; empty if they are not known. */
  readonly records: readonly number[]
}

/** What the commits of a statement got: `counts` are their new entities. */
export function givenIn(
  { rows: [row] }: SqlRows,
  counts: readonly number[],
): readonly GivenNumbers[] {
  const [, numbers, records] = row as [unknown, readonly number[], readonly number[]]
  let end = 0
  return counts.map((count) => {
    const from = end
    end += count
    return { numbers: numbers.slice(from, end), records: records.slice(from, end) }
  })
}

/** The numbers of a commit whose answer got lost; null if its history is not there any more. */
export async function numbersOf(
  pool: SqlPool,
  schema: string,
  commitId: string,
  count: number,
): Promise<GivenNumbers | null> {
  const { rows } = await pool.query(
    statementOf(
      sql`SELECT c.key FROM ${new SqlName(schema, 'entia_change')} AS c WHERE c.commit_id = ${commitId} ORDER BY c.ord`,
    ),
  )
  if (rows.length !== count) return null
  return { numbers: rows.map(([key]) => Number(key)), records: [] }
}
