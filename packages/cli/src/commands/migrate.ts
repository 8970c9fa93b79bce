import { usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { openDatabase, withDatabase } from '../database.ts'
import { openSource } from '../open-source.ts'
import { write } from '../print/write.ts'
import { databaseOf } from '../serve-options.ts'
import { migrateUsage } from '../usage.ts'

/** `entia migrate <module>`: makes a database fit a model. Returns the exit code. */
export async function migrate(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('migrate', parameters, {
    database: { type: 'string' },
    schema: { type: 'string' },
    'dry-run': { type: 'boolean' },
    rewrite: { type: 'boolean' },
    drop: { type: 'boolean' },
    renamed: { type: 'string' },
  })
  if (values.help) return write(migrateUsage)
  const [source] = positionals
  if (source === undefined || positionals.length > 1)
    throw usageError(
      '"entia migrate" needs one module: entia migrate hr.mjs --database postgres://localhost/hr',
      'migrate',
    )
  const address = databaseOf(values.database, 'migrate')
  const dryRun = values['dry-run'] === true
  const renamed = renamedOf(values.renamed)
  const { store } = await openSource(source)
  const database = await openDatabase(store, address, values.schema)
  try {
    const drop = values.drop === true
    const how = { rewrite: values.rewrite === true, ...(renamed && { renamed }) }
    const steps = await withDatabase(dryRun ? null : source, () =>
      database.migrate({ ...how, dryRun, drop }),
    )
    // After a migration only what the model no longer has is left to do. Of a new name for an
    // attribute, it is the only sign.
    const whole = { dryRun: true, drop: true, ...(dryRun && how) }
    const all = drop ? [] : await withDatabase(source, () => database.migrate(whole))
    const left = all.filter((step) => !steps.includes(step))
    process.stdout.write(
      steps.length === 0
        ? 'The database fits the model: nothing to do.\n'
        : `${steps.join('\n')}\n${dryRun ? 'Nothing was changed (--dry-run).' : 'Done.'}\n`,
    )
    if (left.length > 0)
      process.stdout.write(
        `The model no longer has these. They stay without --drop; --renamed keeps data under a new name:\n${left.join('\n')}\n`,
      )
  } finally {
    await database.close()
    store.close()
  }
  return 0
}

/**
 * Old names by new ones, as `migrateDatabase` takes them: `Employee.surname=lastName` is
 * `{ 'Employee.lastName': 'surname' }`.
 */
function renamedOf(text: string | undefined): { readonly [name: string]: string } | null {
  if (text === undefined) return null
  const pairs = text.split(',').map((pair) => pair.split('=').map((name) => name.trim()))
  for (const names of pairs)
    if (names.length !== 2 || names.includes(''))
      throw usageError(
        '--renamed takes old=new, several separated by commas: Person=Employee,Employee.surname=lastName',
        'migrate',
      )
  return Object.fromEntries(
    pairs.map(([old = '', name = '']) => {
      const [first = '', attribute] = old.split('.')
      return attribute === undefined ? [name, first] : [`${first}.${name}`, attribute]
    }),
  )
}
