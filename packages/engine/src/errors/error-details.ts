import type { ErrorTexts } from '@entia/core'

/** The actions that permissions allow or refuse. */
export type AccessAction = 'describe' | 'read' | 'create' | 'update' | 'delete' | 'lock' | 'call'

interface Problem {
  readonly problem: string
}
interface Retry {
  readonly retryAfterSeconds: number
}
interface OfEntity {
  readonly dataClass: string
  readonly key: string
}
interface OfAttribute {
  readonly dataClass: string
  readonly attribute: string
}

/**
 * The codes that this package adds to those of `@entia/core`, each with the facts of its message.
 */
export interface EngineErrorDetails {
  // data-errors.ts
  serverBusy: { readonly what: string; readonly limit: number; readonly option: string } & Retry
  internalError: Problem
  attributeListInvalid: OfAttribute
  expandListInvalid: OfAttribute
  entityCannotBeSaved: { readonly dataClass: string; readonly key: string | null } & Problem
  entityCannotBeRemoved: OfEntity & Problem
  recordCannotBeSaved: {
    readonly dataClass: string
    readonly recordNumber: number
    readonly store: string
  }
  preconditionFailed: OfEntity
  entitySetOfOtherClass: { readonly id: string; readonly dataClass: string }
  otherCollectionInvalid: { readonly id: string; readonly dataClass: string }
  functionFailed: { readonly owner: string; readonly name: string; readonly problem: string }
  functionParameterInvalid: { readonly name: string; readonly position: number } & Problem
  /** `by`: at `$directory/login`, or by what the host expects. */
  loginRequired: { readonly what: string; readonly by?: 'directory' | 'host' }
  accessDenied: {
    readonly action: AccessAction
    readonly dataClass: string
    readonly name?: string
  }
  attributeAccessDenied: OfAttribute & { readonly action: 'create' | 'update' }
  entityCannotBeLoaded: OfEntity & Partial<Problem>
  keyMalformed: OfEntity & Problem
  keyNotLeased: OfEntity
  replicaExpired: Readonly<Record<never, never>>
  functionInterrupted: { readonly owner: string; readonly name: string }
  /** `limit` in seconds. */
  functionTimedOut: { readonly owner: string; readonly name: string; readonly limit: number }
  loginFailed: Problem
  requestAborted: Readonly<Record<never, never>>
  requestStopped: Readonly<Record<never, never>>
  // storage-errors.ts
  engineUnavailable: Retry
  replicasNotReady: Retry
  commitOutcomeUnknown: Retry
  transactionConflict: { readonly attempts: number } & Retry
  /** `what`: the part that is missing, such as `at(…)`. */
  notOnThisEngine: { readonly what: string; readonly remedy: string }
  /** `differences` are sentences in the words of the model. */
  databaseDiffers: {
    readonly schema: string
    readonly differences: readonly string[]
    readonly remedy: string
  }
  databaseMigrated: { readonly schema: string }
  /** `by`: the connections whose transactions hold the tables. */
  migrationBlocked: { readonly schema: string; readonly by: readonly string[] }
}

export type EngineErrorCode = keyof EngineErrorDetails

export type EngineErrorTexts = ErrorTexts<EngineErrorCode>

declare module '@entia/core' {
  interface ErrorDetails extends EngineErrorDetails {}
}
