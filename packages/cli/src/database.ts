import { type AnyDataStore, isEntiaError } from '@entia/core'
import type { StoreDatabase } from '@entia/sql'
import { CliError } from './cli-error.ts'
import { type AnyStore, isInMemory } from './load-store.ts'
import type { Source } from './open-source.ts'

/** A database with the model of a store. */
export interface OpenedDatabase extends StoreDatabase {
  close(): Promise<void>
}

/**
 * Connects to a database. The packages for it are loaded only here, so that all else works without
 * them. Throws `CliError` if they are not installed. Messages never show the address: it may have a
 * password.
 */
export async function openDatabase(
  store: AnyDataStore,
  address: string,
  schema: string | null | undefined,
  limits: { readonly statementMilliseconds?: number } = {},
): Promise<OpenedDatabase> {
  const { databaseOf, pgPool } = await packages()
  const database = pgPool({ connectionString: address, applicationName: 'entia', ...limits })
  return {
    ...databaseOf(store, { database, schema: schema ?? undefined }),
    close: () => database.close(),
  }
}

async function packages() {
  try {
    const [{ databaseOf }, { pgPool }] = await Promise.all([
      import('@entia/sql'),
      import('@entia/sql/pg'),
    ])
    return { databaseOf, pgPool }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'))
      throw error
    throw new CliError('The option --database needs two more packages: npm install @entia/sql pg')
  }
}

/**
 * Runs work with a database. Its failures become a `CliError` with the remedy: to see the steps of
 * a migration. Without a source the work shows these itself.
 */
export async function withDatabase<R>(source: string | null, work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    throw explained(source, error)
  }
}

function explained(source: string | null, error: unknown): unknown {
  if (isEntiaError(error) && (error.code as string) === 'migrationBlocked')
    return new CliError(error.message)
  if (isEntiaError(error) && (error.code as string) === 'databaseDiffers')
    return new CliError(
      source === null
        ? error.message
        : `${error.message}\nSee the steps with: entia migrate ${source} --database <URL> --dry-run`,
    )
  const isFailure = error instanceof Error && error.name === 'DatabaseError' && 'failure' in error
  if (!isFailure) return error
  const reason = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return new CliError(
    error.failure === 'unavailable'
      ? `The database cannot be reached${reason}. Check the host, port, user, password and name of --database, and that PostgreSQL runs.`
      : `The database refused the work: ${error.message}`,
  )
}

/** The options of `serve` that name the database. */
interface DatabaseOptions {
  readonly source: string
  readonly database: string
  readonly schema: string | null
  readonly copy: boolean
}

/** The source with the data of a database instead of its own. Prints what was copied. */
export async function inDatabase(
  source: Source<AnyStore>,
  options: DatabaseOptions,
): Promise<Source<AnyStore>> {
  const { store } = source
  if (!isInMemory(store))
    throw new CliError(
      `The store of ${options.source} has an engine of its own. Serve it without --database.`,
    )
  const database = await openDatabase(store, options.database, options.schema)
  try {
    return await withDatabase(options.source, async () => {
      if (options.copy) {
        await database.migrate()
        const count = (await database.isEmpty()) ? await database.copyIn() : null
        const rows = count?.toLocaleString('en')
        process.stdout.write(
          count === null
            ? `The database has entities already, so nothing of ${options.source} was copied.\n`
            : `Copied ${rows} entities of ${options.source} into the database.\n`,
        )
      }
      return { ...source, store: await database.open() }
    })
  } catch (error) {
    await database.close()
    throw error
  }
}
