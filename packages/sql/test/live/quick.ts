import { setTimeout as wait } from 'node:timers/promises'
import type { Pause } from '../../src/live/commit-poller.ts'

/** Polls the database more often than a server does, so that tests do not wait. */
export const quick: Pause = async (_milliseconds, signal) => {
  await wait(5, undefined, { signal }).catch(() => {})
}
