import type { ErrorTexts } from '@entia/core'

/** The actions that permissions allow or refuse. */
export type AccessAction = 'describe' | 'read' | 'create' | 'update' | 'delete' | 'lock' | 'call'

/**
 * The codes that this package adds to those of `@entia/core`, each with the facts of its message.
 */
export interface RestErrorDetails {
  // request-errors.ts
  formatUnknown: { readonly format: string }
  urlMalformed: { readonly problem: string }
  questionMarkMissing: { readonly found: string }
  quoteMissing: { readonly parameter: string; readonly quote: string }
  parameterUnknown: { readonly parameter: string }
  parameterInvalid: {
    readonly parameter: string
    readonly expected: string
    readonly found: string
  }
  parameterTwice: { readonly parameter: string }
  methodUnknown: { readonly method: string }
  computeActionUnknown: { readonly action: string }
  logicOperatorUnknown: { readonly operator: string }
  bodyMalformed: { readonly problem: string }
  bodyTooLarge: { readonly limit: number; readonly option: string }
  urlTooLong: { readonly limit: number; readonly option: string }
  mediaTypeUnsupported:
    | { readonly mediaType: string; readonly remedy?: string }
    | { readonly encoding: string; readonly remedy: string }
  verbNotAllowed: {
    readonly verb: string
    readonly allowed: readonly string[]
    readonly remedy: string
  }
  resourceNotFound: { readonly basePath: string; readonly known?: readonly string[] }
  crossSiteRefused: { readonly origin: string }
  hostRefused: { readonly host: string }
  hostMissing: Record<never, never>
  requestMalformed: { readonly problem: string }
  requestTimeout: Record<never, never>
  liveStreamUnknown: Record<never, never>
  tooManyRequests: { readonly retryAfterSeconds: number | null }
  serverBusy: {
    readonly what: string
    readonly limit: number
    readonly option: string
    readonly retryAfterSeconds: number
  }
  serverStopping: { readonly retryAfterSeconds: number }
  internalError: { readonly problem: string }
  // engine-errors.ts
  engineUnavailable: { readonly retryAfterSeconds: number }
  commitOutcomeUnknown: { readonly retryAfterSeconds: number }
  transactionConflict: { readonly attempts: number; readonly retryAfterSeconds: number }
  /** `what`: the part that is missing, such as `at(…)`. */
  notOnThisEngine: { readonly what: string; readonly remedy: string }
  /** `differences` are sentences in the words of the model. */
  databaseDiffers: {
    readonly schema: string
    readonly differences: readonly string[]
    readonly remedy: string
  }
  databaseMigrated: { readonly schema: string }
  // data-errors.ts
  attributeListInvalid: { readonly dataClass: string; readonly attribute: string }
  attributeListEmpty: { readonly parameter: string }
  expandListInvalid: { readonly dataClass: string; readonly attribute: string }
  orderByInvalid: { readonly dataClass: string; readonly attribute: string }
  methodNotApplicable: { readonly what: string; readonly problem: string }
  keyMalformed: { readonly dataClass: string; readonly key: string; readonly problem: string }
  entityCannotBeLoaded: {
    readonly dataClass: string
    readonly key: string
    readonly problem?: string
  }
  entityCannotBeSaved: {
    readonly dataClass: string
    readonly key: string | null
    readonly problem: string
  }
  entityCannotBeRemoved: {
    readonly dataClass: string
    readonly key: string
    readonly problem: string
  }
  recordCannotBeSaved: {
    readonly dataClass: string
    readonly recordNumber: number
    readonly store: string
  }
  insertWithKey: { readonly dataClass: string }
  preconditionFailed: { readonly dataClass: string; readonly key: string }
  entitySetOfOtherClass: { readonly id: string; readonly dataClass: string }
  subEntitySetNotApplicable: { readonly problem: string }
  otherCollectionMissing: { readonly operator: string }
  otherCollectionInvalid: { readonly id: string; readonly dataClass: string }
  pictureTypeUnknown: { readonly found: string }
  pictureReferenceUnknown: { readonly id: string }
  blobReferenceUnknown: { readonly id: string }
  functionFailed: { readonly owner: string; readonly name: string; readonly problem: string }
  functionParameterInvalid: {
    readonly name: string
    readonly position: number
    readonly problem: string
  }
  functionNotOnGet: { readonly name: string }
  loginFailed: { readonly problem: string }
  /** `by`: at `$directory/login`, or by what the host expects. */
  loginRequired: { readonly what: string; readonly by?: 'directory' | 'host' }
  identityRefused: Readonly<Record<never, never>>
  directoryMissing: { readonly option: string }
  accessDenied: {
    readonly action: AccessAction
    readonly dataClass: string
    readonly name?: string
  }
  attributeAccessDenied: {
    readonly dataClass: string
    readonly attribute: string
    readonly action: 'create' | 'update'
  }
}

export type RestErrorCode = keyof RestErrorDetails

export type RestErrorTexts = ErrorTexts<RestErrorCode>

declare module '@entia/core' {
  interface ErrorDetails extends RestErrorDetails {}
}
