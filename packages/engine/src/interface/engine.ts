import type {
  AttributeModel,
  Catalog,
  ClassModel,
  ConditionNode,
  ConditionTrace,
  EntitySetInfo,
  EntityText,
  Explain,
  LockOutcome,
  Media,
  Session,
  SessionInfo,
  SessionOptions,
  SessionUser,
  TextForm,
  UnlockOutcome,
} from '@entia/core'
import type { Awaitable } from './awaitable.ts'
import type { Caller } from './caller.ts'
import type { EngineObservation, EngineOperating, MetricFamily } from './engine-observation.ts'
import type { Followed, FollowedSince, FollowQuery } from './followed.ts'
import type { CallQuery, CallResult } from './function-query.ts'
import type { EntityRecord, Projection } from './projection.ts'
import type { EngineReplicas } from './replicas.ts'
import type {
  AnswerBounds,
  EntityReference,
  FilterText,
  GroupQuery,
  GroupResult,
  Keeping,
  Precondition,
  SelectionQuery,
} from './selection-source.ts'
import type { RemoveAnswer, RemoveQuery, WriteAnswer, WriteQuery } from './write-query.ts'

/**
 * The engine interface: everything that the adapter needs, in a few coarse calls. Each may return a
 * promise, so asynchronous engines can implement it too. Names are resolved and hidden ones refused
 * before a call; values are not checked yet. An answer that shows entities carries the global stamp
 * that it is as of.
 *
 * Every call may throw engineUnavailable, transactionConflict and notOnThisEngine. Those that write
 * throw commitOutcomeUnknown if the storage does not answer whether the change is stored; after any
 * other error it is not.
 */
export interface Engine {
  /** The model. It does not change during the engine's lifetime. */
  readonly catalog: Catalog
  /** One id per dataset, the same for all processes that serve it: 32 hexadecimal digits. */
  readonly instanceId: string
  readonly features: EngineFeatures
  /**
   * The global stamp of the last commit, for an engine that commits in this process before a commit
   * is durable (the option `durable`). Null for other engines.
   */
  readonly lastCommit: (() => number) | null
  /**
   * What the answers of this process have shown so far, for `Caller.position` of later requests in
   * any process. Null for an engine whose answers are always the latest.
   */
  readonly position: (() => FollowedSince) | null
  readonly sessions: EngineSessions
  readonly observation: EngineObservation
  readonly operating: EngineOperating
  /** Null for an engine that replicas cannot follow, whatever its options. */
  readonly replicas: EngineReplicas | null
  /** Null if the entity does not exist, or the filter does not select it. */
  readEntity(query: EntityQuery, caller: Caller): Awaitable<EntityAnswer | null>
  /** Null if the entity whose relation is read does not exist. */
  readSelection(query: PageQuery, caller: Caller): Awaitable<PageAnswer | null>
  /**
   * Opens a live query. Null if the entity whose relation is read does not exist. Throws what
   * `readSelection` does, and budgetExceeded for more than `maxEntities`.
   */
  follow(query: FollowQuery, caller: Caller): Awaitable<Followed | null>
  compute(query: ComputeQuery, caller: Caller): Awaitable<ComputeAnswer | null>
  distinct(query: DistinctQuery, caller: Caller): Awaitable<DistinctAnswer | null>
  group(query: GroupQuery, caller: Caller): Awaitable<(GroupResult & FilterAnswer) | null>
  write(query: WriteQuery, caller: Caller): Awaitable<WriteAnswer>
  remove(query: RemoveQuery, caller: Caller): Awaitable<RemoveAnswer>
  /**
   * Locks for the caller's session. Without one, `begin` opens a session as soon as the entity is
   * known to be free. Throws budgetExceeded, tooManySessions; any error that is not an EntiaError
   * means that the lock table failed.
   */
  lock(query: LockQuery, caller: Caller, begin: () => Awaitable<Session>): Awaitable<LockAnswer>
  /** Answers `unlocked` for an entity that was not locked, too. */
  unlock(query: LockQuery, caller: Caller): Awaitable<LockAnswer>
  /** Reaches for the storage. Throws engineUnavailable. */
  ping(): Awaitable<void>
  info(caller: Caller): Awaitable<EngineInfo>
  /** The engine's figures, ready to be printed. */
  metrics(): Awaitable<readonly MetricFamily[]>
  /**
   * Keeps content until a write names it. A null lifetime means the engine's default. Throws
   * budgetExceeded.
   */
  upload(media: Media, lifetimeSeconds: number | null, caller: Caller): Awaitable<string>
  /** Null if it expired or never existed. */
  uploaded(id: string, caller: Caller): Awaitable<Media | null>
  /**
   * Calls a function of the application and awaits its result. Null if the entity that it works on
   * does not exist. Throws functionFailed, functionParameterInvalid, and the function's own
   * refusal.
   */
  call(query: CallQuery, caller: Caller): Awaitable<CallResult | null>
  /** False if the entity set does not exist. Throws entitySetOfOtherClass. */
  releaseEntitySet(dataClass: ClassModel, id: string, caller: Caller): Awaitable<boolean>
  /** Releases the sets that exist, of any dataclass. */
  releaseEntitySets(ids: readonly string[], caller: Caller): Awaitable<void>
}

/** In what an engine differs from others. */
export interface EngineFeatures {
  /** Whether record numbers of removed entities are given to new ones. */
  readonly recordOrder: 'reused' | 'creation'
  /** How live queries find changes: from each change, by running again, or not at all. */
  readonly live: 'incremental' | 'recompute' | 'none'
  /** Whether selections can be ordered by `relevance`. */
  readonly relevance: boolean
}

/** The sessions of an engine. They mean what `Sessions` of `@entia/core` means. */
export interface EngineSessions {
  /** Throws tooManySessions. */
  open(options?: SessionOptions): Awaitable<Session>
  /** The session of a token, renewed; undefined if it has ended. */
  touch(token: string): Awaitable<Session | undefined>
  /** Logs a user in under a new token. Throws tooManySessions. */
  login(
    token: string | null,
    user: SessionUser,
    options?: Omit<SessionOptions, 'user'>,
  ): Awaitable<Session>
  /** The one session of a user whom the application identifies. Throws tooManySessions. */
  identified(user: SessionUser, options?: Omit<SessionOptions, 'user'>): Awaitable<Session>
  /** False if the session had ended. */
  close(token: string): Awaitable<boolean>
  /** Watches a session until it ends, wherever that happens, or until `stop` is called. */
  whenEnded(session: Session, ended: () => void): SessionWatch
}

/** A session that is watched. */
export interface SessionWatch {
  /**
   * Called before each event of a live query and with each heartbeat. Calls `ended`, now or later,
   * if the session has ended and the engine has not noticed by itself.
   */
  check(): void
  stop(): void
}

/** One entity to lock or unlock. */
export interface LockQuery {
  readonly reference: EntityReference
  /** The lock is refused if the entity does not meet it. Null checks nothing. */
  readonly precondition: Precondition | null
}

export type LockAnswer = LockOutcome | UnlockOutcome

/** What the engine holds for all callers. */
export interface EngineInfo {
  /** Bytes. */
  readonly cacheSize: number
  readonly usedCache: number
  readonly entitySets: readonly EntitySetInfo[]
  readonly sessions: readonly SessionInfo[]
}

export interface EntityQuery extends AnswerBounds {
  readonly reference: EntityReference
  /** Follow this to-one relation and answer with its target. */
  readonly through: AttributeModel | null
  readonly filter: FilterText | null
  /** Include the filter's plan in the answer. */
  readonly withPlan: boolean
  /** Also run the filter part by part, and report what each part found. */
  readonly withPath: boolean
  readonly projection: Projection
  /** Whether the values of images and BLOBs are read as content, or only for their address. */
  readonly content: 'address' | 'bytes'
  /** How to write the entity as text instead of a record; null requests a record. */
  readonly textForm: TextForm | null
}

/** The plan and trace of a filter. Null for what was not requested, and without a filter. */
export interface FilterAnswer {
  readonly condition: ConditionNode | null
  readonly trace: ConditionTrace | null
}

/** `record` is null for a to-one relation that is empty. */
export interface EntityAnswer extends FilterAnswer {
  readonly globalStamp: number
  readonly record: EntityRecord | null
  /** In place of the record, if text was requested and the engine can write it. */
  readonly text: EntityText | null
  /**
   * Together with the stamp, identifies the state of the entity shown: no other state, entity or
   * engine instance has the same pair. Null if no entity is shown.
   */
  readonly life: string | null
}

/** What a query for the attributes of one entity leaves out. */
export const PLAIN_ENTITY = {
  through: null,
  filter: null,
  withPlan: false,
  withPath: false,
  content: 'address',
  textForm: null,
  relatedTop: 0,
  maxEntities: 1,
} as const satisfies Partial<EntityQuery>

export interface PageQuery extends SelectionQuery, AnswerBounds {
  readonly projection: Projection
  /** How to write whole entities as text instead of records; null requests records. */
  readonly textForm: TextForm | null
  readonly skip: number
  readonly top: number
  /** Include in the answer how the page was found. */
  readonly withExplain: boolean
  /**
   * Keep the whole selection as an entity set. A selection that already is an unchanged set remains
   * that set.
   */
  readonly keep: Keeping | null
}

/** What a page that shows no more than its members leaves out. */
export const PLAIN_PAGE = {
  filter: null,
  orderBy: null,
  saved: null,
  withPlan: false,
  withPath: false,
  withExplain: false,
  textForm: null,
  keep: null,
  relatedTop: 0,
} as const satisfies Partial<PageQuery>

export interface PageAnswer extends FilterAnswer {
  readonly globalStamp: number
  /** Null unless the selection was kept. */
  readonly entitySetId: string | null
  /** Members of the whole selection. */
  readonly count: number
  /** A member that was deleted since is null in its place. */
  readonly records: readonly (EntityRecord | null)[]
  /**
   * In place of the records, if texts were requested and the engine can write them. Undefined for a
   * member that was deleted since.
   */
  readonly texts: readonly (string | undefined)[] | null
  /** How the page was found; null if not requested. */
  readonly explain: Explain | null
}

/** An attribute, or a property of an object attribute. `path` is the path as requested. */
export interface AggregatePath {
  readonly path: string
  readonly isNumeric: boolean
  /** Aggregates answer dates as date-times; distinct values have the form of entities. */
  readonly type: 'date' | 'dateOnly' | 'other'
}

export type ComputeAction = 'all' | 'average' | 'count' | 'max' | 'min' | 'sum'

export interface ComputeQuery extends SelectionQuery {
  readonly action: ComputeAction
  readonly paths: readonly AggregatePath[]
  /** Compute over the distinct values only. */
  readonly distinct: boolean
}

/** Sum and average are absent unless the values are numbers. */
export interface Aggregates {
  readonly count: number
  readonly sum?: number | null
  readonly average?: number | null
  readonly min: unknown
  readonly max: unknown
}

/** One set of aggregates per path, in order. */
export interface ComputeAnswer extends FilterAnswer {
  readonly aggregates: readonly Aggregates[]
}

export interface DistinctQuery extends SelectionQuery {
  readonly path: AggregatePath
  readonly descending: boolean
  readonly skip: number
  readonly top: number
}

export interface DistinctAnswer extends FilterAnswer {
  readonly values: readonly unknown[]
}
