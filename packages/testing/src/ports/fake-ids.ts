import type { Ids } from '@entia/core'
import type { Rewindable } from './rewindable.ts'

/** Predictable ids that count up, equal in every run: the port `ids` of `createDataStore`. */
export interface FakeIds extends Ids, Rewindable {}

/**
 * Creates ids that count up from 1, as 32 hexadecimal digits.
 *
 * @example
 * ```ts
 * const ids = createFakeIds()
 * const repeatable = createDataStore({ name: 'repeatable', dataClasses, ids })
 * ```
 */
export function createFakeIds(): FakeIds {
  let issued = 0
  const next = (): string => (++issued).toString(16).toUpperCase().padStart(32, '0')
  return {
    uuid: next,
    token: next,
    mark() {
      const then = issued
      return () => {
        issued = then
      }
    },
  }
}
