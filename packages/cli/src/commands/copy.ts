import { dumpToFile } from '@entia/core/node'
import { CliError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { openDatabase, withDatabase } from '../database.ts'
import { openToRead } from '../open-source.ts'
import { refuseExisting } from '../out-option.ts'
import { write } from '../print/write.ts'
import { databaseOf } from '../serve-options.ts'
import { copyUsage } from '../usage.ts'

/** `entia copy <source>`: copies a store into a database, or back. Returns the exit code. */
export async function copy(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('copy', parameters, {
    database: { type: 'string' },
    schema: { type: 'string' },
    journal: { type: 'string' },
    to: { type: 'string' },
    force: { type: 'boolean' },
  })
  if (values.help) return write(copyUsage)
  const [source] = positionals
  if (source === undefined || positionals.length > 1)
    throw usageError(
      '"entia copy" needs one source: entia copy hr.mjs --database postgres://localhost/hr',
      'copy',
    )
  const { to, journal, force } = values
  if (to !== undefined && journal !== undefined)
    throw usageError('--to and --journal exclude each other.', 'copy')
  const address = databaseOf(values.database, 'copy')
  if (to !== undefined) refuseExisting(to, force)
  const { store } = await openToRead(source, journal, [])
  const database = await openDatabase(store, address, values.schema)
  try {
    const count = await withDatabase(source, async () => {
      if (to !== undefined) return database.copyOut()
      await database.migrate()
      if (await database.isEmpty()) return database.copyIn()
      throw new CliError(
        'The database has entities already. Name an empty database, or another schema with --schema.',
      )
    })
    if (to !== undefined) await dumpToFile(store as Parameters<typeof dumpToFile>[0], to)
    const place = to ?? 'the database'
    process.stderr.write(`Copied ${count.toLocaleString('en')} entities into ${place}\n`)
  } finally {
    await database.close()
    store.close()
  }
  return 0
}
