import type { Ids } from '@entia/core'
import type { Rewindable } from './rewindable.ts'

/** Ids that count up, the same in every run: the port `ids` of `createDataStore`. Anybody can guess them. */
export interface FakeIds extends Ids, Rewindable {}

/** Makes ids that count up from 1: 32 hexadecimal digits. */
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
