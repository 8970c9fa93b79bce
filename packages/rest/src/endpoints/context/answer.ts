import type {
  ClassModel,
  ConditionNode,
  ConditionTrace,
  EntiaError,
  EntityText,
  Explain,
  Media,
  Session,
} from '@entia/core'
import type { BatchOutcome } from '@entia/core/internal'
import type {
  AggregatePath,
  Aggregates,
  Awaitable,
  BatchAnswer,
  CallTime,
  EngineInfo,
  EntityRecord,
  Feed,
  FilterAnswer,
  Followed,
  LockAnswer,
  Names,
  OutgoingReply,
  PageAnswer,
  Projection,
  RemoveAnswer,
  RemoveOutcome,
  ResultValue,
  Stored,
  ValueAttribute,
  WriteAnswer,
  WriteOutcome,
} from '@entia/engine'
import type { InfoPart } from '../../request/address.ts'
import type { Privileges } from '../permission/privileges.ts'
import type { ImageType } from './image-types.ts'

/**
 * The plan and path of a filter, at least one of them. The outer null means not requested, the
 * inner null no filter.
 */
export interface PlanAnswer {
  readonly plan: { readonly condition: ConditionNode | null } | null
  readonly path: { readonly trace: ConditionTrace | null } | null
  readonly explain: Explain | null
}

/** The result of a request: everything that the renderer needs, independent of HTTP. */
export type Answer =
  | { readonly kind: 'verbs'; readonly allowed: readonly string[] }
  | {
      readonly kind: 'catalog'
      readonly names: Names
      readonly instanceId: string
      readonly detail: 'short' | 'full'
      readonly dataClasses: readonly ClassModel[]
      readonly withSingletons: boolean
      /** Whether selections can be followed: `$live=true`. */
      readonly offersLive: boolean
      readonly offersOperators: boolean
    }
  /** The model as the caller knows it, as an OpenAPI document. */
  | { readonly kind: 'openapi'; readonly names: Names }
  /** What operators see, as it is sent. */
  | { readonly kind: 'operator'; readonly value: object }
  /** The server's metrics in Prometheus' text format. */
  | { readonly kind: 'metrics'; readonly text: string }
  /** What became of the batches of a replica. */
  | {
      readonly kind: 'batches'
      readonly instanceId: string
      readonly outcomes: BatchAnswer['outcomes']
      readonly era: BatchAnswer['era']
      readonly lease: BatchAnswer['lease']
      readonly failures: BatchAnswer['failures']
    }
  | FeedAnswer
  | {
      readonly kind: 'entity'
      readonly projection: Projection
      readonly globalStamp: number
      /** Null for an empty to-one relation. */
      readonly record: EntityRecord | null
      /** In place of the record, if the engine has written the entity as text. */
      readonly text: EntityText | null
      /** The life of the entity, if only a change of the entity changes the answer; else null. */
      readonly life: string | null
      readonly plan: PlanAnswer | null
    }
  | {
      readonly kind: 'selection'
      readonly projection: Projection
      readonly page: Omit<PageAnswer, keyof FilterAnswer | 'explain'>
      readonly first: number
      /** `$asArray` */
      readonly isArray: boolean
      readonly plan: PlanAnswer | null
    }
  /** Whether two entity sets have a common member. */
  | { readonly kind: 'intersects'; readonly value: boolean; readonly plan: PlanAnswer | null }
  /** Done, without further content. */
  | { readonly kind: 'done' }
  /**
   * The content of an image or BLOB. `type` is null for content to download rather than display.
   * Null content answers the empty object.
   */
  | {
      readonly kind: 'media'
      readonly content: { readonly bytes: Uint8Array; readonly type: ImageType | null } | null
      /**
       * Identifies the state of the entity that stores the content; null for content of another
       * entity.
       */
      readonly version: { readonly stamp: number; readonly life: string } | null
    }
  /** The address of the content of an image or BLOB; `media` is null if there is none. */
  | {
      readonly kind: 'mediaAddress'
      readonly dataClass: ClassModel
      readonly attribute: ValueAttribute
      readonly record: EntityRecord
      readonly media: Media | null
    }
  /** An initial answer as for `selection`, followed by changes. */
  | LiveAnswer
  /** The id of uploaded content. */
  | { readonly kind: 'uploaded'; readonly id: string }
  /** The result of a function, answered as `{"result": value}`. */
  | { readonly kind: 'called'; readonly globalStamp: number; readonly value: ResultValue }
  /** A function's own response. */
  | { readonly kind: 'reply'; readonly reply: OutgoingReply }
  /** Answered as `{"result": value}`. */
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'lock'; readonly outcome: LockAnswer | { readonly kind: 'failed' } }
  | { readonly kind: 'privileges'; readonly privileges: readonly Privileges[] }
  /** `part` is null for all parts. */
  | {
      readonly kind: 'info'
      readonly part: Exclude<InfoPart, 'privileges'> | null
      readonly info: EngineInfo & { readonly entitySetCount: number }
    }
  | {
      readonly kind: 'aggregates'
      readonly paths: readonly AggregatePath[]
      readonly aggregates: readonly Aggregates[]
      /** Null for `$all`; else the one keyword, whose value is answered bare. */
      readonly only: 'average' | 'count' | 'max' | 'min' | 'sum' | null
      readonly plan: PlanAnswer | null
    }
  | {
      readonly kind: 'distinct'
      readonly path: AggregatePath
      readonly values: readonly unknown[]
      readonly plan: PlanAnswer | null
    }
  | GroupsAnswer
  | DashboardAnswer
  | {
      readonly kind: 'written'
      readonly projection: Projection
      readonly answer: WriteAnswer
      /** An array is answered with an array. */
      readonly isArray: boolean
      readonly atomic: boolean
      /** `$isoTimestamps` */
      readonly isoTimestamps: boolean
    }
  | {
      readonly kind: 'removed'
      readonly projection: Projection
      readonly answer: RemoveAnswer
    }

/** `$groupby`: a page of groups. */
export interface GroupsAnswer {
  readonly kind: 'groups'
  readonly dataClass: ClassModel
  readonly globalStamp: number
  readonly count: number
  readonly first: number
  readonly rows: readonly { readonly [name: string]: unknown }[]
  /** Members of the rows that are calendar dates, or aggregates of them. */
  readonly days: ReadonlySet<string>
  /** `$asArray` */
  readonly isArray: boolean
  readonly plan: PlanAnswer | null
}

/** `$format=dashboard`: entities as rows of a table. */
export interface DashboardAnswer {
  readonly kind: 'dashboard'
  readonly columns: readonly DashboardColumn[]
  /** Values in the form that entities have, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[]
  /** `$filter` was given. */
  readonly filtersApplied: boolean
  /** The number of rows, without deleted entities. */
  readonly count: number
  readonly first: number
  readonly plan: PlanAnswer | null
}

export interface DashboardColumn {
  /** The path as requested. */
  readonly name: string
  readonly type: 'boolean' | 'dateOnly' | 'dateTime' | 'duration' | 'number' | 'text'
}

/** A selection to follow. The receiver of this answer must stop it. */
export interface LiveAnswer {
  readonly kind: 'live'
  readonly projection: Projection
  readonly followed: Followed
  /** The number of members before the followed page. */
  readonly skipped: number
  readonly signal: AbortSignal | null
  /** The stream that carries the query: one of its own if null, else a shared one. */
  readonly sharing: StreamSharing | null
}

/** The lines of a replica. The receiver of this answer must stop the feed. */
export interface FeedAnswer {
  readonly kind: 'feed'
  readonly feed: Feed
  /** The id that the replica has chosen, and the dataclasses of its shapes. */
  readonly replica: string
  readonly dataClasses: readonly string[]
  /** False to end the answer once the replica is current. */
  readonly waits: boolean
  readonly signal: AbortSignal | null
}

/** Limits of replicas. */
export interface ReplicaRule {
  readonly maxEntities: number
  readonly maxBatchItems: number
  readonly callTime: CallTime
  /** Counts batches for the metrics. */
  answered(outcomes: readonly BatchOutcome[]): void
  /** Throws tooManyRequests. */
  refuseFull(): void
}

/** The stream that carries a query with others. Its first query, number 0, opens it. */
export interface StreamSharing {
  /** Chosen by the client. */
  readonly id: string
  readonly query: number
  /** True if the request that opens the stream may still be on its way. */
  readonly isOpening: boolean
}

/** Limits of live queries. */
export interface StreamRule {
  readonly maxEntities: number
  /** Throws tooManyRequests. */
  refuseFull(session: Session | null): void
  /**
   * Waits a moment for the stream to which a query is added. Throws liveStreamUnknown if the caller
   * has none with this id, and parameterInvalid for a new stream whose id is in use.
   */
  admitSharing(sharing: StreamSharing, session: Session | null): Awaitable<void>
  /** Ends a query of a shared stream, if there is one. */
  removeQuery(id: string, query: number, session: Session | null): void
}

/** How much of a change an answer reports as stored. */
export function storedBy(answer: Answer): Stored {
  if (answer.kind !== 'written' && answer.kind !== 'removed')
    return { count: 0, of: answer.kind === 'batches' ? answer.failures.length : 0, verb: 'saved' }
  const { outcomes } = answer.answer
  let count = 0
  for (const { kind } of outcomes) if (kind === 'saved' || kind === 'removed') count++
  if (answer.kind === 'written') return { count, of: outcomes.length, verb: 'saved' }
  return { count: answer.answer.committed ? count : 0, of: outcomes.length, verb: 'deleted' }
}

const NO_ERRORS: readonly EntiaError[] = []

/** The errors of a change: those of its items and of the whole. Empty for other answers. */
export function failuresIn(answer: Answer): readonly EntiaError[] {
  if (answer.kind === 'batches') return answer.failures
  if (answer.kind !== 'written' && answer.kind !== 'removed') return NO_ERRORS
  const errors = errorsOf(answer.answer.outcomes)
  return answer.kind === 'written' && answer.answer.failures.length > 0
    ? [...errors, ...answer.answer.failures]
    : errors
}

/** The errors of the items that failed. */
export function errorsOf(
  outcomes: readonly (WriteOutcome | RemoveOutcome)[],
): readonly EntiaError[] {
  let errors: EntiaError[] | null = null
  for (const outcome of outcomes)
    if (outcome.kind === 'failed') {
      errors ??= []
      errors.push(outcome.error)
    }
  return errors ?? NO_ERRORS
}
