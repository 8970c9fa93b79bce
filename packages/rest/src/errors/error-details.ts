import type { ErrorTexts } from '@entia/core'
import type { EngineErrorDetails } from '@entia/engine'

/**
 * The codes of engines and those that this package adds, each with the facts of its message.
 */
export interface RestErrorDetails extends EngineErrorDetails {
  // request-errors.ts
  formatUnknown: { readonly format: string }
  urlMalformed: { readonly problem: string }
  questionMarkMissing: { readonly found: string }
  quoteMissing: { readonly parameter: string; readonly quote: string }
  parameterUnknown: { readonly parameter: string; readonly remedy: string }
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
  resourceNotFound: {
    readonly basePath: string
    readonly known?: readonly string[]
    /** The option of the handler that would serve it. */
    readonly missingOption?: string
  }
  crossSiteRefused: { readonly origin: string }
  hostRefused: { readonly host: string }
  hostMissing: Record<never, never>
  requestMalformed: { readonly problem: string }
  requestTimeout: Record<never, never>
  liveStreamUnknown: Record<never, never>
  tooManyRequests: { readonly retryAfterSeconds: number | null }
  serverStopping: { readonly retryAfterSeconds: number }
  requestNotRunning: { readonly id: number }
  requestCannotStop: { readonly id: number }
  // data-errors.ts
  attributeListEmpty: { readonly parameter: string }
  orderByInvalid: { readonly dataClass: string; readonly attribute: string }
  methodNotApplicable: { readonly what: string; readonly problem: string }
  insertWithKey: { readonly dataClass: string }
  subEntitySetNotApplicable: { readonly problem: string }
  otherCollectionMissing: { readonly operator: string }
  pictureTypeUnknown: { readonly found: string }
  pictureReferenceUnknown: { readonly id: string }
  blobReferenceUnknown: { readonly id: string }
  functionNotOnGet: { readonly name: string }
  identityRefused: Readonly<Record<never, never>>
  directoryMissing: { readonly option: string }
}

export type RestErrorCode = keyof RestErrorDetails

export type RestErrorTexts = ErrorTexts<RestErrorCode>

declare module '@entia/core' {
  interface ErrorDetails extends RestErrorDetails {}
}
