import { EntiaError, type ErrorFactory, type ErrorTexts } from '@entia/core'
import { ENGINE_ERRORS, type EngineErrorDetails } from '@entia/engine'

/** Number and message of each code that this package adds. The message takes the details. */
const OWN_ERRORS = {
  // Requests that were read, but cannot be answered: data, files, functions, logins, permissions.
  attributeListEmpty: {
    errCode: 1816,
    message: (d: { parameter: string }) =>
      `"${d.parameter}" needs an attribute: name it in the path or in $attributes.`,
  },
  orderByInvalid: {
    errCode: 1810,
    message: (d: { dataClass: string; attribute: string }) =>
      `Cannot order by "${d.attribute}" in the "${d.dataClass}" dataclass.`,
  },
  methodNotApplicable: {
    errCode: 1813,
    message: (d: { what: string; problem: string }) => `${d.what} is not applicable: ${d.problem}.`,
  },
  insertWithKey: {
    errCode: 9109,
    message: (d: { dataClass: string }) =>
      `$method=insert creates entities of the "${d.dataClass}" dataclass only: leave out __KEY, or use $method=update.`,
  },
  subEntitySetNotApplicable: {
    errCode: 1815,
    message: (d: { problem: string }) => `$method=subentityset is not applicable: ${d.problem}.`,
  },
  otherCollectionMissing: {
    errCode: 1819,
    message: (d: { operator: string }) =>
      `$logicOperator=${d.operator} needs $otherCollection, the id of a second entity set.`,
  },
  pictureTypeUnknown: {
    errCode: 1824,
    message: (d: { found: string }) =>
      `${d.found} is none of the images that are stored: PNG, JPEG, GIF, TIFF, WebP and BMP.`,
  },
  pictureReferenceUnknown: {
    errCode: 1825,
    message: (d: { id: string }) =>
      `The uploaded image "${d.id}" cannot be found: it expired or was never sent.`,
  },
  blobReferenceUnknown: {
    errCode: 1826,
    message: (d: { id: string }) =>
      `The uploaded BLOB "${d.id}" cannot be found: it expired or was never sent.`,
  },
  functionNotOnGet: {
    errCode: 1829,
    message: (d: { name: string }) => `Function "${d.name}" cannot be called by GET. Use POST.`,
  },
  identityRefused: {
    errCode: 9122,
    message: () => 'The credentials of the request are refused. Send valid ones, or none.',
  },
  directoryMissing: {
    errCode: 1814,
    message: (d: { option: string }) => `Logins need a directory of users (option "${d.option}").`,
  },
  // Requests that cannot be read, or that the server does not take.
  formatUnknown: {
    errCode: 1801,
    message: (d: { format: string }) =>
      `The format "${d.format}" is not supported. Use json or dashboard.`,
  },
  urlMalformed: {
    errCode: 1806,
    message: (d: { problem: string }) => `The address is malformed: ${d.problem}.`,
  },
  questionMarkMissing: {
    errCode: 1807,
    message: (d: { found: string }) => `The parameters must begin with "?", not with "${d.found}".`,
  },
  quoteMissing: {
    errCode: (d: { quote: string }) => (d.quote === "'" ? 1808 : 1809),
    message: (d: { parameter: string; quote: string }) =>
      `The value of "${d.parameter}" lacks a closing ${d.quote}. Write ${d.quote === "'" ? '\\u0027' : '\\u0022'} for a quote inside the value.`,
  },
  parameterUnknown: {
    errCode: 1811,
    message: (d: { parameter: string; remedy: string }) =>
      `The parameter "${d.parameter}" is unknown. ${d.remedy}`,
  },
  parameterInvalid: {
    errCode: 9100,
    message: (d: { parameter: string; expected: string; found: string }) =>
      `The parameter "${d.parameter}" takes ${d.expected}, not ${d.found}.`,
  },
  parameterTwice: {
    errCode: 9101,
    message: (d: { parameter: string }) =>
      `The parameter "${d.parameter}" is given more than once.`,
  },
  methodUnknown: {
    errCode: 1812,
    message: (d: { method: string }) =>
      `The $method "${d.method}" is unknown. Use delete, entityset, insert, release, subentityset or update.`,
  },
  computeActionUnknown: {
    errCode: 1817,
    message: (d: { action: string }) =>
      `The $compute action "${d.action}" is unknown. Use $all, average, count, max, min or sum.`,
  },
  logicOperatorUnknown: {
    errCode: 1818,
    message: (d: { operator: string }) =>
      `"${d.operator}" is no $logicOperator. Use AND, OR, EXCEPT or INTERSECT.`,
  },
  bodyMalformed: {
    errCode: 9102,
    message: (d: { problem: string }) => `The request body is malformed: ${d.problem}.`,
  },
  bodyTooLarge: {
    errCode: 9103,
    message: (d: { limit: number; option: string }) =>
      `The request body is too large: the limit is ${d.limit} bytes (option "${d.option}").`,
  },
  urlTooLong: {
    errCode: 9104,
    message: (d: { limit: number; option: string }) =>
      `The address is too long: the limit is ${d.limit} characters (option "${d.option}").`,
  },
  mediaTypeUnsupported: {
    errCode: 9107,
    message: (d: { mediaType: string; remedy?: string } | { encoding: string; remedy: string }) =>
      'encoding' in d
        ? `Content-Encoding ${d.encoding} is not supported. ${d.remedy}`
        : `A body of type "${d.mediaType}" is not supported here. ${d.remedy ?? 'Send JSON.'}`,
  },
  verbNotAllowed: {
    errCode: 9105,
    message: (d: { verb: string; allowed: readonly string[]; remedy: string }) =>
      `${d.verb} is not allowed here. ${d.remedy}`,
  },
  resourceNotFound: {
    errCode: 9108,
    message: (d: { basePath: string; known?: readonly string[]; missingOption?: string }) =>
      d.missingOption !== undefined
        ? `There is no such resource: the option "${d.missingOption}" of this server is off.`
        : d.known === undefined
          ? `There is no such resource. Addresses begin with "${d.basePath}/".`
          : `There is no such resource. Known here: ${d.known.map((known) => `${d.basePath}/${known}`).join(', ')}.`,
  },
  crossSiteRefused: {
    errCode: 9106,
    message: () =>
      'A request that changes state was sent by a page of another site. Add its origin to the option "allowedOrigins".',
  },
  hostRefused: {
    errCode: 9113,
    message: (d: { host: string }) =>
      `Host "${d.host}" is not served here. Add it to the option "allowedHosts".`,
  },
  hostMissing: {
    errCode: 9116,
    message: () => 'The request names no host. Send the header "Host".',
  },
  requestMalformed: {
    errCode: 9117,
    message: (d: { problem: string }) => `The request is malformed: ${d.problem}.`,
  },
  requestTimeout: { errCode: 9115, message: () => 'The request took too long to arrive.' },
  liveStreamUnknown: {
    errCode: 9167,
    message: () =>
      'This process has no such event stream of the caller. Open one with the query number 0, or send no header "Live-Stream".',
  },
  tooManyRequests: {
    errCode: 9114,
    message: (d: { retryAfterSeconds: number | null }) =>
      d.retryAfterSeconds === null
        ? 'Too many requests.'
        : `Too many requests: try again in ${d.retryAfterSeconds} seconds.`,
  },
  serverStopping: {
    errCode: 9127,
    message: (d: { retryAfterSeconds: number }) =>
      `This server is about to stop. Send the request to another one, or again in ${d.retryAfterSeconds === 1 ? '1 second' : `${d.retryAfterSeconds} seconds`}.`,
  },
  requestNotRunning: {
    errCode: 9172,
    message: (d: { id: number }) =>
      `No request ${d.id} is running: it has ended, or another process answers it.`,
  },
  requestCannotStop: {
    errCode: 9173,
    message: (d: { id: number }) =>
      `The request ${d.id} changes something or calls a function: it runs to its end. Requests that only read can be stopped.`,
  },
}

type OwnErrors = typeof OWN_ERRORS

/** The facts of a message. */
type DetailsOf<M> = M extends () => string
  ? Record<never, never>
  : M extends (details: infer D) => string
    ? Readonly<D>
    : never
type OwnDetails = { [C in keyof OwnErrors]: DetailsOf<OwnErrors[C]['message']> }

/** The codes of engines and those that this package adds, each with the facts of its message. */
export interface RestErrorDetails extends EngineErrorDetails, OwnDetails {}

export type RestErrorCode = keyof RestErrorDetails

declare module '@entia/core' {
  interface ErrorDetails extends RestErrorDetails {}
}

/** The texts of all codes of this package and of engines. */
export const REST_ERRORS: ErrorTexts<RestErrorCode> = { ...OWN_ERRORS, ...ENGINE_ERRORS }

/**
 * Creates such an error: an `EntiaError` as those of `@entia/core`.
 *
 * @internal For other packages of Entia.
 */
export const restError: ErrorFactory<RestErrorCode> = (code, details, options) =>
  new EntiaError(code, details, options, REST_ERRORS[code])
