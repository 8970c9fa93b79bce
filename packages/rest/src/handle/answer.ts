import type { ClassModel, ConditionNode } from '@entia/core'
import type { AggregatePath, Aggregates, RemoveAnswer, WriteAnswer } from './engine-door.ts'
import type { Names } from './names.ts'
import type { EntityRecord, Projection } from './projection.ts'

/** The filter's plan; `condition` is null where there was no filter. Absent when no plan was asked for. */
export interface PlanAnswer {
  readonly condition: ConditionNode | null
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
  | {
      readonly kind: 'entity'
      readonly projection: Projection
      readonly globalStamp: number
      /** Null for a to-one relation that is empty. */
      readonly record: EntityRecord | null
      readonly plan: PlanAnswer | null
    }
  | {
      readonly kind: 'selection'
      readonly projection: Projection
      readonly globalStamp: number
      readonly count: number
      readonly first: number
      readonly records: readonly (EntityRecord | null)[]
      /** `$asArray` */
      readonly isArray: boolean
      readonly plan: PlanAnswer | null
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
