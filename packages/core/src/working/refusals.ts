import { explaining } from '../capability/explaining.ts'
import type { Capability } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import { handleOfReader, type StoreHandle } from '../kernel/handle.ts'
import type { Explain } from '../model/explain-types.ts'
import { type Selection, selectionParts } from '../selection/selection.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { ALL_CAPABILITIES } from '../store/capabilities.ts'

/** Calls that need the past, the plans or the events of a whole store. */
export type RefusedCall = (typeof STORE_CALLS)[number] | (typeof TABLE_CALLS)[number] | 'live'

/** Creates the error of a call that a working store cannot answer. */
export type Refuse = (call: RefusedCall) => Error

const STORE_CALLS = ['at', 'changes', 'snapshot', 'restore', 'dump', 'on'] as const
const TABLE_CALLS = ['explain', 'trace', 'plans'] as const

const refusals = new WeakMap<StoreHandle, Refuse>()

function refuseIn({ whole }: SelectionPort, call: RefusedCall): void {
  const handle = handleOfReader(whole)
  const refuse = handle === undefined ? undefined : refusals.get(handle)
  if (refuse !== undefined) throw refuse(call)
}

/** The same for selections. Those of views are the engine's own, which knows what they mean. */
const plansOfSelections = {
  ...explaining,
  selection: {
    ...explaining.selection,
    explain(this: Selection): Explain {
      const { port } = selectionParts(this)
      if (port === port.whole) refuseIn(port, 'explain')
      return explaining.selection.explain.call(this)
    },
  },
} satisfies Capability

const noLiveQueries = {
  name: 'liveQueries',
  selection: {
    live(this: Selection): never {
      refuseIn(selectionParts(this).port, 'live')
      throw new Error('A working store has no live queries.')
    },
  },
} satisfies Capability

/** The capabilities of working stores. */
export const WORKING_CAPABILITIES: readonly Capability[] = ALL_CAPABILITIES.map((each) =>
  each.name === 'explaining'
    ? plansOfSelections
    : each.name === 'liveQueries'
      ? noLiveQueries
      : each,
)

/**
 * Makes a working store throw for what only a store with all records and its history can answer:
 * otherwise it would answer from the few records that were fetched.
 */
export function refuseInStore(store: DataStore, handle: StoreHandle, refuse: Refuse): void {
  refusals.set(handle, refuse)
  const refuseCalls = (object: object, calls: readonly RefusedCall[]): void => {
    for (const call of calls)
      Object.defineProperty(object, call, {
        value: () => {
          throw refuse(call)
        },
      })
  }
  refuseCalls(store, STORE_CALLS)
  for (const { name } of handle.catalog.classes) refuseCalls(store.dataClass(name), TABLE_CALLS)
}
