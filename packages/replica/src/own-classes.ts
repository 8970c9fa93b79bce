import { attribute, defineDataClass } from '@entia/core'
import type {
  BatchCall,
  BatchItem,
  BatchRefusal,
  BatchStamps,
  KeyBlock,
} from '@entia/core/internal'
import type { Resolution } from './conflict.ts'
import type { SentShape } from './shapes.ts'

/**
 * The transactions of this replica that the server has not decided, or has refused, and calls with
 * their results.
 *
 * | state | |
 * |---|---|
 * | `waiting` | not sent, or its outcome is not known yet |
 * | `applied` | the server has applied it; its effects have not arrived yet |
 * | `done` | a call whose effects have arrived; its result is kept until it is dismissed |
 * | `problem` | refused; it waits for `solve` |
 * | `solving` | another tab has solved it; the tab with the stream does what it says |
 */
export const ReplicaBatch = defineDataClass('ReplicaBatch', {
  number: attribute.long64({ key: true }),
  state: attribute.string({ indexed: true, notNull: true }),
  /** When the transaction ran here. */
  at: attribute.date({ notNull: true }),
  items: attribute.object<KeptItems>({ notNull: true }),
  strict: attribute.bool({ notNull: true }),
  /** The function that is called; null for a transaction, which has items. */
  call: attribute.object<BatchCall>(),
  /** What the function has returned, if it was applied, also one that is sent again. */
  result: attribute.object<{ value: unknown }>(),
  /** The server's global stamp that includes it; null unless applied. */
  globalStamp: attribute.long64(),
  /** What its items have led to, until its effects have arrived; null where it is not known. */
  stamps: attribute.object<{ list: BatchStamps }>(),
  /** Why it was refused; null unless it is a problem. */
  refusal: attribute.object<BatchRefusal>(),
  /** What another tab has chosen for each conflict. */
  choices: attribute.object<{ list: readonly Resolution[] }>(),
  /** The number of the batch whose conflicts this one resolves. */
  replaces: attribute.long64(),
})

/** The items of a batch as they are kept. */
export interface KeptItems {
  readonly list: readonly BatchItem[]
  /** What the dates among their values are, as `Dataclass.attribute`. */
  readonly dates?: { readonly [path: string]: DateForm }
}
export type DateForm = 'day' | 'moment'

/** What the server has of each entity with waiting changes. */
export const ReplicaBase = defineDataClass('ReplicaBase', {
  /** Dataclass and key. */
  ID: attribute.string({ key: true }),
  state: attribute.object<{
    dataClass: string
    key: string | number
    /** Null if the server does not have the entity. */
    values: readonly unknown[] | null
    stamp: number
    timestamp: number
  }>({ notNull: true }),
})

/** Where this replica is. It has one entity. */
export const ReplicaPlace = defineDataClass('ReplicaPlace', {
  ID: attribute.string({ key: true }),
  /** The id of the replica, which it chose. */
  replica: attribute.string({ notNull: true }),
  /** The number of the last batch. */
  last: attribute.long64({ notNull: true, default: 0 }),
  /** The era with which batches are sent; null before the server has named one. */
  era: attribute.string(),
  /** What the server needs to continue; null before the first complete moment. */
  at: attribute.object<ServerMoment>(),
  /** What the contents of that moment are; written only when it changes. */
  contents: attribute.object<HeldContents>(),
  /** When the server was there last. */
  met: attribute.date(),
  /** The state and the error of the tab with the stream, for other tabs. */
  state: attribute.string(),
  problem: attribute.string(),
  /** The whole-number keys that are leased to this replica, by dataclass. */
  keys: attribute.object<{ [dataClass: string]: HeldKeys }>(),
  /** What another tab asks for. */
  asked: attribute.object<Asked>(),
})

/** Leased keys: those of `blocks` from `next` on are free. */
export interface HeldKeys {
  /** The instance of the server that has leased or confirmed them; empty if none has in its era. */
  readonly instance: string
  readonly next: number
  /** In ascending order. */
  readonly blocks: readonly KeyBlock[]
}

/** A complete moment of the server. */
export interface ServerMoment {
  readonly instance: string
  readonly globalStamp: number
  readonly fingerprint: string
}

/** What is held. */
export interface HeldContents {
  /** The shapes, as they were sent. */
  readonly shapes: { readonly [dataClass: string]: SentShape }
  /** Whose permissions the contents have: the ID of a user, null for a guest. */
  readonly user: string | null
  /** The definitions, by dataclass: see `modelOf`. */
  readonly model: { readonly [dataClass: string]: string }
  /** The attributes that are held, by dataclass. */
  readonly held: { readonly [dataClass: string]: readonly string[] }
}

export interface Position extends ServerMoment, HeldContents {}

/** Other shapes, or that the data are removed. */
export type Asked = { readonly shapes: HeldContents['shapes'] } | { readonly forget: true }

export const OWN_CLASSES = [ReplicaBatch, ReplicaBase, ReplicaPlace] as const
export const isOwnClass = (name: string): boolean => OWN_CLASSES.some((own) => own.name === name)
