import type { LiveQuery } from '@entia/core'
import { vi } from 'vitest'

/** Counts the live queries of all stores with the capabilities of this selection's store. */
export function countLiveQueries(selection: { live(...args: never[]): LiveQuery }) {
  vi.restoreAllMocks()
  let owner: object = selection
  while (!Object.hasOwn(owner, 'live')) owner = Object.getPrototypeOf(owner)
  const { live } = owner as typeof selection
  let started = 0
  let stopped = 0
  vi.spyOn(owner as typeof selection, 'live').mockImplementation(function (
    this: typeof selection,
    ...args
  ) {
    const query = live.apply(this, args)
    const stop = query.stop.bind(query)
    started++
    query.stop = () => {
      stopped++
      stop()
    }
    return query
  })
  return { started: () => started, stopped: () => stopped, running: () => started - stopped }
}
