import type { DataClassTable } from '../src/kernel/data-class-table.ts'
import type { DataStore } from '../src/kernel/data-store.ts'
import type { Selection } from '../src/selection/selection.ts'
import type { Locks } from '../src/server-state/locks.ts'
import type { Sessions } from '../src/server-state/sessions.ts'
import type { ALL_CAPABILITIES } from '../src/store/capabilities.ts'

type Capabilities = (typeof ALL_CAPABILITIES)[number]
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (each: infer I) => void ? I : never
type Methods<T> = { readonly [name in keyof T]: OmitThisParameter<T[name]> }
type MembersOf<Part extends string> = Methods<
  Intersection<Capabilities extends infer C ? (C extends { readonly [part in Part]: infer T } ? T : never) : never>
>

/** The classes behind the public types of a store with every capability, for tests whose models have no inferred type. */
export type FullSelection = Selection & MembersOf<'selection'>
export type FullTable = DataClassTable & MembersOf<'table'> & MembersOf<'queries'>
export type FullStore = Omit<DataStore, 'dataClass' | 'transact'> &
  MembersOf<'store'> & {
    readonly sessions: Sessions
    readonly locks: Locks
    dataClass(name: string): FullTable
    transact<R>(body: (tx: FullStore) => R): R
  }
