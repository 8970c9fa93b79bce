/** Stored values as JSON, by the names of attributes and to-one relations. */
export type BatchValues = { readonly [name: string]: unknown }

/** One change of a batch. */
export type BatchItem = {
  readonly dataClass: string
  readonly key: string | number
} & (
  | { readonly kind: 'insert'; readonly values: BatchValues }
  | {
      readonly kind: 'update'
      readonly values: BatchValues
      /** The values that these replace. */
      readonly before: BatchValues
      /** The stamp of the entity that the change was made for. */
      readonly stamp: number
    }
  | { readonly kind: 'remove'; readonly before: BatchValues; readonly stamp: number }
)

/** A call of a function by a replica. */
export interface BatchCall {
  readonly dataClass: string
  /** The entity that it works on; null for a function of the dataclass. */
  readonly key: string | number | null
  readonly name: string
  /** JSON values. An entity is an `ArgumentEntity`. */
  readonly args: readonly unknown[]
}

/** An entity as an argument of a call: the function gets it as it is stored when it is called. */
export interface ArgumentEntity {
  readonly __ENTITY: true
  readonly __DATACLASS: string
  readonly __KEY: string | number
}

/** Whether an argument has the members of an `ArgumentEntity` and no others. */
export function isArgumentEntity(value: unknown): value is ArgumentEntity {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 3) return false
  const { __ENTITY, __DATACLASS, __KEY } = value as { readonly [name: string]: unknown }
  return (
    __ENTITY === true &&
    typeof __DATACLASS === 'string' &&
    (typeof __KEY === 'string' || typeof __KEY === 'number')
  )
}

/** The changes of one transaction of a replica, or one call. */
export interface Batch {
  readonly number: number
  /** Empty for a call. */
  readonly items: readonly BatchItem[]
  readonly call?: BatchCall
  /** Refuses every entity with another stamp, even if the changed values are the same. */
  readonly strict: boolean
}

/** Two writers changed the same values. */
export interface BatchConflict {
  readonly dataClass: string
  readonly key: string | number
  /** The values that the change was made for; null if there are none to compare. */
  readonly base: BatchValues | null
  /** The values of the change; null for a removal. */
  readonly mine: BatchValues | null
  /** The values as stored; null if the entity does not exist. */
  readonly theirs: BatchValues | null
  /** The stamp as stored; 0 if the entity does not exist. */
  readonly stamp: number
}

/** Why a batch was refused. */
export interface BatchRefusal {
  /** Empty if the batch was refused for another reason. */
  readonly conflicts: readonly BatchConflict[]
  /** The error and its causes, the outermost first. */
  readonly errors: readonly {
    readonly code: string
    readonly errCode: number
    readonly message: string
  }[]
}

/**
 * For each item of a batch, in their order, the stamp that the batch has led to: null for a removed
 * entity, and for one that others have saved since the state that the item was made for.
 */
export type BatchStamps = readonly (number | null)[]

/**
 * What has been decided. `globalStamp` is that of a commit that includes the batch; `result` is the
 * result of a call as a JSON value. `stamps` is missing for a batch that was decided before.
 */
export type BatchOutcome =
  | {
      readonly number: number
      readonly kind: 'applied'
      readonly globalStamp: number
      readonly result?: unknown
      readonly stamps?: BatchStamps
    }
  | { readonly number: number; readonly kind: 'refused'; readonly refusal: BatchRefusal }

/** The most keys of one block. */
export const MAX_LEASE = 10_000

/** The first and the last of the whole-number keys that only one replica gives. */
export type KeyBlock = readonly [first: number, last: number]

/** Asks for the next block of keys of a dataclass. */
export interface LeaseRequest {
  /** Keys of the block, from 1 to `MAX_LEASE`. */
  readonly size: number
  /** The lowest key that may still arrive: blocks below are forgotten. */
  readonly lowest: number
  /** The last key of the blocks that have arrived; 0 for none. Later blocks are sent again. */
  readonly last: number
}

/** All blocks of keys that a replica has of a dataclass, or why it gets no other one. */
export type Lease =
  | { readonly blocks: readonly KeyBlock[] }
  | { readonly errors: BatchRefusal['errors'] }
