import type { Capability } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import { handleOf, type StoreHandle } from '../kernel/handle.ts'
import type { RecordChange } from '../model/store-types.ts'
import { PastStore } from '../past/past-store.ts'
import { Pins } from '../storage/pins.ts'
import { checkStamp } from '../value/check-options.ts'
import { recordChanges } from '../write/record-changes.ts'

const pins = new WeakMap<StoreHandle, Pins>()

function pinsOf(handle: StoreHandle): Pins {
  let known = pins.get(handle)
  if (known === undefined) pins.set(handle, (known = new Pins(handle.writer.history)))
  return known
}

const store = {
  /** The store as it was. Throws `argumentInvalid` for a stamp that never was, `historyTrimmed` beyond the history kept. */
  at(this: DataStore, globalStamp: number): PastStore {
    const handle = handleOf(this)
    handle.writer.guard()
    const stamp = checkStamp('The global stamp', globalStamp, this.globalStamp)
    return new PastStore(stamp, handle, pinsOf(handle))
  },
  /** The changes after a global stamp. Throws as `at` does. */
  changes(this: DataStore, options: { readonly since: number }): readonly RecordChange[] {
    const { writer } = handleOf(this)
    writer.outside('changes')
    const since = checkStamp('The option since', options?.since, this.globalStamp)
    return recordChanges(writer.history.since(since))
  },
}

/** `at` and `changes` of the store. */
export const past = { name: 'past', store } as const satisfies Capability
