import type { ClassModel, ConditionNode, ConditionTrace, EntityText, Explain, Media, Session } from '@entia/core'
import type {
  AggregatePath,
  Aggregates,
  EngineInfo,
  LockAnswer,
  RemoveAnswer,
  WriteAnswer,
} from '../../engine/engine.ts'
import type { Followed } from '../../engine/followed.ts'
import type { ResultValue } from '../../engine/function-query.ts'
import type { OutgoingReply } from '../../engine/function-reply.ts'
import type { Names } from '../../engine/names.ts'
import type { EntityRecord, Projection, ValueAttribute } from '../../engine/projection.ts'
import type { InfoPart } from '../../request/address.ts'
import type { Privileges } from '../permission/privileges.ts'
import type { ImageType } from './image-types.ts'

/** What is told of the filter, one of the two at least: null what was not asked for. Inside, null stands for no filter. */
export interface PlanAnswer {
  readonly plan: { readonly condition: ConditionNode | null } | null
  readonly path: { readonly trace: ConditionTrace | null } | null
  readonly explain: Explain | null
}

/** What a request found or did: everything the renderer needs, nothing of HTTP. */
export type Answer =
  | { readonly kind: 'verbs'; readonly allowed: readonly string[] }
  | {
      readonly kind: 'catalog'
      readonly names: Names
      readonly instanceId: string
      readonly detail: 'short' | 'full'
      readonly dataClasses: readonly ClassModel[]
      readonly withSingletons: boolean
    }
  /** The model as the caller knows it, as an OpenAPI document. */
  | { readonly kind: 'openapi'; readonly names: Names }
  /** What the server counts, as text that Prometheus reads. */
  | { readonly kind: 'metrics'; readonly text: string }
  | {
      readonly kind: 'entity'
      readonly projection: Projection
      readonly globalStamp: number
      /** Null for a to-one relation that is empty. */
      readonly record: EntityRecord | null
      /** Instead of the record, where the engine has written the entity itself. */
      readonly text: EntityText | null
      /** The life of the entity, where all that is shown is its own; null where another entity, or who asks, can change it. */
      readonly life: string | null
      readonly plan: PlanAnswer | null
    }
  | {
      readonly kind: 'selection'
      readonly projection: Projection
      readonly globalStamp: number
      readonly count: number
      readonly first: number
      readonly records: readonly (EntityRecord | null)[]
      /** Instead of the records, where the engine has written the entities itself. */
      readonly texts: readonly (string | undefined)[] | null
      /** `$asArray` */
      readonly isArray: boolean
      /** The entity set that the whole selection is kept as; null where it was not to be kept. */
      readonly entitySetId: string | null
      readonly plan: PlanAnswer | null
    }
  /** Whether two entity sets have a common member. */
  | { readonly kind: 'intersects'; readonly value: boolean; readonly plan: PlanAnswer | null }
  /** Done, and there is nothing more to say. */
  | { readonly kind: 'done' }
  /** Of an image or BLOB; `type` is null for what is to be kept rather than shown. Without content: the empty object. */
  | {
      readonly kind: 'media'
      readonly content: { readonly bytes: Uint8Array; readonly type: ImageType | null } | null
      /** What identifies the state of the entity whose own content it is; null for content of another one. */
      readonly version: { readonly stamp: number; readonly life: string } | null
    }
  /** Where the content of an image or BLOB is; `media` is null where there is none. */
  | {
      readonly kind: 'mediaAddress'
      readonly dataClass: ClassModel
      readonly attribute: ValueAttribute
      readonly record: EntityRecord
      readonly media: Media | null
    }
  /** What is answered at first, as a `selection` is, and then what becomes of it. */
  | LiveAnswer
  /** The id under which content is kept for a while. */
  | { readonly kind: 'uploaded'; readonly id: string }
  /** What a function gave, answered as `{"result": value}`. */
  | { readonly kind: 'called'; readonly globalStamp: number; readonly value: ResultValue }
  /** What a function answers as it is. */
  | { readonly kind: 'reply'; readonly reply: OutgoingReply }
  /** Answered as `{"result": value}`. */
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'lock'; readonly outcome: LockAnswer | { readonly kind: 'failed' } }
  | { readonly kind: 'privileges'; readonly privileges: readonly Privileges[] }
  /** `part` is null for all of it. */
  | {
      readonly kind: 'info'
      readonly part: Exclude<InfoPart, 'privileges'> | null
      readonly info: EngineInfo & { readonly entitySetCount: number }
    }
  | {
      readonly kind: 'aggregates'
      readonly paths: readonly AggregatePath[]
      readonly aggregates: readonly Aggregates[]
      /** Null for `$all`; else the one keyword, answered bare. */
      readonly only: 'average' | 'count' | 'max' | 'min' | 'sum' | null
      readonly plan: PlanAnswer | null
    }
  | {
      readonly kind: 'distinct'
      readonly path: AggregatePath
      readonly values: readonly unknown[]
      readonly plan: PlanAnswer | null
    }
  | DashboardAnswer
  | {
      readonly kind: 'written'
      readonly projection: Projection
      readonly globalStamp: number
      readonly answer: WriteAnswer
      /** An array body answers an array. */
      readonly isArray: boolean
      readonly atomic: boolean
    }
  | {
      readonly kind: 'removed'
      readonly projection: Projection
      readonly globalStamp: number
      readonly answer: RemoveAnswer
    }

/** `$format=dashboard`: entities as rows of a table. */
export interface DashboardAnswer {
  readonly kind: 'dashboard'
  readonly columns: readonly DashboardColumn[]
  /** Values as entities give them, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[]
  /** `$filter` was given. */
  readonly filtersApplied: boolean
  /** Rows there are, without entities that are no more. */
  readonly count: number
  readonly first: number
  readonly plan: PlanAnswer | null
}

export interface DashboardColumn {
  /** The path as it was asked for. */
  readonly name: string
  readonly type: 'boolean' | 'dateOnly' | 'dateTime' | 'duration' | 'number' | 'text'
}

/** A selection that is followed. Whoever has this answer stops it. */
export interface LiveAnswer {
  readonly kind: 'live'
  readonly projection: Projection
  readonly followed: Followed
  /** Members before the page that is followed. */
  readonly skipped: number
  readonly signal: AbortSignal | null
}

/** How many may be followed, and how large they may be. */
export interface StreamRule {
  readonly maxEntities: number
  /** Throws tooManyRequests. */
  refuseFull(session: Session | null): void
}
