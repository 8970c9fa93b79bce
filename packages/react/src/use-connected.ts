import { useSyncExternalStore } from 'react'
import { checkOrigin, resultsOf } from './results.ts'

/**
 * False while the results of a connection are not up to date because the server does not answer.
 * They are updated when it does. Always true for a store in this process.
 *
 * @example
 * ```ts
 * const Status = () => (useConnected(client) ? 'online' : 'offline')
 * ```
 */
export function useConnected(origin: object): boolean {
  checkOrigin(origin)
  const { subscribe, isConnected } = resultsOf(origin)
  return useSyncExternalStore(subscribe, isConnected, () => true)
}
