import type { Awaitable } from '@entia/engine'
import { isRepeatable } from '../connect/database-error.ts'
import type { RequestTime } from '../connect/request-time.ts'

/**
 * Connections of a pool that may be broken at the same time, as after a restart of the database.
 */
const MAX_LOSSES = 2

/**
 * Runs a call, and runs it again on other connections if the first ones broke or lost its
 * prepared statements. So it may run
 * without its answer: nothing may depend on how often it runs.
 */
export async function repeated<R>(time: RequestTime, call: () => Awaitable<R>): Promise<R> {
  for (let losses = 0; ; losses++)
    try {
      return await call()
    } catch (error) {
      if (!isRepeatable(error) || losses === MAX_LOSSES || time.isOver) throw error
    }
}
