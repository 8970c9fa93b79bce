import { numberedAttributes } from '@entia/core/internal'
import { highestNumber } from '../schema/sequences.ts'
import { RECORD, type SqlColumn, type SqlModel, type SqlTable } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { type DatabaseProblem, REMEDY_ROWS } from './problem.ts'

/** A statement that answers one row for each problem. */
export interface Check {
  readonly select: Sql
  problem(row: readonly unknown[]): DatabaseProblem
}

/** Problems that one statement reports. */
export const MAX_PROBLEMS = 1000

/** What the database guards by constraints and indexes, asked of the rows themselves. */
export function tableChecks(model: SqlModel, table: SqlTable): readonly Check[] {
  return [
    ...table.columns.filter(({ attribute }) => attribute.key || attribute.unique).map(duplicates),
    ...table.columns
      .filter(({ attribute }) => attribute.relation !== null)
      .map((column) => dangling(model, table, column)),
    members(model, table),
    ...sequences(model, table),
    recordSequence(table),
  ]

  function duplicates({ attribute, key }: SqlColumn): Check {
    return {
      select: sql`SELECT min(${key}::text), count(*) FROM ${table.name} WHERE ${key} IS NOT NULL GROUP BY ${key} HAVING count(*) > 1 LIMIT ${MAX_PROBLEMS}::bigint`,
      problem: ([value, count]) => ({
        kind: 'unique',
        place: `${table.model.name}.${attribute.name}`,
        problem: `${String(count)} entities have the value ${JSON.stringify(value)}`,
        remedy: REMEDY_ROWS,
      }),
    }
  }
}

function dangling(model: SqlModel, table: SqlTable, column: SqlColumn): Check {
  const { attribute, name } = column
  const target = model.tables[attribute.relation!.target.ordinal]!
  const targetKey = target.columns[target.model.key.ordinal]!.key
  const key = table.columns[table.model.key.ordinal]!.name
  return {
    select: sql`SELECT t.${key}::text, t.${name}::text FROM ${table.name} AS t LEFT JOIN ${target.name} AS o ON o.${targetKey} = t.${column.key} WHERE t.${name} IS NOT NULL AND o.${RECORD} IS NULL LIMIT ${MAX_PROBLEMS}::bigint`,
    problem: ([owner, value]) => ({
      kind: 'relation',
      place: `${table.model.name} ${String(owner)}, ${attribute.relation!.name}`,
      problem: `it leads to ${target.model.name} ${String(value)}, which does not exist`,
      remedy: `Create that entity, or set "${attribute.name}" to null.`,
    }),
  }
}

/** The count that the gate keeps. */
function members({ schema }: SqlModel, table: SqlTable): Check {
  const { name } = table.model
  return {
    select: sql`SELECT n.count, c.members FROM (SELECT count(*) FROM ${table.name}) AS n LEFT JOIN ${new SqlName(schema, 'entia_class')} AS c ON c.class = ${name} WHERE c.members IS DISTINCT FROM n.count`,
    problem: ([count, kept]) => ({
      kind: 'count',
      place: name,
      problem: `there are ${String(count)} entities, but entia_class has ${String(kept)}`,
      remedy: `Stop all processes, and set "members" of "${name}" in entia_class to the number.`,
    }),
  }
}

/** The next automatic key is above all that were given. */
function sequences({ schema }: SqlModel, table: SqlTable): readonly Check[] {
  if (numberedAttributes(table.model).length === 0) return []
  const { name } = table.model
  return [
    {
      select: sql`SELECT m.highest, s.next FROM (SELECT ${highestNumber(table)} AS highest FROM ${table.name}) AS m LEFT JOIN ${new SqlName(schema, 'entia_sequence')} AS s ON s.class = ${name} WHERE s.class IS NULL OR s.next <= m.highest`,
      problem: ([last, next]) => ({
        kind: 'sequence',
        place: name,
        problem: `the next automatic number is ${String(next)}, but ${String(last)} is taken`,
        remedy: `Stop all processes, and set "next" of "${name}" in entia_sequence above ${String(last)}.`,
      }),
    },
  ]
}

/** So is the next record number. */
function recordSequence(table: SqlTable): Check {
  const sequence = sql`pg_get_serial_sequence(${table.name.quoted}, ${RECORD.plain})`
  return {
    select: sql`SELECT m.highest, s.last FROM (SELECT max(${RECORD}) AS highest FROM ${table.name}) AS m, (SELECT pg_sequence_last_value(${sequence}::regclass) AS last) AS s WHERE coalesce(s.last, -1) < m.highest`,
    problem: ([highest, last]) => ({
      kind: 'sequence',
      place: table.model.name,
      problem: `the last record number given is ${String(last)}, but ${String(highest)} is taken`,
      remedy: `Call setval for the sequence of ${table.name.quoted} and "_rec" with ${String(highest)}.`,
    }),
  }
}
