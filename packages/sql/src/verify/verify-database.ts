import { connectLong } from '../connect/long-connection.ts'
import type { SqlConnection, SqlPool } from '../connect/port.ts'
import { readDatabase } from '../schema/database-state.ts'
import { beginSnapshot, hasStore } from '../schema/entia-tables.ts'
import { hiddenRows, REMEDY_HIDDEN } from '../schema/hidden-rows.ts'
import { migration } from '../schema/migration.ts'
import { REMEDY_CHANGE, REMEDY_MIGRATE, RISING_STAMPS } from '../schema/schema-errors.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import type { DatabaseProblem } from './problem.ts'
import { storeChecks } from './store-checks.ts'
import { type Check, MAX_PROBLEMS, tableChecks } from './table-checks.ts'
import { verifyRows } from './verify-rows.ts'

export interface VerifyOptions {
  /** Called with each problem as it is found. */
  readonly onProblem?: (problem: DatabaseProblem) => void
  /** Called after each dataclass. */
  readonly onProgress?: (dataClass: string, entities: number) => void
}

/** What a verification found. */
export interface Verification {
  /** Entities that were read. */
  readonly entities: number
  /** Problems that were found. */
  readonly count: number
  /** The first thousand of them. */
  readonly problems: readonly DatabaseProblem[]
}

/**
 * Reads a whole database in one snapshot, and compares what Entia derives with what it is derived
 * from. It changes nothing, and processes may serve the database meanwhile. Cost: reads every table
 * several times; holds a thousand rows and a thousand problems. `unicode`: the version that a
 * process which serves the database folds texts with.
 */
export async function verifyModel(
  model: SqlModel,
  pool: SqlPool,
  unicode: string,
  { onProblem = () => {}, onProgress = () => {} }: VerifyOptions = {},
): Promise<Verification> {
  const problems: DatabaseProblem[] = []
  let count = 0
  const report = (problem: DatabaseProblem): void => {
    count++
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
    onProblem(problem)
  }
  // A snapshot holds the store, which the schema may not have.
  if ((await pool.query(hasStore(model.schema))).rows[0]![0] !== true) {
    report(withoutStore(model))
    return { entities: 0, count, problems }
  }
  return connectLong(pool, async (connection) => {
    await beginSnapshot(connection, model.schema, [])
    if (!(await verifySchema(model, connection, unicode, report)))
      return { entities: 0, count, problems }
    let entities = 0
    for (const table of model.tables) {
      const found = await verifyRows(connection, table, report)
      // The rows are what is verified: a broken index must not answer for them.
      await setIndexScans(connection, 'off')
      await runChecks(connection, tableChecks(model, table), report)
      await setIndexScans(connection, 'on')
      entities += found
      onProgress(table.model.name, found)
    }
    await runChecks(connection, storeChecks(model), report)
    return { entities, count, problems }
  })
}

const placeOf = ({ schema }: SqlModel): string => `schema "${schema}"`
const withoutStore = (model: SqlModel): DatabaseProblem => ({
  kind: 'schema',
  place: placeOf(model),
  problem: 'it has no store',
  remedy: REMEDY_MIGRATE,
})

async function setIndexScans(connection: SqlConnection, to: 'on' | 'off'): Promise<void> {
  const settings = ['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan']
  await connection.send(
    settings.map((setting) => statementOf(sql`SELECT set_config(${setting}, ${to}, true)`)),
  )
}

async function runChecks(
  connection: SqlConnection,
  checks: readonly Check[],
  report: (problem: DatabaseProblem) => void,
): Promise<void> {
  for (const { select, problem } of checks) {
    const [found] = await connection.send([statementOf(select)])
    for (const row of found!.rows) report(problem(row))
  }
}

/** False if its tables cannot be read as those of the model. */
async function verifySchema(
  model: SqlModel,
  connection: SqlConnection,
  unicode: string,
  report: (problem: DatabaseProblem) => void,
): Promise<boolean> {
  const place = placeOf(model)
  const schemaProblem = (problem: string, remedy = REMEDY_MIGRATE): void =>
    report({ kind: 'schema', place, problem, remedy })
  const database = await readDatabase(connection, model.schema)
  const { store } = database
  if (store === null) {
    report(withoutStore(model))
    return false
  }
  const hidden = hiddenRows(model, database)
  if (hidden !== null) schemaProblem(hidden, REMEDY_HIDDEN)
  const { steps, obstacles } = migration(model, database)
  for (const { description } of steps) schemaProblem(`to do: ${description}`)
  for (const obstacle of obstacles) schemaProblem(obstacle, REMEDY_CHANGE)
  if (store.isRising) schemaProblem(RISING_STAMPS)
  if (store.unicode !== unicode)
    report({
      kind: 'unicode',
      place,
      problem: `its texts are folded with Unicode ${store.unicode}, this process has ${unicode}`,
      remedy: 'Run "entia migrate" with the version of Node that serves the store.',
    })
  return model.tables.every(({ name, columns }) => {
    const known = database.tables.get(name.plain)?.columns
    return columns.every((each) => known?.has(each.name.plain) && known.has(each.key.plain))
  })
}
