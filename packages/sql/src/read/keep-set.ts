import { EntiaError, isEntiaError, type Session } from '@entia/core'
import type { Keeping, PageQuery, SelectionQuery } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlRows, Statement } from '../connect/port.ts'
import type { Sql } from '../sql-builder/sql.ts'
import { type AskedSet, recordsOf, type SetContext } from './asked-set.ts'
import type { EntityQuerySql } from './entity-query-sql.ts'

/**
 * Keeps a whole selection as an entity set and returns its id. A selection that is a set remains
 * that set, and keeps its lifetime unless one is requested. Throws `budgetExceeded` for a selection
 * that is too large.
 */
export async function keepSet(
  context: SetContext,
  { asked, entitySetId }: AskedSet,
  { lifetimeSeconds, owner }: Keeping,
  session: Session | null,
): Promise<string> {
  const { sets } = context
  if (entitySetId !== null) {
    if (lifetimeSeconds !== null) await sets.setLifetime(entitySetId, lifetimeSeconds, session)
    return entitySetId
  }
  return (await created(context, asked, { lifetimeSeconds, owner }, null, null)).id
}

/** How often a page and its set are read while other requests change what both write. */
const MAX_ATTEMPTS = 8

/** A set that was created with a page, and the page. */
export interface KeptPage {
  readonly id: string
  readonly read: SqlRows
}

/**
 * Reads a page and keeps its selection as a set of the same moment: the one that the request asks
 * for, or else the expired one that it names. Null without either; the page is not read then.
 */
export async function keepWith(
  context: SetContext,
  set: AskedSet,
  query: PageQuery,
  page: Statement,
): Promise<KeptPage | null> {
  const { keep } = query
  if (keep === null || set.entitySetId !== null) return keepAgain(context, set, query, page)
  return created(context, set.asked, keep, null, page)
}

/** Creates an expired set again, from the criteria in the request. */
export async function keepAgain(
  context: SetContext,
  { remade }: AskedSet,
  { source, saved }: SelectionQuery,
  page: Statement | null = null,
): Promise<KeptPage | null> {
  const keep = saved?.keep ?? null
  if (remade === null || keep === null || source.kind !== 'entitySet') return null
  return created(context, remade, keep, source.id ?? '', page)
}

/** `id`: that of an expired set. `page`: a statement of the same moment. */
async function created(
  context: SetContext,
  asked: EntityQuerySql,
  { lifetimeSeconds, owner }: Keeping,
  id: string | null,
  page: Statement | null,
): Promise<KeptPage> {
  const { dataClass, filters } = asked
  const records = recordsToKeep(context, asked)
  const options = {
    id: id ?? undefined,
    sorted: isSorted(asked),
    lifetimeSeconds: lifetimeSeconds ?? undefined,
    owner: await owner(),
    rule: filters.ruleOf(dataClass),
  }
  for (let attempt = 1; ; attempt++)
    try {
      return await context.sets.createWith(dataClass.name, records, options, page)
    } catch (error) {
      const isConflict = error instanceof DatabaseError && error.failure === 'conflict'
      if (isConflict && attempt < MAX_ATTEMPTS) continue
      // The id belongs to a set of another session, which cannot be replaced.
      throw id !== null && isEntiaError(error, 'argumentInvalid')
        ? new EntiaError('entitySetNotFound', { id: id.slice(0, 40) })
        : error
    }
}

const isSorted = ({ orderBy }: EntityQuerySql): boolean => orderBy === null || orderBy.length > 0

/** Sets that a computed attribute selects are read, and kept, by core's own code. */
function recordsToKeep(context: SetContext, asked: EntityQuerySql): Sql {
  const records = recordsOf(context, asked)
  if (records === null) throw new Error('The entities of a set have no SQL.')
  return records
}
