import type { Untyped } from '../../model/definition.ts'
import type { RecordChange, StorePast, StoreViews } from '../../model/store-types.ts'
import type { PastStore as PublicPastStore, ViewOptions } from '../../model/view-types.ts'
import type { SelectionPort } from '../../query/selection-port.ts'
import { Pins } from '../../storage/past-table.ts'
import { checkStamp } from '../../value/check-options.ts'
import { PastStore, pastError } from '../../view/past-store.ts'
import { StoreView } from '../../view/view.ts'
import { recordChanges } from '../../write/record-changes.ts'
import {
  type Capability,
  handleOf,
  handleOfReader,
  perStore,
  type StoreHandle,
} from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'

// The store as one reader may see it, and at an older global stamp. Neither writes.

const pins = new WeakMap<StoreHandle, Pins>()

const store = {
  /**
   * The store as it was. Throws `argumentInvalid` for a stamp that never was, `historyTrimmed`
   * beyond the history kept.
   */
  at(this: DataStore, globalStamp: number): PublicPastStore {
    const handle = handleOf(this)
    handle.writer.guard()
    const stamp = checkStamp('The global stamp', globalStamp, this.globalStamp)
    const opened = new PastStore(
      stamp,
      handle,
      perStore(pins, handle, ({ writer }) => new Pins(writer.history)),
    )
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
  /** The store as one caller may see it. Cost: the row filters are bound; no query runs. */
  view(this: DataStore, options?: ViewOptions): StoreView {
    return new StoreView(handleOf(this), options)
  },
} satisfies StorePast<Untyped> & StoreViews<Untyped>

/** `view`, `at` and `changes` of the store. */
export const views = { name: 'views', store } as const satisfies Capability

/** The store of a selection. Throws `pastReadOnly` for a selection of a past store. */
export function storeOfSelection(port: SelectionPort, operation: string): StoreHandle {
  const handle = handleOfReader(port.whole)
  if (handle === undefined)
    throw pastError('pastReadOnly', { operation, globalStamp: port.moment.globalStamp })
  return handle
}
