import { EntiaError, isEntiaError } from '@entia/core'
import type { Caller, Keeping, SelectionQuery } from '@entia/rest/engine'
import type { Sql } from '../text/sql.ts'
import type { AskedEntities } from './asked-entities.ts'
import { type AskedSet, recordsOf, type SetContext } from './asked-set.ts'

/**
 * Keeps a whole selection as an entity set and returns its id. A selection that is a set remains
 * that set, and keeps its lifetime unless one is requested. Throws `budgetExceeded` for a selection
 * that is too large.
 */
export async function keepSet(
  context: SetContext,
  { asked, entitySetId }: AskedSet,
  { lifetimeSeconds, owner }: Keeping,
  { session }: Caller,
): Promise<string> {
  const { sets } = context
  if (entitySetId !== null) {
    if (lifetimeSeconds !== null) await sets.setLifetime(entitySetId, lifetimeSeconds, session)
    return entitySetId
  }
  return sets.create(asked.dataClass.name, await recordsToKeep(context, asked), {
    sorted: isSorted(asked),
    lifetimeSeconds: lifetimeSeconds ?? undefined,
    owner: await owner(),
    rule: asked.filters.ruleOf(asked.dataClass),
  })
}

/** Creates an expired set again, from the criteria in the request. */
export async function keepAgain(
  context: SetContext,
  { remade }: AskedSet,
  { source, saved }: SelectionQuery,
): Promise<void> {
  if (remade === null || source.kind !== 'entitySet' || saved?.keep == null) return
  const { lifetimeSeconds, owner } = saved.keep
  const id = source.id ?? ''
  try {
    await context.sets.create(remade.dataClass.name, await recordsToKeep(context, remade), {
      id,
      sorted: isSorted(remade),
      lifetimeSeconds: lifetimeSeconds ?? undefined,
      owner: await owner(),
      rule: remade.filters.ruleOf(remade.dataClass),
    })
  } catch (error) {
    // The id belongs to a set of another session, which cannot be replaced.
    throw isEntiaError(error, 'argumentInvalid')
      ? new EntiaError('entitySetNotFound', { id: id.slice(0, 40) })
      : error
  }
}

const isSorted = ({ orderBy }: AskedEntities): boolean => orderBy === null || orderBy.length > 0

/** Sets that a computed attribute selects are read, and kept, by core's own code. */
function recordsToKeep(context: SetContext, asked: AskedEntities): Sql {
  const records = recordsOf(context, asked)
  if (records === null) throw new Error('The entities of a set have no SQL.')
  return records
}
