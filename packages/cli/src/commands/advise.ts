import { usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { openDatabase, withDatabase } from '../database.ts'
import { openSource } from '../open-source.ts'
import { write } from '../print/write.ts'
import { databaseOf } from '../serve-options.ts'
import { adviseUsage } from '../usage.ts'

/**
 * `entia advise <module>`: what a database's statistics say about a model. Returns the exit code.
 */
export async function advise(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('advise', parameters, {
    database: { type: 'string' },
    schema: { type: 'string' },
  })
  if (values.help) return write(adviseUsage)
  const [source] = positionals
  if (source === undefined || positionals.length > 1)
    throw usageError(
      '"entia advise" needs one module: entia advise hr.mjs --database postgres://localhost/hr',
      'advise',
    )
  const address = databaseOf(values.database, 'advise')
  const { store } = await openSource(source)
  const database = await openDatabase(store, address, values.schema)
  try {
    const advice = await withDatabase(source, () => database.advise())
    for (const { place, finding, remedy } of advice)
      process.stdout.write(`${place}: ${finding}. ${remedy}\n`)
    if (advice.length === 0) process.stderr.write('The statistics show nothing to change.\n')
  } finally {
    await database.close()
    store.close()
  }
  return 0
}
