import { type Capability, handleOf } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { Untyped } from '../model/definition.ts'
import type { StoreViews } from '../model/store-types.ts'
import type { ViewOptions } from '../model/view-types.ts'
import { StoreView } from '../view/view.ts'

const store = {
  /** The store as one caller may see it. Cost: the row filters are bound; no query runs. */
  view(this: DataStore, options?: ViewOptions): StoreView {
    return new StoreView(handleOf(this), options)
  },
} satisfies StoreViews<Untyped>

/** `view` of the store. */
export const views = { name: 'views', store } as const satisfies Capability
