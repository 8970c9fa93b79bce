import type { Untyped } from './definition.ts'
import type { Selection } from './selection-types.ts'

/** Who a session belongs to. */
export interface SessionUser {
  readonly ID: string
  readonly userName: string
  readonly fullName: string
  readonly groups: readonly string[]
}

/** A session: found by its token, ended by closing or by not being used for its lifetime. */
export interface Session {
  readonly id: string
  /** The secret the client holds. */
  readonly token: string
  readonly user: SessionUser | null
  readonly lifetimeSeconds: number
  /** Epoch milliseconds. */
  readonly expires: number
}

export type SetOperator = 'AND' | 'OR' | 'EXCEPT' | 'INTERSECT'
export type AnySelection = Selection<Untyped, Untyped>

/** Selections kept under an id for a time that each read renews. Ids are 32 hexadecimal digits. */
export interface EntitySets {
  /** Default lifetime: 7200 seconds. */
  create(selection: AnySelection, options?: { readonly lifetimeSeconds?: number }): string
  /** Undefined when expired or released. */
  get(id: string): AnySelection | undefined
  /** As `get`, without renewing. */
  peek(id: string): AnySelection | undefined
  /** A selection of the entities that exist now; `INTERSECT` tells whether there is a common one. */
  combine(id: string, operator: 'INTERSECT', other: string): boolean
  combine(id: string, operator: Exclude<SetOperator, 'INTERSECT'>, other: string): AnySelection
  /** Drops members that no longer exist. */
  clean(id: string): AnySelection
  release(id: string): boolean
}
