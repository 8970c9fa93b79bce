import type { Awaitable } from '@entia/rest/engine'
import { DatabaseError } from '../connect/database-error.ts'

/** Connections of a pool that may be broken at the same time, as after a restart of the database. */
const MAX_LOSSES = 2

/** Reads, and reads again on other connections if the first ones broke. It must change nothing. */
export async function readAgain<R>(read: () => Awaitable<R>): Promise<R> {
  for (let losses = 0; ; losses++)
    try {
      return await read()
    } catch (error) {
      const isLost = error instanceof DatabaseError && error.failure === 'unavailable'
      if (!isLost || losses === MAX_LOSSES) throw error
    }
}
