import type { Awaitable, Caller, Engine } from '@entia/engine'
import { isRepeatable } from '../connect/database-error.ts'
import type { RequestTime } from '../connect/request-time.ts'
import { publicError } from '../write/sql-decider.ts'

/**
 * Runs calls within the time of their request. Failures of the database become those of callers.
 */
export const bounded =
  (timeFor: (waited: number) => RequestTime) =>
  async <R>(caller: Caller | null, call: (time: RequestTime) => Awaitable<R>): Promise<R> => {
    const time = timeFor(caller?.waited?.() ?? 0)
    try {
      time.check()
      return await time.within((async () => call(time))())
    } catch (error) {
      throw publicError(error)
    } finally {
      time.end()
    }
  }

export type Reads = Pick<Engine, 'readEntity' | 'readSelection' | 'compute' | 'distinct' | 'group'>

/** Reads of the database, each within the time of its request. */
export function boundedReads(reader: Reads, within: ReturnType<typeof bounded>): Reads {
  return {
    readEntity: (query, caller) =>
      within(caller, (time) => repeated(time, () => reader.readEntity(query, caller))),
    readSelection: (query, caller) =>
      within(caller, (time) => repeated(time, () => reader.readSelection(query, caller))),
    compute: (query, caller) =>
      within(caller, (time) => repeated(time, () => reader.compute(query, caller))),
    distinct: (query, caller) =>
      within(caller, (time) => repeated(time, () => reader.distinct(query, caller))),
    group: (query, caller) =>
      within(caller, (time) => repeated(time, () => reader.group(query, caller))),
  }
}

/**
 * Connections of a pool that may be broken at the same time, as after a restart of the database.
 */
const MAX_LOSSES = 2

/**
 * Runs a call, and runs it again on other connections if the first ones broke or lost its prepared
 * statements. So it may run without its answer: nothing may depend on how often it runs.
 */
export async function repeated<R>(time: RequestTime, call: () => Awaitable<R>): Promise<R> {
  for (let losses = 0; ; losses++)
    try {
      return await call()
    } catch (error) {
      if (!isRepeatable(error) || losses === MAX_LOSSES || time.isOver) throw error
    }
}
