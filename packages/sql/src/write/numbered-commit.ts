import type { ClassModel } from '@entia/core'
import { numberedAttributes } from '@entia/core/internal'
import type { WorkingChange, WorkingCommit } from '@entia/engine'
import type { SqlPool, SqlRows } from '../connect/port.ts'
import { PLACE, placedRows, type ValueColumn } from '../schema/bound-values.ts'
import { takeNumbers } from '../schema/sequences.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { type ChangeCells, numberedInsertion, recordChanges } from './change-sql.ts'
import { COMMIT_ID, ORD, textAheadOfKey, textBehindKey } from './commit-sql.ts'
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
  const { columns, statement } = numberedInsertion(tables[dataClass.ordinal]!, changes)
  const [stamp, timestamp] = columns as readonly [ValueColumn, ValueColumn]
  const texts = (name: SqlName, of: (change: WorkingChange) => string): ValueColumn => ({
    name,
    type: 'text',
    values: changes.map(of),
    isLines: true,
  })
  const sent: ValueColumn[] = [...columns, texts(BEHIND, textBehindKey)]
  // Nothing but the name of the key is in front of it if it is the first attribute.
  const isFirst = dataClass.key.ordinal === 0
  if (!isFirst) sent.push(texts(AHEAD, textAheadOfKey))
  const ahead = isFirst ? sql`${textAheadOfKey(changes[0]!)}::text` : sql`v.${AHEAD}`
  const isOne = commits.length === 1
  if (!isOne) {
    const each = <T>(of: (at: number, ord: number) => T): readonly T[] =>
      commits.flatMap((commit, at) => commit.changes.map((_, ord) => of(at, ord)))
    sent.push({ name: ORD, type: 'integer', values: each((_, ord) => ord) })
    sent.push({ name: COMMIT_ID, type: 'text', values: each((at) => commitIds[at]!) })
  }
  const cells: ChangeCells = {
    commitId: isOne ? sql`${commitIds[0]!}` : sql`v.${COMMIT_ID}`,
    ord: isOne ? sql`v.${PLACE} - 1` : sql`v.${ORD}`,
    dataClass: sql`${dataClass.name}`,
    key: sql`v.number::text`,
    kind: sql`'insert'`,
    record: sql`i.rec`,
    stamp: sql`v.${stamp.name}`,
    timestamp: sql`v.${timestamp.name}`,
    replaced: sql`NULL::json`,
    written: sql`(${ahead} || v.number || v.${BEHIND})::json`,
  }
  const stored = sql`v JOIN inserted AS i ON i.number = v.number`
  return sql`WITH moved AS (${takeNumbers(schema, dataClass.name, count)}), v AS MATERIALIZED (SELECT v.*, m.first + v.${PLACE} - 1 AS number FROM moved AS m, ${placedRows(sent)}), inserted AS (${statement}), history AS (${recordChanges(schema, cells, stored)}) SELECT ${expectName(schema)}((SELECT count(*) FROM inserted), ${count}::bigint), array_agg(v.number ORDER BY v.${PLACE}), array_agg(i.rec ORDER BY v.${PLACE}) FROM ${stored}`
}

const AHEAD = new SqlName('ahead')
const BEHIND = new SqlName('behind')

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
