import { restError } from '../errors/rest-error.ts'

/** All names with `__` in answers: clients send entities back as they read them. */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  ...[
    '__KEY',
    '__STAMP',
    '__TIMESTAMP',
    '__DATACLASS',
    '__entityModel',
    '__STATUS',
    '__ERROR',
    '__GlobalStamp',
  ],
  ...['__ENTITY', '__ENTITIES', '__ENTITYSET', '__COUNT', '__FIRST', '__SENT', '__deferred'],
  ...['__queryPlan', '__queryPath', '__extendedQueryPlan', '__extendedQueryPath', '__explain'],
  // Some clients set it in entities that are not saved yet.
  '__ISNEW',
])

/**
 * Refuses a name that starts with `__` and does not belong to the protocol: with a misspelt
 * `__STAMP` a change would pass unchecked. Throws bodyMalformed.
 */
export function refuseForeignNames(names: Iterable<string>): void {
  for (const name of names)
    if (name.startsWith('__') && !PROTOCOL_NAMES.has(name))
      throw restError('bodyMalformed', {
        problem: `"${name.slice(0, 100)}" is not a name of the protocol`,
      })
}
