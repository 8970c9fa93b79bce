import type {
  AttributeModel,
  Catalog,
  ClassModel,
  ConditionNode,
  ConditionTrace,
  EntiaError,
  EntitySetInfo,
  EntityText,
  Explain,
  LockOutcome,
  Media,
  Session,
  SessionInfo,
  Sessions,
  TextForm,
  UnlockOutcome,
} from '@entia/core'
import type { FilterText } from '../request/filter-text.ts'
import type { ComputeAction } from '../request/parameters.ts'
import type { Awaitable } from './awaitable.ts'
import type { Caller } from './caller.ts'
import type { EngineMetrics } from './engine-metrics.ts'
import type { Followed, FollowQuery } from './followed.ts'
import type { CallQuery, CallResult } from './function-query.ts'
import type { EntityRecord, Projection } from './projection.ts'
import type { AnswerBounds, Precondition, WriteItem } from './query-parts.ts'
import type { EntityReference, EntitySetSource, Keeping, SelectionQuery } from './selection-source.ts'
import type { Every, NextSlice } from './time-slices.ts'

/**
 * Everything the adapter asks of an engine, in a few coarse calls. Each may answer a promise, so an engine that waits can
 * stand behind the same adapter. Names are resolved and hidden ones refused before a call; values are not yet checked.
 */
export interface Engine {
  /** Between the turns of what takes long: reads, large batches, large answers. */
  readonly nextSlice: NextSlice
  /** The model. It does not change while the engine lives. */
  catalog(): Catalog
  /** One id per engine instance: 32 hexadecimal digits. */
  readonly instanceId: string
  /** Number of the last commit. */
  globalStamp(): number
  /** Null when there is no such entity, or the filter does not select it. */
  readEntity(query: EntityQuery, caller: Caller): Awaitable<EntityAnswer | null>
  /** Null when the entity whose relation is read does not exist. */
  readSelection(query: PageQuery, caller: Caller): Awaitable<PageAnswer | null>
  /**
   * Asks on and on. Null when the entity whose relation is read does not exist. Throws what `readSelection` does, and budgetExceeded for more
   * than `maxEntities`.
   */
  follow(query: FollowQuery, caller: Caller): Awaitable<Followed | null>
  /** Calls back again and again; what it answers ends that. */
  readonly every: Every
  compute(query: ComputeQuery, caller: Caller): Awaitable<ComputeAnswer | null>
  distinct(query: DistinctQuery, caller: Caller): Awaitable<DistinctAnswer | null>
  write(query: WriteQuery, caller: Caller): Awaitable<WriteAnswer>
  remove(query: RemoveQuery, caller: Caller): Awaitable<RemoveAnswer>
  readonly sessions: EngineSessions
  /**
   * For the caller's session, or where there is none, for one that `begin` opens: not before it is sure that the entity is free.
   * Throws budgetExceeded, tooManySessions; anything but an EntiaError is a failing lock table.
   */
  lock(query: LockQuery, caller: Caller, begin: () => Session): Awaitable<LockAnswer>
  /** `unlocked` also when nobody held it. */
  unlock(query: LockQuery, caller: Caller): Awaitable<LockAnswer>
  info(caller: Caller): Awaitable<EngineInfo>
  /** What the engine counts of itself. */
  metrics(): Awaitable<EngineMetrics>
  /** Milliseconds that never go back, by the engine's clock. */
  monotonic(): number
  /** Keeps content for a write that names it; null for the engine's own lifetime. Throws budgetExceeded. */
  upload(media: Media, lifetimeSeconds: number | null): Awaitable<string>
  /** Null when it expired or was never there. */
  uploaded(id: string): Awaitable<Media | null>
  /**
   * Calls a function of the application and waits for it; null when the entity that it is to work on does not exist.
   * Throws functionFailed, functionParameterInvalid, and what the function refuses with.
   */
  call(query: CallQuery, caller: Caller): Awaitable<CallResult | null>
  /** False when there is no such entity set. Throws entitySetOfOtherClass. */
  releaseEntitySet(dataClass: ClassModel, id: string, caller: Caller): Awaitable<boolean>
  /** Releases those that there are, of any dataclass. */
  releaseEntitySets(ids: readonly string[], caller: Caller): Awaitable<void>
}

/** Sessions are asked for at once: they belong to the process that answers. */
export type EngineSessions = Pick<Sessions, 'open' | 'peek' | 'touch' | 'login' | 'close'>

/** One entity to be locked or unlocked. */
export interface LockQuery {
  readonly reference: EntityReference
  /** A lock is refused when the entity does not meet it; null is not checked. */
  readonly precondition: Precondition | null
}

export type LockAnswer = LockOutcome | UnlockOutcome

/** What the engine is busy with, whoever it is for. */
export interface EngineInfo {
  /** Bytes. */
  readonly cacheSize: number
  readonly usedCache: number
  readonly entitySets: readonly EntitySetInfo[]
  readonly sessions: readonly SessionInfo[]
}

export interface EntityQuery extends AnswerBounds {
  readonly reference: EntityReference
  /** Follow this to-one relation and answer its target. */
  readonly through: AttributeModel | null
  readonly filter: FilterText | null
  /** Answer the filter's plan too. */
  readonly withPlan: boolean
  /** Run the filter part by part too, and answer what each found. */
  readonly withPath: boolean
  readonly projection: Projection
  /** How the entity may be answered as text instead; null where a record is wanted. */
  readonly textForm: TextForm | null
}

/** What is told of a filter: null what was not asked for, and where there is no filter. */
export interface FilterAnswer {
  readonly condition: ConditionNode | null
  readonly trace: ConditionTrace | null
}

/** `record` is null where a to-one relation was followed and is empty. */
export interface EntityAnswer extends FilterAnswer {
  readonly globalStamp: number
  readonly record: EntityRecord | null
  /** Instead of the record, where text was asked for and the engine makes it. */
  readonly text: EntityText | null
  /**
   * With its stamp, identifies the state of the entity that is shown: no other state, entity or instance of the engine has the same two. Null
   * where nothing is shown.
   */
  readonly life: string | null
}

export interface PageQuery extends SelectionQuery, AnswerBounds {
  readonly projection: Projection
  /** How entities may be answered as text instead, whole and as they will be sent; null where records are wanted. */
  readonly textForm: TextForm | null
  readonly skip: number
  readonly top: number
  /** Answer how the page was found too. */
  readonly withExplain: boolean
  /** Keep the whole selection as an entity set. One that already is a set, and unchanged, stays that set. */
  readonly keep: Keeping | null
}

export interface PageAnswer extends FilterAnswer {
  readonly globalStamp: number
  /** Null unless it was to be kept. */
  readonly entitySetId: string | null
  /** Of the whole selection. */
  readonly count: number
  /** A member deleted since keeps its place as null. */
  readonly records: readonly (EntityRecord | null)[]
  /** Instead of the records, where texts were asked for and the engine makes them; undefined for a member deleted since. */
  readonly texts: readonly (string | undefined)[] | null
  /** How the page was found; null where it was not asked for. */
  readonly explain: Explain | null
}

/** An attribute, or a property below an object attribute; `path` is how it was asked for. */
export interface AggregatePath {
  readonly path: string
  readonly isNumeric: boolean
  /** Dates are answered as date-times by aggregates, as in entities by distinct. */
  readonly type: 'date' | 'dateOnly' | 'other'
}

export interface ComputeQuery extends SelectionQuery {
  readonly action: ComputeAction
  readonly paths: readonly AggregatePath[]
  /** Compute over the distinct values. */
  readonly distinct: boolean
}

/** Sum and average only where the values are numbers. */
export interface Aggregates {
  readonly count: number
  readonly sum?: number
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

export interface WriteQuery extends AnswerBounds {
  readonly dataClass: ClassModel
  readonly items: readonly WriteItem[]
  readonly atomic: boolean
  /** Compute what saving would give and store nothing. */
  readonly refresh: boolean
  /** Updated entities must be selected by it. */
  readonly filter: FilterText | null
  readonly projection: Projection
}

export interface WriteAnswer {
  /** One per item, in order. */
  readonly outcomes: readonly WriteOutcome[]
  /** Failures of the batch that belong to no single item. */
  readonly failures: readonly EntiaError[]
}

export type WriteOutcome =
  | { readonly kind: 'saved'; readonly record: EntityRecord }
  /** Would have been saved: `$refresh`, or a batch that failed elsewhere. A new entity has the key null and the stamp 0. */
  | { readonly kind: 'notStored'; readonly record: EntityRecord }
  /** `stored` is the entity as it is now, where it exists. */
  | {
      readonly kind: 'failed'
      readonly error: EntiaError
      readonly keyText: string | null
      readonly stored: EntityRecord | null
    }

export interface RemoveItem {
  readonly reference: EntityReference
  readonly keyText: string
  readonly stamp: number | null
  readonly precondition: Precondition | null
}

export interface RemoveQuery extends AnswerBounds {
  readonly dataClass: ClassModel
  /**
   * Named entities; null for all that `entitySet` and `filter` select. An item that could not be read is its error: it fails.
   */
  readonly items: readonly (RemoveItem | EntiaError)[] | null
  /** Nothing outside it is deleted. */
  readonly entitySet: EntitySetSource | null
  readonly filter: FilterText | null
  readonly atomic: boolean
  /** More are not deleted together. */
  readonly maxAtomicItems: number
  /** Entities that deletions of one transaction may take along or change. */
  readonly maxCascade: number
  /** What a refused entity shows. */
  readonly projection: Projection
}

export type RemoveOutcome =
  | { readonly kind: 'removed'; readonly keyText: string }
  | {
      readonly kind: 'failed'
      readonly error: EntiaError
      readonly keyText: string | null
      readonly stored: EntityRecord | null
    }

/** `committed` is false when an atomic deletion was undone. */
export interface RemoveAnswer {
  readonly outcomes: readonly RemoveOutcome[]
  readonly committed: boolean
}
