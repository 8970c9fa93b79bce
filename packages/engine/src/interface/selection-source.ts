import {
  type ClassModel,
  type EntiaError,
  type Explain,
  type FilterHalves,
  type GroupAggregates,
  isEntiaError,
  type Session,
  type SetOperator,
  type StorageAttribute,
  splitFilter,
  type ToManyAttribute,
} from '@entia/core'
import { overBudget } from '@entia/core/internal'
import type { Awaitable } from './awaitable.ts'

/** A filter as text, with the values of its placeholders. */
export class FilterText {
  readonly text: string
  /** Positional values, values by name, or none. */
  readonly params: readonly unknown[] | { readonly [name: string]: unknown } | null
  #halves: FilterHalves | undefined

  constructor(text: string, params: FilterText['params']) {
    this.text = text
    this.params = params
  }

  /** The text ends in `order by …`, which wins over `$orderby`. Cost: the first time, O(text). */
  get hasOrder(): boolean {
    // Most texts do not have the word, and need no reading.
    return /order/i.test(this.text) && this.#read().orderBy !== null
  }
  /** The text only orders: it selects everything. Cost: the first time, O(text). */
  get isOrderOnly(): boolean {
    return this.hasOrder && this.#read().condition === null
  }

  /** The entities that this filter and another condition select, in the order of this text. */
  and(condition: string): FilterText {
    const { condition: own, orderBy } = this.#read()
    // The engine refuses a text that is not a filter.
    if (own === null && orderBy === null) return this
    const both = own === null ? condition : `(${own}) and ${condition}`
    const order = orderBy === null ? '' : ` order by ${orderBy}`
    return new FilterText(both + order, this.params)
  }

  #read(): FilterHalves {
    this.#halves ??= halvesOf(this.text)
    return this.#halves
  }
}

/**
 * A text that is not a filter has neither half: the engine refuses it, and says how large a filter
 * may be.
 */
function halvesOf(text: string): FilterHalves {
  try {
    return splitFilter(text, null)
  } catch (error) {
    if (isEntiaError(error)) return { condition: null, orderBy: null }
    throw error
  }
}

/** A key of the key attribute's type. */
export type KeyValue = string | number

/** One entity: by its key, or the first in record order whose attribute equals a value. */
export type EntityReference =
  | { readonly kind: 'key'; readonly dataClass: ClassModel; readonly key: KeyValue }
  | {
      readonly kind: 'attribute'
      readonly dataClass: ClassModel
      readonly attribute: StorageAttribute
      readonly value: KeyValue | boolean
    }

/** The source of a selection, before its filter. */
export type SelectionSource =
  | { readonly kind: 'all'; readonly dataClass: ClassModel }
  | {
      readonly kind: 'related'
      readonly owner: EntityReference
      readonly relation: ToManyAttribute
    }
  | EntitySetSource

/**
 * An entity set, as it is or combined with another one. Every use renews the lifetimes of the sets.
 * Calls with it throw entitySetNotFound, entitySetOfOtherClass, otherCollectionInvalid.
 */
export interface EntitySetSource {
  readonly kind: 'entitySet'
  readonly dataClass: ClassModel
  /** The id as it was sent; null for the set that is always empty. */
  readonly id: string | null
  /** Omit the members that were deleted since. */
  readonly clean: boolean
  readonly combination: SetCombination | null
}

/**
 * Combines entities that exist: `AND` and `EXCEPT` keep the order of the first set, `OR` appends
 * the additional members of the other one.
 */
export interface SetCombination {
  readonly operator: Exclude<SetOperator, 'INTERSECT'>
  readonly other: string | null
}

/** Who may use an entity set: every caller with its id, or only the session that created it. */
export type EntitySetScope = 'store' | 'session'

/** How a selection is kept as an entity set. */
export interface Keeping {
  /** Null for the engine's default. */
  readonly lifetimeSeconds: number | null
  /**
   * The owner; null if every caller may use it. Called when the set is created, since it may open a
   * session.
   */
  readonly owner: () => Awaitable<Session | null>
}

/** The criteria that recreate an expired entity set under its id. */
export interface SavedCriteria {
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Null: the criteria are checked, and no set is created. */
  readonly keep: Keeping | null
}

export interface SelectionQuery {
  readonly source: SelectionSource
  readonly filter: FilterText | null
  readonly orderBy: string | null
  /** Always checked if present; null makes an expired set an error. */
  readonly saved: SavedCriteria | null
  /** Include the filter's plan in the answer. */
  readonly withPlan: boolean
  /** Also run the filter part by part, and report what each part found. */
  readonly withPath: boolean
}

/** The dataclass of a selection's members. */
export function classOf(source: SelectionSource): ClassModel {
  return source.kind === 'related' ? source.relation.target : source.dataClass
}

/** Bounds of an answer. */
export interface AnswerBounds {
  /** The most entities per expanded to-many relation. */
  readonly relatedTop: number
  /** The most entities altogether. Beyond it the call throws budgetExceeded. */
  readonly maxEntities: number
}

/** What `If-Match` requires of an entity: to be in one of these states. */
export type Precondition = readonly RequiredState[]

export interface RequiredState {
  readonly stamp: number
  /** The life as reported in entity answers; null accepts any. */
  readonly life: string | null
}

/** One entity to save. */
export interface WriteItem {
  /** Null creates an entity. */
  readonly reference: EntityReference | null
  /** The key as it was sent, for messages; null for a creation. */
  readonly keyText: string | null
  /** Why the item could not be read, in which case it fails. Null for a valid item. */
  readonly refusal: EntiaError | null
  /** The stamp that the entity must have; null checks nothing. */
  readonly stamp: number | null
  /** From `If-Match`; null checks nothing. */
  readonly precondition: Precondition | null
  /** Values by attribute name. The engine checks them. */
  readonly values: ReadonlyMap<string, unknown>
  /**
   * Values of attributes that cannot be written. They must equal what is stored: clients send back
   * entities as they read them.
   */
  readonly echoes: ReadonlyMap<string, unknown>
}

/** A change of nothing: what a change leaves out. */
export const NO_CHANGE: WriteItem = {
  reference: null,
  keyText: null,
  refusal: null,
  stamp: null,
  precondition: null,
  values: new Map(),
  echoes: new Map(),
}

/**
 * Refuses a batch that is too large for one transaction, which blocks the event loop. Throws
 * budgetExceeded.
 */
export function refuseTooManyAtOnce(items: number, limit: number): void {
  if (items > limit) throw overBudget('entities written together', limit, 'limits.maxAtomicItems')
}

/** Groups of a selection. Paths lead over to-one relations. */
export interface GroupQuery extends SelectionQuery {
  /** Paths, perhaps with a span of time. */
  readonly attributes: readonly string[]
  /** `count`, and functions by path. */
  readonly aggregates: GroupAggregates
  readonly having: FilterText | null
  /** An order of groups, by members of their rows. */
  readonly groupOrder: string | null
  readonly skip: number
  readonly top: number
  readonly withExplain: boolean
}

/** A page of groups. */
export interface GroupResult {
  readonly globalStamp: number
  /** Groups that satisfy the condition. */
  readonly count: number
  /** Values by name as requested; aggregates by path and function. */
  readonly rows: readonly { readonly [name: string]: unknown }[]
  readonly explain: Explain | null
}
