import {
  ALL_CAPABILITIES,
  type Capability,
  type ClassModel,
  type DataStore,
  EntiaError,
  type Explain,
  handleOfReader,
  indexes,
  type Key,
  liveQueries,
  type OrderBy,
  type Predicate,
  type Selection,
  type SelectionPort,
  type SessionInfo,
  type StorageAttribute,
  type StoredValue,
  type StoreHandle,
  selectionParts,
  type ToOneAttribute,
} from '@entia/core/internal'

/** A fact of the database that a decision needs and the working store does not know. */
export type Missing =
  /** The entity with a key. */
  | { readonly kind: 'entity'; readonly dataClass: ClassModel; readonly key: Key }
  /** The entity with a value of a unique attribute, compared by the attribute's collation. */
  | { readonly kind: 'holder'; readonly attribute: StorageAttribute; readonly value: StoredValue }
  /** All entities whose relation leads to a key. */
  | { readonly kind: 'referrers'; readonly relation: ToOneAttribute; readonly key: Key }
  /** All entities that a predicate without computed attributes selects, or some of them. */
  | {
      readonly kind: 'matches'
      readonly dataClass: ClassModel
      readonly predicate: Predicate
      readonly window?: Window | undefined
    }
  /** Numbers of the automatic sequence. */
  | { readonly kind: 'sequence'; readonly dataClass: ClassModel }

/** Entities `skip` to `skip + top` of an order of stored attributes; null is the record order. */
export interface Window {
  readonly orderBy: OrderBy | null
  readonly skip: number
  readonly top: number
}

/** One entity as the database holds it. */
export interface WorkingRow {
  readonly dataClass: ClassModel
  /** Entities without an order are in the order of these numbers; messages name them. */
  readonly record: number
  readonly stamp: number
  /** Epoch milliseconds. */
  readonly timestamp: number
  /** By column (`StorageAttribute.ordinal`). */
  readonly values: readonly StoredValue[]
  /** The session that has locked the entity; null for none. */
  readonly lockedBy: SessionInfo | null
}

/**
 * The answer to one `Missing`: the entities, in any order (none or one for an entity or a holder;
 * those of a window in its order),
 * the next number of a sequence that waits for this decision, or some numbers of a sequence that
 * others draw from too. Further numbers add to those that were found before.
 */
export type Found =
  | {
      readonly missing: Exclude<Missing, { kind: 'sequence' }>
      readonly rows: readonly WorkingRow[]
    }
  | { readonly missing: Extract<Missing, { kind: 'sequence' }>; readonly next: number }
  | {
      readonly missing: Extract<Missing, { kind: 'sequence' }>
      readonly numbers: readonly number[]
    }

const TEXT = {
  errCode: 9055,
  message: (): string => 'The working store does not know this yet: the decision must run again.',
}

/**
 * Ends a read of something unknown. It is an `EntiaError`, so that code that handles the errors of
 * each item of a batch goes on with the next item, which adds what it lacks. It never reaches a
 * caller: the run that throws it is discarded.
 */
export class NotLoaded extends EntiaError<'budgetExceeded'> {
  constructor() {
    super('budgetExceeded', { what: 'facts', limit: 0, option: 'none' }, undefined, TEXT)
  }
}

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
  ...indexes,
  selection: {
    ...indexes.selection,
    explain(this: Selection): Explain {
      const { port } = selectionParts(this)
      if (port === port.whole) refuseIn(port, 'explain')
      return indexes.selection.explain.call(this)
    },
  },
} satisfies Capability

const noLiveQueries = {
  ...liveQueries,
  selection: {
    live(this: Selection): never {
      refuseIn(selectionParts(this).port, 'live')
      throw new Error('A working store has no live queries.')
    },
  },
} satisfies Capability

/** The capabilities of working stores. */
export const WORKING_CAPABILITIES: readonly Capability[] = ALL_CAPABILITIES.map((each) =>
  each === indexes ? plansOfSelections : each === liveQueries ? noLiveQueries : each,
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
