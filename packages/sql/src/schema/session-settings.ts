import type { SqlRows } from '../connect/port.ts'
import { listed, type Sql, sql } from '../sql-builder/sql.ts'
import { refuseDatabase } from './schema-errors.ts'

/** A setting of new sessions that values or transactions depend on. */
interface Setting {
  readonly name: string
  readonly isFit: (value: string) => boolean
  readonly wanted: string
  /** What goes wrong with another value. */
  readonly reason: string
  /** Of what no role can change. */
  readonly remedy?: string
}

const is = (wanted: string) => (value: string) => value === wanted
const SETTINGS: readonly Setting[] = [
  {
    name: 'server_encoding',
    isFit: is('UTF8'),
    wanted: 'UTF8',
    reason: 'texts are refused, or split within characters',
    remedy: `Use a database that was created WITH ENCODING 'UTF8' TEMPLATE template0.`,
  },
  {
    name: 'extra_float_digits',
    isFit: (value) => Number(value) > 0,
    wanted: '1',
    reason: 'numbers lose digits',
  },
  { name: 'bytea_output', isFit: is('hex'), wanted: 'hex', reason: 'BLOBs are read wrongly' },
  { name: 'array_nulls', isFit: is('on'), wanted: 'on', reason: 'null becomes a text' },
  {
    name: 'default_transaction_isolation',
    isFit: is('read committed'),
    wanted: 'read committed',
    reason: 'single statements fail instead of waiting for each other',
  },
]

/** A query for the settings of a session; null for those that the engine does not have. */
export const askSettings: Sql = sql`SELECT ${listed(
  SETTINGS.map(({ name }) => sql`current_setting(${name}, true)`),
)}`

/**
 * Throws `databaseDiffers` if sessions begin with settings that change values. They are checked
 * instead of set: behind a pooler a session belongs to other clients, too.
 */
export function checkSettings(schema: string, { rows }: SqlRows): void {
  const wrong = SETTINGS.flatMap((setting, at) => {
    const value = rows[0]![at] as string | null
    return value === null || setting.isFit(value) ? [] : [{ ...setting, value }]
  })
  if (wrong.length === 0) return
  const found = wrong.map(
    ({ name, value, wanted, reason }) =>
      `The setting ${name} is "${value}" instead of "${wanted}": ${reason}.`,
  )
  const changes = wrong
    .filter(({ remedy }) => remedy === undefined)
    .map(({ name, wanted }) => `ALTER ROLE CURRENT_USER SET ${name} = '${wanted}'`)
  const remedies = wrong.flatMap(({ remedy }) => remedy ?? [])
  if (changes.length > 0) remedies.push(`Run ${changes.join('; ')}. Then connect again.`)
  refuseDatabase(schema, found, remedies.join(' '))
}
