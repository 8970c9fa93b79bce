import { EntiaError } from '@entia/core'
import { engineError } from '@entia/engine'

/** What a migration can do. */
export const REMEDY_MIGRATE = 'Run "entia migrate", or call migrateDatabase.'
/** What it cannot. */
export const REMEDY_CHANGE = 'Change the model or these entities, then migrate again.'

/** What differs in a database of a release that had the mode `rising`. */
export const RISING_STAMPS =
  'Its global stamps have gaps, in the mode "rising", which no longer exists.'

/** Throws `databaseDiffers`. */
export function refuseDatabase(
  schema: string,
  differences: readonly string[],
  remedy: string,
  cause?: unknown,
): never {
  const details = { schema, differences, remedy }
  throw engineError('databaseDiffers', details, cause === undefined ? undefined : { cause })
}

/** Throws `modelInvalid` about the option `tables`. */
export function refuseTables(dataClass: string, attribute: string | null, problem: string): never {
  const place = `Dataclass "${dataClass}"${attribute === null ? '' : `, attribute "${attribute}"`}`
  const remedy = 'Change the option "tables" of the store.'
  throw new EntiaError('modelInvalid', { dataClass, attribute, problem, remedy }, undefined, {
    errCode: 9001,
    message: () => `${place}: ${problem}. ${remedy}`,
  })
}
