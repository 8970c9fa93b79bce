import { type ClassModel, EntiaError } from '@entia/core'
import type { SetCombination } from '@entia/engine'
import { repeated, withPublicErrors } from '../engine/bounded-calls.ts'
import { releaseSet } from '../engine/entity-set-transfer.ts'
import { recordsOf } from '../read/asked-set.ts'
import { keepSet } from '../read/keep-set.ts'
import { haveCommonEntity, type Members } from '../server-state/set-pieces.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { asked, type Reading, selectionOver, setsOf } from './described.ts'
import { type AsyncPort, type AsyncRuns, portOf } from './sql-user.ts'

/**
 * Keeps a selection as an entity set that every caller may use, and returns its id. The members do
 * not leave the database unless a computed attribute selects or orders them.
 */
export async function keepSelection(
  { runs, described }: Reading,
  { lifetimeSeconds = null }: { readonly lifetimeSeconds?: number | null } = {},
): Promise<string> {
  const port = setsPortOf(runs)
  const session = await runs.session()
  const whole = await asked(port, session, described)
  const caller = { session, access: null, names: port.names }
  const keep = { lifetimeSeconds, owner: () => null }
  if (recordsOf(port.context, whole.asked) !== null)
    return withPublicErrors(() => repeated(null, () => keepSet(port.context, whole, keep, caller)))
  return runs.write('an entity set', { sets: setsOf(described) }, async (access) => {
    const options = lifetimeSeconds === null ? {} : { lifetimeSeconds }
    return (await selectionOver(access, described).entitySet(options)).id
  })
}

/** Null combines with nothing: it leaves out members that were removed. */
export async function combineSets(
  { runs, described }: Reading,
  combination: SetCombination | null,
): Promise<string> {
  const port = setsPortOf(runs)
  const session = await runs.session()
  const change = combination === null ? { clean: true } : { combination }
  const whole = await asked(port, session, described, change)
  const caller = { session, access: null, names: port.names }
  const keep = { lifetimeSeconds: null, owner: () => null }
  return withPublicErrors(() => repeated(null, () => keepSet(port.context, whole, keep, caller)))
}

export async function setsIntersect(
  runs: AsyncRuns,
  dataClass: ClassModel,
  first: string,
  second: string,
): Promise<boolean> {
  const { context } = setsPortOf(runs)
  const session = await runs.session()
  const { sets, model, pool } = context
  const membersOf = async (id: string): Promise<Members> => {
    const found = await sets.get(id, session)
    const members = found?.dataClass === dataClass.name ? sets.members(found) : null
    if (members === null) throw new EntiaError('entitySetNotFound', { id })
    return members
  }
  const intersect = async (): Promise<boolean> => {
    const both = [await membersOf(first), await membersOf(second)] as const
    const table = model.tables[dataClass.ordinal]!
    const { rows } = await pool.query(statementOf(haveCommonEntity(table, ...both)))
    return rows[0]![0] as boolean
  }
  return withPublicErrors(() => repeated(null, intersect))
}

export async function releaseKept(runs: AsyncRuns, id: string): Promise<boolean> {
  const { context } = setsPortOf(runs)
  const session = await runs.session()
  return withPublicErrors(() => releaseSet(null, context.sets, id, session, null))
}

const setsPortOf = (runs: AsyncRuns): AsyncPort =>
  portOf(runs, 'An entity set', 'Use it before or after the transaction.')
