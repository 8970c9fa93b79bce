import { restError } from '../errors/rest-error.ts'

/** Every name with `__` that answers hold beside attributes: clients send entities back as they read them. */
const PROTOCOL_NAMES: ReadonlySet<string> = new Set([
  '__KEY',
  '__STAMP',
  '__TIMESTAMP',
  '__DATACLASS',
  '__entityModel',
  '__STATUS',
  '__ERROR',
  '__ENTITY',
  '__ENTITIES',
  '__ENTITYSET',
  '__GlobalStamp',
  '__COUNT',
  '__FIRST',
  '__SENT',
  '__deferred',
  '__queryPlan',
  '__queryPath',
  '__extendedQueryPlan',
  '__extendedQueryPath',
  '__explain',
  // Some clients note it in entities that they have not saved yet.
  '__ISNEW',
])

/**
 * Refuses a name that begins with `__` and is none of the protocol's: a misspelt `__STAMP` would let a change through
 * unchecked. Throws bodyMalformed.
 */
export function refuseForeignNames(names: Iterable<string>): void {
  for (const name of names)
    if (name.startsWith('__') && !PROTOCOL_NAMES.has(name))
      throw restError('bodyMalformed', { problem: `"${name.slice(0, 100)}" is no name of the protocol` })
}
