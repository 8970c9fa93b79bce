import { CliError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { openDatabase, withDatabase } from '../database.ts'
import { openToRead } from '../open-source.ts'
import { write } from '../print/write.ts'
import { databaseOf } from '../serve-options.ts'
import { verifyUsage } from '../usage.ts'

/**
 * `entia verify <source>`: compares what a store derives with what it is derived from. Returns the
 * exit code: 1 if anything is wrong.
 */
export async function verify(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('verify', parameters, {
    database: { type: 'string' },
    schema: { type: 'string' },
    journal: { type: 'string' },
  })
  if (values.help) return write(verifyUsage)
  const [source] = positionals
  if (source === undefined || positionals.length > 1)
    throw usageError(
      '"entia verify" needs one source: entia verify hr.mjs --database postgres://localhost/hr',
      'verify',
    )
  const { database, schema, journal } = values
  if (database !== undefined && journal !== undefined)
    throw usageError('--database and --journal exclude each other.', 'verify')
  if (database === undefined && schema !== undefined)
    throw usageError(
      '--schema is about a database. Name it: --database postgres://localhost/hr',
      'verify',
    )
  const address = database === undefined ? null : databaseOf(database, 'verify')
  const { store } = await openToRead(source, journal, [])
  try {
    if (address !== null) return await verifyInDatabase(source, store, address, schema)
    const classes = store.catalog.classes.map(({ name }) => store.dataClass(name).count)
    verifyInMemory(store)
    return concluded(
      classes.reduce((sum, count) => sum + count, 0),
      0,
    )
  } finally {
    store.close()
  }
}

type Store = Awaited<ReturnType<typeof openToRead>>['store']

/** Throws `CliError` for a store that is broken. */
function verifyInMemory(store: Store): void {
  try {
    store.verify()
  } catch (error) {
    throw error instanceof Error ? new CliError(error.message) : error
  }
}

async function verifyInDatabase(
  source: string,
  store: Store,
  address: string,
  schema: string | undefined,
): Promise<number> {
  // A statement may read a whole table.
  const opened = await openDatabase(store, address, schema, { statementMilliseconds: 0 })
  try {
    const { entities, count } = await withDatabase(source, () =>
      opened.verify({
        onProblem: ({ place, problem, remedy }) =>
          void process.stdout.write(`${place}: ${problem}. ${remedy}\n`),
      }),
    )
    return concluded(entities, count)
  } finally {
    await opened.close()
  }
}

function concluded(entities: number, problems: number): number {
  const read = `${entities.toLocaleString('en')} entities verified`
  const found = problems === 1 ? '1 problem' : `${problems.toLocaleString('en')} problems`
  process.stderr.write(`${read}: ${problems === 0 ? 'no problem' : found} found.\n`)
  return problems === 0 ? 0 : 1
}
