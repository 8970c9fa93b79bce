import { type Capability, handleOf, perStore } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { Untyped } from '../model/definition.ts'
import type { RecordChange, StorePast } from '../model/store-types.ts'
import type { PastStore as PublicPastStore } from '../model/view-types.ts'
import { Pins } from '../storage/past-table.ts'
import { checkStamp } from '../value/check-options.ts'
import { PastStore } from '../view/past-store.ts'
import { recordChanges } from '../write/record-changes.ts'

const pinsOf = perStore(({ writer }) => new Pins(writer.history))

const store = {
  /**
   * The store as it was. Throws `argumentInvalid` for a stamp that never was, `historyTrimmed`
   * beyond the history kept.
   */
  at(this: DataStore, globalStamp: number): PublicPastStore {
    const handle = handleOf(this)
    handle.writer.guard()
    const stamp = checkStamp('The global stamp', globalStamp, this.globalStamp)
    const opened = new PastStore(stamp, handle, pinsOf(handle))
    // The constructor has defined a property for each dataclass.
    return opened as PastStore & PublicPastStore
  },
  /** The changes after a global stamp. Throws as `at` does. */
  changes(this: DataStore, options: { readonly since: number }): readonly RecordChange[] {
    const { writer } = handleOf(this)
    writer.outside('changes')
    const since = checkStamp('The option since', options?.since, this.globalStamp)
    return recordChanges(writer.history.since(since))
  },
} satisfies StorePast<Untyped>

/** `at` and `changes` of the store. */
export const past = { name: 'past', store } as const satisfies Capability
