import { DatabaseError, refusesTransactions } from '../connect/database-error.ts'
import { connectLong } from '../connect/long-connection.ts'
import type { SqlConnection, SqlPool, Statement } from '../connect/port.ts'
import { listed, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf, statementOfText } from '../sql-builder/statement.ts'
import { BEGIN, COMMIT } from '../sql-builder/transaction.ts'
import { bookkeeping, forgetTables, mustBook, mustForget } from './bookkeeping.ts'
import { firstBreaches } from './breaches.ts'
import { type DatabaseState, readDatabase } from './database-state.ts'
import { type Definition, lacksPart } from './definition.ts'
import {
  dropOlderForm,
  endRising,
  entiaTables,
  noteRecords,
  passAndTrim,
  passRecords,
  passWithoutChanges,
} from './entia-tables.ts'
import { copyTheirs, foldKeys } from './fold-keys.ts'
import { refuseHiddenRows } from './hidden-rows.ts'
import { layoutOf } from './layout.ts'
import { type MigrationOptions, type MigrationStep, migration } from './migration.ts'
import { lockTables, lockWriters, untilLocked } from './migration-locks.ts'
import { encode, writtenColumns } from './row-codec.ts'
import { REMEDY_CHANGE, REMEDY_MIGRATE, RISING_STAMPS, refuseDatabase } from './schema-errors.ts'
import { askSettings, checkSettings } from './session-settings.ts'
import type { SqlColumn, SqlModel } from './sql-model.ts'

/** How a database is made to fit. */
export interface MigrateDatabaseOptions extends MigrationOptions {
  /** Answers the steps without taking them. */
  readonly dryRun?: boolean | undefined
  /**
   * Writes everything again that is derived from the rows, after another program wrote to them:
   * comparison keys, counts and sequences. Writers wait meanwhile. Cost: reads all texts.
   */
  readonly rewrite?: boolean | undefined
}

export interface MigrateOptions extends MigrateDatabaseOptions {
  /** Names a new dataset: live clients and caches compare it. */
  readonly newInstance: () => string
  /** The version of Unicode that texts are folded with. */
  readonly unicode: string
  /** The tables and functions of other modules. */
  readonly furtherTables?: readonly Definition[]
}

/**
 * Makes a database fit a model, in one transaction, and answers what was done: nothing the second
 * time. Of two processes at once one does it. Cost: locks every table if there is something to do;
 * adding a folded text attribute, or another version of Unicode, reads all texts of the column.
 * Throws `databaseDiffers` for what cannot be done, before anything is, and `migrationBlocked` if a
 * transaction of others keeps it from its tables.
 */
export function migrate(
  pool: SqlPool,
  model: SqlModel,
  options: MigrateOptions,
): Promise<readonly string[]> {
  return untilLocked(pool, model.schema, async (connection) => {
    await begin(connection, model.schema)
    const database = await readDatabase(connection, model.schema)
    refuseHiddenRows(model, database)
    const { steps, obstacles } = migration(model, database, options)
    if (obstacles.length > 0) refuseDatabase(model.schema, obstacles, REMEDY_CHANGE)
    const mustFold = database.store !== null && database.store.unicode !== options.unicode
    const done = steps.map(({ description }) => description)
    if (database.store === null) done.unshift(`Make the store ${model.catalog.name}`)
    if (mustFold) done.push(`Write the keys of texts with Unicode ${options.unicode}`)
    if (options.rewrite === true)
      for (const { name } of model.catalog.classes)
        done.push(`Write the keys, counts and sequences of ${name} again`)
    if (lacksRules(database)) done.push('Add the column rule of entia_set')
    const isOlderForm = hasOlderForm(database)
    if (isOlderForm) done.push('Drop the history of changes, which an older release wrote')
    const isRising = database.store?.isRising === true
    if (isRising) done.push('Give global stamps without gaps, one commit at a time')
    if (options.dryRun === true) return done
    const definitions = [...entiaTables(model.schema), ...(options.furtherTables ?? [])].filter(
      ({ part }) => part === null || lacksPart(database, part),
    )
    const isChanging =
      done.length > 0 ||
      definitions.some(({ part }) => part !== null) ||
      mustForget(model, database)
    if (isChanging) {
      if (!(await lockTables(connection, model, database))) return null
    } else if (await mustBook(connection, model, database)) {
      if (!(await lockWriters(connection, model.schema))) return null
    } else {
      // The numbers of a table that the operator drops later cannot be found out then.
      const noting = statementOf(noteRecords(model.schema))
      const defining = definitions.map(({ text }) => statementOfText(text))
      await connection.send([...defining, noting, COMMIT])
      return done
    }
    const endsWriters =
      isOlderForm || isRising || mustFold || steps.some(({ action }) => action.kind === 'fold')
    const texts = [
      ...(isOlderForm ? dropOlderForm(model.schema) : []),
      ...definitions.map(({ text }) => text),
      ...(isRising ? [endRising(model.schema)] : []),
    ]
    await connection.send(texts.map((text) => statementOfText(text)))
    // Before the steps, for tables that the operator has dropped, or given in place of others.
    const forgetting = forgetTables(model, database).map(statementOf)
    await connection.send([statementOf(noteRecords(model.schema)), ...forgetting])
    for (const step of steps) await take(step, model, connection)
    const own = model.tables.filter(({ isExisting }) => !isExisting)
    await connection.send(own.map(({ name }) => statementOf(passRecords(model.schema, name))))
    if (options.rewrite === true) await rewriteAll(model, connection)
    else if (mustFold) await foldAll(model, connection, database)
    if (mustFold) await splitAll(model, connection)
    await connection.send([
      ...bookkeeping(model, database, options).map(statementOf),
      ...forgetting,
    ])
    await connection.send([
      ...(database.store !== null && done.length > 0
        ? noteMigration(model, database, endsWriters, isOlderForm)
        : []),
      COMMIT,
    ])
    return done
  })
}

/**
 * Throws `databaseDiffers` unless the database fits the model and was made by a process with the
 * same Unicode, and sessions begin with settings that fit. Cost: three round trips.
 */
export function checkDatabase(pool: SqlPool, model: SqlModel, unicode: string): Promise<void> {
  return connectLong(pool, async (connection) => {
    const [, settings] = await inTransaction(
      model.schema,
      connection.send([BEGIN, statementOf(askSettings)]),
    )
    checkSettings(model.schema, settings!)
    const database = await readDatabase(connection, model.schema)
    refuseHiddenRows(model, database)
    const { steps, obstacles } = migration(model, database)
    const found = [...steps.map(({ description }) => `${description}.`), ...obstacles]
    const { store } = database
    if (store === null) found.unshift('The schema has no store.')
    else {
      if (store.unicode !== unicode)
        found.push(
          `Its texts are folded with Unicode ${store.unicode}, this process has ${unicode}.`,
        )
      if (store.isRising) found.push(RISING_STAMPS)
    }
    if (lacksRules(database)) found.push('Its table entia_set has no column "rule".')
    if (hasOlderForm(database)) found.push('Its history of changes is that of an older release.')
    if (found.length > 0) refuseDatabase(model.schema, found, REMEDY_MIGRATE)
  })
}

/**
 * True for a database of a release that kept entity sets without the row filter of their caller.
 */
const lacksRules = ({ tables }: DatabaseState): boolean =>
  tables.get('entia_set')?.columns.has('rule') === false

/** True for a database of a release that wrote whole entities into its history. */
const hasOlderForm = ({ tables }: DatabaseState): boolean =>
  tables.get('entia_change')?.columns.has('written') === false

/**
 * A commit of every dataclass, without changes: other processes count and run live queries again.
 * Those that fail from now on can tell the cause by the number of migrations. `endsWriters`: the
 * values that they would write are wrong from now on.
 */
function noteMigration(
  { schema, catalog }: SqlModel,
  database: DatabaseState,
  endsWriters: boolean,
  endsHistory: boolean,
): readonly Statement[] {
  const store = new SqlName(schema, 'entia_store')
  // Live queries of older processes may read dataclasses that were renamed or dropped.
  const classes = [...new Set([...catalog.byName.keys(), ...database.classes.keys()])]
  const more = endsWriters ? 1 : 0
  const pass = endsHistory ? passAndTrim : passWithoutChanges
  return [
    sql`UPDATE ${store} SET migrations = migrations + 1, writers = writers + ${more}::integer`,
    pass(schema, 'migration ', classes),
  ].map(statementOf)
}

/** The answers to a BEGIN. Throws `databaseDiffers` if a pooler refuses transactions. */
async function inTransaction<R>(schema: string, begun: Promise<R>): Promise<R> {
  try {
    return await begun
  } catch (error) {
    if (!refusesTransactions(error)) throw error
    const found = 'The pooler runs in statement mode, which has no transactions.'
    refuseDatabase(schema, [found], 'Set its pool_mode to transaction or session.', error)
  }
}

/** Of two processes that migrate a schema, one waits for the other to end. */
async function begin(connection: SqlConnection, schema: string): Promise<void> {
  const statements = [
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`entia ${schema}`}::text, 0))`,
    // A table with checks that are still to come cannot be altered.
    sql`SET CONSTRAINTS ALL IMMEDIATE`,
    askSettings,
    sql`SELECT FROM pg_namespace WHERE nspname = ${schema}::text`,
  ].map(statementOf)
  const begun = await inTransaction(schema, connection.send([BEGIN, ...statements]))
  checkSettings(schema, begun.at(-2)!)
  // IF NOT EXISTS would refuse a role that may not create schemas, although the schema exists.
  if (begun.at(-1)!.rows.length === 0)
    await connection.send([statementOf(sql`CREATE SCHEMA ${new SqlName(schema)}`)])
}

async function take(
  { description, action, demand }: MigrationStep,
  model: SqlModel,
  connection: SqlConnection,
): Promise<void> {
  try {
    if (action.kind === 'sql')
      await connection.send([
        ...(demand === undefined ? [] : [statementOf(sql`SAVEPOINT demand`)]),
        statementOfText(action.text),
      ])
    else {
      const table = model.tables[action.column.attribute.owner.ordinal]!
      if (action.kind === 'fold') await fillKeys(connection, model, table, action.column)
      else {
        const { column, value } = action
        const cells = encode(column, value)
        const sets = writtenColumns(column).map((name, at) => sql`${name} = ${cells[at]!}`)
        await connection.send([statementOf(sql`UPDATE ${table.name} SET ${listed(sets)}`)])
      }
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    if (error.failure !== 'unique' && error.failure !== 'constraint') throw error
    let found = ''
    if (demand !== undefined) {
      await connection.send([statementOf(sql`ROLLBACK TO SAVEPOINT demand`)])
      found = `: ${await firstBreaches(connection, model, demand)}`
    }
    refuseDatabase(
      model.schema,
      [`${description}: entities that exist do not obey this${found}.`],
      REMEDY_CHANGE,
      error,
    )
  }
}

async function fillKeys(
  connection: SqlConnection,
  model: SqlModel,
  table: SqlModel['tables'][number],
  column: SqlColumn,
): Promise<void> {
  const { theirs } = column
  if (theirs === null) await foldKeys(connection, table, column)
  else await copyTheirs(connection, model, table, { ...column, theirs })
}

async function foldAll(
  model: SqlModel,
  connection: SqlConnection,
  { tables: known }: DatabaseState,
): Promise<void> {
  for (const table of model.tables)
    for (const column of table.columns)
      if (column.key !== column.name && known.get(table.name.plain)?.columns.has(column.key.plain))
        await fillKeys(connection, model, table, column)
}

/** Builds the indexes of words again: other characters are letters and digits now. */
async function splitAll(model: SqlModel, { send }: SqlConnection): Promise<void> {
  for (const { indexes } of layoutOf(model))
    for (const { name } of indexes.filter(({ kind }) => kind === 'words'))
      await send([statementOfText(`REINDEX INDEX ${new SqlName(model.schema, name).quoted}`)])
}

/** Writes all that is derived from columns. */
async function rewriteAll(model: SqlModel, connection: SqlConnection): Promise<void> {
  for (const table of model.tables)
    for (const column of table.columns)
      if (column.key !== column.name || column.theirs !== null)
        await fillKeys(connection, model, table, column)
}
