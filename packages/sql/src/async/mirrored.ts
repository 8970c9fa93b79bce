import type { ClassModel } from '@entia/core'
import { Access } from '@entia/core/internal'
import type { Awaitable } from '@entia/engine'
import { criteriaText, type Reading, selectionOver } from './described.ts'
import type { Local } from './reads.ts'
import type { AsyncPort, AsyncRuns } from './sql-user.ts'

/** Answers a read from the mirror, or else from the database. */
export async function mirroredOr<R>(
  runs: AsyncRuns,
  { name }: ClassModel,
  read: (access: Access) => Awaitable<R>,
  fromDatabase: () => Promise<R>,
  check: (port: AsyncPort) => void = () => {},
): Promise<R> {
  const { port } = runs
  if (port === null || port.mirror === null) return fromDatabase()
  const found = await port.mirror.answer({
    dataClass: name,
    caller: { session: await runs.session() },
    needs: () => {
      check(port)
      return null
    },
    isWhole: false,
    read: ({ store }, session) => read(new Access(store, session)),
  })
  return found === null ? fromDatabase() : found.value
}

/** The same for a read of a selection. */
export function selectedOr<R>(
  { runs, described }: Reading,
  read: (found: Local) => Promise<R>,
  fromDatabase: () => Promise<R>,
): Promise<R> {
  const { dataClass, setId, orderBy } = described
  if (setId !== null) return fromDatabase()
  return mirroredOr(
    runs,
    dataClass,
    (access) => read(selectionOver(access, described) as Local),
    fromDatabase,
    // What the database refuses, such as an order by relevance, is refused with a mirror too.
    ({ filters }) => {
      filters.bind(dataClass, criteriaText(described, filters))
      if (orderBy !== null) filters.bindOrderBy(dataClass, orderBy)
    },
  )
}
