import type { HookFailure, Place } from './hook-gate.ts'
import type { ClassName, Input } from './plain-model.ts'
import type { Filter, Order } from './plain-reads.ts'

/**
 * A command for a club as plain data, so that a failing list can be pasted into a test. `at`
 * selects an entity: the n-th living one, modulo their number. From `NOWHERE` on it is a missing
 * key. In rows, relations hold such numbers.
 */
export type Command =
  | { readonly kind: 'write'; readonly write: Write; readonly session: Who }
  | {
      readonly kind: 'batch'
      readonly mode: BatchMode
      readonly steps: readonly Step[]
      readonly session: Who
    }
  | {
      readonly kind: 'updateAll'
      readonly className: ClassName
      readonly changes: readonly Update[]
    }
  | ({ readonly kind: 'load' } & Load)
  | { readonly kind: 'removeFound'; readonly query: Query; readonly session: Who }
  | { readonly kind: 'query'; readonly query: Query; readonly skip: number; readonly top: number }
  | { readonly kind: 'wrongQuery'; readonly text: keyof typeof WRONG_QUERIES }
  | { readonly kind: 'related'; readonly relation: number; readonly at: number }
  | { readonly kind: 'keepSet'; readonly query: Query; readonly how: Keeping }
  | {
      readonly kind: 'combineSets'
      readonly left: number
      readonly word: 'AND' | 'OR' | 'EXCEPT' | 'INTERSECT'
      readonly right: number
      readonly session: Who
      readonly how: Keeping | null
    }
  | {
      readonly kind: 'cleanSet'
      readonly set: number
      readonly session: Who
      readonly how: Keeping | null
    }
  | {
      readonly kind: 'readSet'
      readonly set: number
      readonly session: Who
      readonly order: readonly Order[]
    }
  | { readonly kind: 'peekSet' | 'releaseSet'; readonly set: number; readonly session: Who }
  | { readonly kind: 'listSides' | 'snapshot' | 'seed' | 'reopen' | 'replay' }
  /**
   * Moves the clock to an instant at which something ends, or just before or after it, or by some
   * milliseconds.
   */
  | { readonly kind: 'advance'; readonly toEnd: number; readonly off: -1 | 0 | 1 }
  | { readonly kind: 'advanceBy' | 'wallJump'; readonly milliseconds: number }
  | { readonly kind: 'openSession'; readonly session: number; readonly seconds: number | null }
  | { readonly kind: 'closeSession' | 'releaseLocks'; readonly session: number }
  | {
      readonly kind: 'lock'
      readonly className: ClassName
      readonly at: number
      readonly session: number
      readonly stamp: Stamp
    }
  | {
      readonly kind: 'unlock'
      readonly className: ClassName
      readonly at: number
      readonly session: number
    }
  | { readonly kind: 'createIndex' | 'dropIndex'; readonly index: number }
  | { readonly kind: 'restore' | 'dispose'; readonly snapshot: number }
  | { readonly kind: 'failHook'; readonly call: number; readonly how: HookFailure }
  /** The next call of this hook or listener writes. */
  | { readonly kind: 'react'; readonly place: Place; readonly write: Write }
  /**
   * Writes an input with a getter, or media with a function, that itself writes: alone, or in a
   * transaction.
   */
  | {
      readonly kind: 'getter'
      readonly write: Insert | Update
      readonly inner: Write
      readonly through: 'getter' | 'bytes'
      readonly isInside: boolean
      readonly session: Who
    }

export type Stamp = 'none' | 'right' | 'stale'
export type Who = 0 | 1 | 2 | null
export type BatchMode = 'atomic' | 'lenient' | 'separate'
export interface Insert extends Input {
  readonly do: 'insert'
  readonly className: ClassName
}
export interface Update extends Input {
  readonly do: 'update'
  readonly className: ClassName
  readonly at: number
  readonly stamp: Stamp
  readonly isEdit?: boolean
}
export interface Remove {
  readonly do: 'remove'
  readonly className: ClassName
  readonly at: number
  readonly stamp: Stamp
}
export type Write = Insert | Update | Remove
export interface Load {
  readonly className: ClassName
  readonly rows: readonly Input[]
  readonly isEmptied: boolean
}
export type Step =
  | Write
  | ({ readonly do: 'load' } & Load)
  | { readonly do: 'updateNone'; readonly className: ClassName }
  | { readonly do: 'look'; readonly query: Query }
  | { readonly do: 'throw' }
export interface Query {
  readonly className: ClassName
  readonly filter: Filter | null
  readonly order: readonly Order[]
}
/**
 * The handle (of four) for the set, its lifetime and owner, and whether it reuses the id of the
 * handle.
 */
export interface Keeping {
  readonly handle: number
  readonly seconds: number | null
  readonly owner: Who
  readonly isAnew: boolean
}

export const NOWHERE = 20
/** Filters that are refused, with their codes. */
export const WRONG_QUERIES = {
  'nothing = 1': 'filterCannotBeAnalysed',
  'score = ': 'filterSyntax',
  "score = 'much'": 'filterCannotBeAnalysed',
  'name = :1': 'placeholderMissing',
} as const
