import { attribute, defineDataClass, type EntiaError } from '@entia/core'
import type {
  Batch,
  BatchOutcome,
  BatchRefusal,
  KeyBlock,
  Lease,
  LeaseRequest,
} from '@entia/core/internal'
import type { Awaitable } from './awaitable.ts'
import type { Caller } from './caller.ts'
import type { FollowedSince } from './followed.ts'
import { type AnswerBounds, FilterText } from './selection-source.ts'

/**
 * The replicas of an engine: stores elsewhere that hold a part of its data, follow its commits and
 * send their own changes.
 */
export interface EngineReplicas {
  /**
   * What a replica is sent: the entities of its shapes, then what changes. Throws
   * dataClassNotFound, attributeNotFound, argumentInvalid for a shape that cannot be followed,
   * budgetExceeded for more than `maxEntities`.
   */
  feed(query: FeedQuery, caller: Caller): Awaitable<Feed>
  /**
   * Decides batches in their order, each in one transaction, then leases keys. A function that
   * returns a promise is awaited outside of the transaction, before the next batch, for at most
   * `callTime`. A batch that was decided before gets its outcome again. Throws loginRequired,
   * accessDenied for a replica of another user, argumentInvalid for a batch that cannot be read and
   * for a store without `ReplicaState`, budgetExceeded for a new batch while too many outcomes
   * after `received` are kept.
   */
  decide(query: BatchQuery, caller: Caller): Awaitable<BatchAnswer>
  /** It changes whenever notes of replicas are removed. */
  era(caller: Caller): Awaitable<string>
  /**
   * Removes what the store notes of some replicas that have written nothing for so many days; of
   * `among`, if given. Returns their number, 0 once none is left.
   */
  expire(days: number, caller: Caller, among?: readonly string[]): Awaitable<number>
}

/** The entities of one dataclass that a replica holds. */
export interface Shape {
  readonly filter: FilterText | null
  /** Names of attributes; null for all that the caller may read, except images and BLOBs. */
  readonly attributes: readonly string[] | null
  /** Paths of relations to the entities that it holds too. */
  readonly with: readonly string[]
}

export interface FeedQuery {
  /** The id of the replica, which it has chosen. */
  readonly replica: string
  /** By the name of the dataclass. */
  readonly shapes: ReadonlyMap<string, Shape>
  /** As `EngineReplicas.era` says it. */
  readonly era: string
  /** Where the replica is; null for one that has nothing. */
  readonly since: (FollowedSince & { readonly fingerprint: string }) | null
  /** The seed of marks and hints, which the replica has chosen. */
  readonly seed: number
  /** Marks of what the replica has; null if it has not been asked for them. */
  readonly marks: FeedMarks | null
  /** The most entities of all shapes. */
  readonly maxEntities: number
}

/** Marks of the entities that a replica has, by the name of the dataclass. */
export type FeedMarks = ReadonlyMap<string, ClassMarks>

/** Marks of the entities of one dataclass, as `BucketMarks` computes them. */
export interface ClassMarks {
  readonly columns: readonly string[]
  /** Buckets. */
  readonly count: number
  /** The buckets of which `text` has a mark for each part, in ascending order. */
  readonly divided: readonly number[]
  readonly text: string
}

/** Lines of JSON, each ended by a line feed; see `docs/reference/replica-protocol.md`. */
export interface Feed {
  /** Called if lines can be taken, and after the feed has stopped. */
  onNews: () => void
  /** True after the engine was closed: no more lines follow. */
  readonly isStopped: boolean
  /** True once all lines up to now were taken. */
  readonly isCurrent: boolean
  /** The next lines; null if there are none. */
  take(): string | null
  stop(): void
}

export interface BatchQuery {
  readonly replica: string
  /** The ID of the user who made the batches; null for a guest. Any other caller is refused. */
  readonly user: string | null
  /**
   * The era of the last answer to the replica, or of an earlier one while batches that were sent
   * wait for their outcomes. Empty before the first answer.
   */
  readonly era: string
  /** Outcomes up to this number have arrived. */
  readonly received: number
  /** In ascending order of their numbers. */
  readonly batches: readonly Batch[]
  /** Keys that the replica asks for, by the name of the dataclass. */
  readonly lease: ReadonlyMap<string, LeaseRequest>
  /** Bounds of the results of calls: levels of nesting, entities of a selection and altogether. */
  readonly bounds: AnswerBounds & { readonly maxDepth: number }
  readonly callTime: CallTime
}

/** How long the promise of a function is awaited. */
export interface CallTime {
  readonly seconds: number
  /** It is over: calls that have not been decided are refused without being made. */
  readonly isOver?: boolean
  /** Calls back when that time is over, perhaps again. Returns a function that ends that. */
  whenOver(over: () => void): () => void
}

export interface BatchAnswer {
  /** It changes whenever notes of replicas are removed. */
  readonly era: string
  readonly outcomes: readonly BatchOutcome[]
  /** By the name of the dataclass. */
  readonly lease: { readonly [dataClass: string]: Lease }
  /** Why batches and leases were refused, with causes that only the host may see. */
  readonly failures: readonly EntiaError[]
}

/** The errors of a refusal, as data. */
export function refusalOf(error: EntiaError): BatchRefusal {
  const errors: { code: string; errCode: number; message: string }[] = []
  for (let cause: unknown = error; isCoded(cause); cause = cause.cause)
    errors.push({ code: cause.code, errCode: cause.errCode, message: cause.message })
  return { conflicts: [], errors }
}

const isCoded = (error: unknown): error is EntiaError =>
  error instanceof Error && 'code' in error && 'errCode' in error

/** Replicas that one transaction expires. */
export const EXPIRED_AT_ONCE = 500
const DAY = 86_400_000
/** Those that have written nothing for so many days, as a filter of `ReplicaState`. */
export const expiredAt = (now: number, days: number): FilterText =>
  new FilterText('met <= :1', [new Date(now - days * DAY).toISOString()])

/** The entity of `ReplicaState` that names the era. IDs of replicas have no tilde. */
export const REPLICA_ERA = '~era'

/**
 * What a store in memory knows of each replica that writes: the number of its last batch, written
 * in the transaction of the batch, so that no batch is decided twice, and its leased keys. Add it
 * to the dataclasses of the store. It is not exposed.
 */
export const ReplicaState = defineDataClass(
  'ReplicaState',
  {
    /**
     * Of the replica, of an entity that replicas share as long as each batch was refused, or of the
     * one that names the era.
     */
    ID: attribute.string({ key: true, maxLength: 64 }),
    /** In a shared entity, the replica that has it now; in that of the era, the era. */
    replica: attribute.string(),
    /** The ID of the user who owns the replica; null for a guest. */
    user: attribute.string(),
    last: attribute.long64({ notNull: true, default: 0 }),
    /** When the replica wrote last; null in a shared entity. */
    met: attribute.date(),
    /** Refusals and results that the replica may not have received yet, by number. */
    outcomes: attribute.object<{ [number: string]: BatchOutcome }>(),
    /** Of the outcomes as JSON: what bounds them must not write them for each batch. */
    characters: attribute.long({ notNull: true, default: 0 }),
    /** The blocks of whole-number keys that only this replica gives, by dataclass. */
    leased: attribute.object<{ [dataClass: string]: readonly KeyBlock[] }>(),
  },
  { exposed: false },
)
