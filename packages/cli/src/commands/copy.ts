import { dumpToFile } from '@entia/core/node'
import { CliError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { openDatabase, withDatabase } from '../database.ts'
import { openToRead } from '../open-source.ts'
import { OUT_OPTIONS, refuseExisting } from '../out-option.ts'
import { write } from '../print/write.ts'
import { databaseOf } from '../serve-options.ts'
import { copyUsage } from '../usage.ts'

/** `entia copy <source>`: copies a store into a database, or back. Returns the exit code. */
export async function copy(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('copy', parameters, {
    database: { type: 'string' },
    schema: { type: 'string' },
    journal: { type: 'string' },
    ...OUT_OPTIONS,
  })
  if (values.help) return write(copyUsage)
  const [source] = positionals
  if (source === undefined || positionals.length > 1)
    throw usageError(
      '"entia copy" needs one source: entia copy hr.mjs --database postgres://localhost/hr',
      'copy',
    )
  const { out, journal, force } = values
  if (out !== undefined && journal !== undefined)
    throw usageError('--out and --journal exclude each other.', 'copy')
  const address = databaseOf(values.database, 'copy')
  if (out !== undefined) refuseExisting(out, force)
  const { store } = await openToRead(source, journal, [])
  const database = await openDatabase(store, address, values.schema)
  try {
    const count = await withDatabase(source, async () => {
      if (out !== undefined) return database.copyOut()
      if (!(await database.isEmpty()))
        throw new CliError(
          'The database has entities already. Name an empty database, or another schema with --schema.',
        )
      await database.migrate()
      return database.copyIn()
    })
    if (out !== undefined) await dumpToFile(store as Parameters<typeof dumpToFile>[0], out)
    const place = out ?? 'the database'
    process.stderr.write(`Copied ${count.toLocaleString('en')} entities into ${place}\n`)
  } finally {
    await database.close()
    store.close()
  }
  return 0
}
