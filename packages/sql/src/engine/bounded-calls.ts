import { type Awaitable, type Caller, engineError, type StopSign } from '@entia/engine'
import { isRepeatable, publicError } from '../connect/database-error.ts'
import type { RequestTime } from '../connect/request-time.ts'
import type { Reads } from '../read/sql-reader.ts'

/** What ends the calls of a request. */
export interface Bounds {
  /** The time of a request that has waited so many milliseconds. */
  readonly timeFor: (waited: number) => RequestTime
  /** Runs a call whose statements are cancelled if its request is stopped. */
  readonly stoppable: <R>(stop: StopSign, call: () => R) => R
}

/**
 * Runs calls within the time of their request, and `more` milliseconds. Failures of the database
 * become those of callers.
 */
export const bounded =
  ({ timeFor, stoppable }: Bounds) =>
  async <R>(
    caller: Caller | null,
    call: (time: RequestTime) => Awaitable<R>,
    more = 0,
  ): Promise<R> => {
    const time = timeFor((caller?.waited?.() ?? 0) - more)
    const stop = caller?.stop
    const endWatch = stop?.onStop(() => time.expire())
    const work = async (): Promise<R> => call(time)
    try {
      time.check()
      return await time.within(stop === undefined ? work() : stoppable(stop, work))
    } catch (error) {
      if (stop?.isStopped === true && !time.isStored) throw engineError('requestStopped', {})
      throw publicError(error)
    } finally {
      endWatch?.()
      time.end()
    }
  }

export type Within = ReturnType<typeof bounded>

/** Calls that run again on another connection, each within the time of its request. */
export const repeating =
  (within: Within) =>
  <R>(caller: Caller | null, call: () => Awaitable<R>): Promise<R> =>
    within(caller, (time) => repeated(time, call))

/** Reads of the database, each within the time of its request. */
export const boundedReads = (reader: Reads, again: ReturnType<typeof repeating>): Reads => ({
  readEntity: (query, caller) => again(caller, () => reader.readEntity(query, caller)),
  readSelection: (query, caller) => again(caller, () => reader.readSelection(query, caller)),
  compute: (query, caller) => again(caller, () => reader.compute(query, caller)),
  distinct: (query, caller) => again(caller, () => reader.distinct(query, caller)),
  group: (query, caller) => again(caller, () => reader.group(query, caller)),
})

/**
 * Connections of a pool that may be broken at the same time, as after a restart of the database.
 */
const MAX_LOSSES = 2

/**
 * Runs a call, and runs it again on other connections if the first ones broke or lost its prepared
 * statements. So it may run without its answer: nothing may depend on how often it runs. `losses`
 * are the attempts so far. `time` is that of the request; null for reads of the process, which have
 * none.
 */
export async function repeated<R>(
  time: RequestTime | null,
  call: (losses: number) => Awaitable<R>,
): Promise<R> {
  for (let losses = 0; ; losses++)
    try {
      return await call(losses)
    } catch (error) {
      if (!isRepeatable(error) || losses === MAX_LOSSES || time?.isOver === true) throw error
    }
}

/** Runs a call and throws the errors that callers may see. */
export async function withPublicErrors<R>(call: () => Promise<R>): Promise<R> {
  try {
    return await call()
  } catch (error) {
    throw publicError(error)
  }
}

/** A call of the process itself: `repeated`, with the errors that callers may see. */
export const inDatabase = <R>(call: () => Awaitable<R>): Promise<R> =>
  withPublicErrors(() => repeated(null, call))
