import { EntiaError, type ErrorFactory } from '@entia/core'
import { ENGINE_ERRORS } from '@entia/engine'
import type { RestErrorCode, RestErrorTexts } from './error-details.ts'

/**
 * Errors of requests that were read, but cannot be answered: data, files, functions, logins and
 * permissions.
 */
const DATA_ERRORS = {
  attributeListEmpty: {
    errCode: 1816,
    message: (d) => `"${d.parameter}" needs an attribute: name it in the path or in $attributes.`,
  },
  orderByInvalid: {
    errCode: 1810,
    message: (d) => `Cannot order by "${d.attribute}" in the "${d.dataClass}" dataclass.`,
  },
  methodNotApplicable: {
    errCode: 1813,
    message: (d) => `${d.what} is not applicable: ${d.problem}.`,
  },
  insertWithKey: {
    errCode: 9109,
    message: (d) =>
      `$method=insert creates entities of the "${d.dataClass}" dataclass only: leave out __KEY, or use $method=update.`,
  },
  subEntitySetNotApplicable: {
    errCode: 1815,
    message: (d) => `$method=subentityset is not applicable: ${d.problem}.`,
  },
  otherCollectionMissing: {
    errCode: 1819,
    message: (d) =>
      `$logicOperator=${d.operator} needs $otherCollection, the id of a second entity set.`,
  },
  pictureTypeUnknown: {
    errCode: 1824,
    message: (d) =>
      `${d.found} is none of the images that are stored: PNG, JPEG, GIF, TIFF, WebP and BMP.`,
  },
  pictureReferenceUnknown: {
    errCode: 1825,
    message: (d) => `The uploaded image "${d.id}" cannot be found: it expired or was never sent.`,
  },
  blobReferenceUnknown: {
    errCode: 1826,
    message: (d) => `The uploaded BLOB "${d.id}" cannot be found: it expired or was never sent.`,
  },
  functionNotOnGet: {
    errCode: 1829,
    message: (d) => `Function "${d.name}" cannot be called by GET. Use POST.`,
  },
  identityRefused: {
    errCode: 9122,
    message: () => 'The credentials of the request are refused. Send valid ones, or none.',
  },
  directoryMissing: {
    errCode: 1814,
    message: (d) => `Logins need a directory of users (option "${d.option}").`,
  },
} satisfies Partial<RestErrorTexts>

/** Errors of requests that cannot be read, or that the server does not take. */
const REQUEST_ERRORS = {
  formatUnknown: {
    errCode: 1801,
    message: (d) => `The format "${d.format}" is not supported. Use json or dashboard.`,
  },
  urlMalformed: { errCode: 1806, message: (d) => `The address is malformed: ${d.problem}.` },
  questionMarkMissing: {
    errCode: 1807,
    message: (d) => `The parameters must begin with "?", not with "${d.found}".`,
  },
  quoteMissing: {
    errCode: (d) => (d.quote === "'" ? 1808 : 1809),
    message: (d) =>
      `The value of "${d.parameter}" lacks a closing ${d.quote}. Write ${d.quote === "'" ? '\\u0027' : '\\u0022'} for a quote inside the value.`,
  },
  parameterUnknown: {
    errCode: 1811,
    message: (d) => `The parameter "${d.parameter}" is unknown. ${d.remedy}`,
  },
  parameterInvalid: {
    errCode: 9100,
    message: (d) => `The parameter "${d.parameter}" takes ${d.expected}, not ${d.found}.`,
  },
  parameterTwice: {
    errCode: 9101,
    message: (d) => `The parameter "${d.parameter}" is given more than once.`,
  },
  methodUnknown: {
    errCode: 1812,
    message: (d) =>
      `The $method "${d.method}" is unknown. Use delete, entityset, insert, release, subentityset or update.`,
  },
  computeActionUnknown: {
    errCode: 1817,
    message: (d) =>
      `The $compute action "${d.action}" is unknown. Use $all, average, count, max, min or sum.`,
  },
  logicOperatorUnknown: {
    errCode: 1818,
    message: (d) => `"${d.operator}" is no $logicOperator. Use AND, OR, EXCEPT or INTERSECT.`,
  },
  bodyMalformed: { errCode: 9102, message: (d) => `The request body is malformed: ${d.problem}.` },
  bodyTooLarge: {
    errCode: 9103,
    message: (d) =>
      `The request body is too large: the limit is ${d.limit} bytes (option "${d.option}").`,
  },
  urlTooLong: {
    errCode: 9104,
    message: (d) =>
      `The address is too long: the limit is ${d.limit} characters (option "${d.option}").`,
  },
  mediaTypeUnsupported: {
    errCode: 9107,
    message: (d) =>
      'encoding' in d
        ? `Content-Encoding ${d.encoding} is not supported. ${d.remedy}`
        : `A body of type "${d.mediaType}" is not supported here. ${d.remedy ?? 'Send JSON.'}`,
  },
  verbNotAllowed: {
    errCode: 9105,
    message: (d) => `${d.verb} is not allowed here. ${d.remedy}`,
  },
  resourceNotFound: {
    errCode: 9108,
    message: (d) =>
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
    message: (d) => `Host "${d.host}" is not served here. Add it to the option "allowedHosts".`,
  },
  hostMissing: {
    errCode: 9116,
    message: () => 'The request names no host. Send the header "Host".',
  },
  requestMalformed: { errCode: 9117, message: (d) => `The request is malformed: ${d.problem}.` },
  requestTimeout: { errCode: 9115, message: () => 'The request took too long to arrive.' },
  liveStreamUnknown: {
    errCode: 9167,
    message: () =>
      'This process has no such event stream of the caller. Open one with the query number 0, or send no header "Live-Stream".',
  },
  tooManyRequests: {
    errCode: 9114,
    message: (d) =>
      d.retryAfterSeconds === null
        ? 'Too many requests.'
        : `Too many requests: try again in ${d.retryAfterSeconds} seconds.`,
  },
  serverStopping: {
    errCode: 9127,
    message: (d) =>
      `This server is about to stop. Send the request to another one, or again in ${d.retryAfterSeconds === 1 ? '1 second' : `${d.retryAfterSeconds} seconds`}.`,
  },
  requestNotRunning: {
    errCode: 9172,
    message: (d) => `No request ${d.id} is running: it has ended, or another process answers it.`,
  },
  requestCannotStop: {
    errCode: 9173,
    message: (d) =>
      `The request ${d.id} changes something or calls a function: it runs to its end. Requests that only read can be stopped.`,
  },
} satisfies Partial<RestErrorTexts>

/** The texts of all codes of this package and of engines. */
export const REST_ERRORS: RestErrorTexts = {
  ...REQUEST_ERRORS,
  ...DATA_ERRORS,
  ...ENGINE_ERRORS,
}

/**
 * Creates such an error: an `EntiaError` as those of `@entia/core`.
 *
 * @internal For other packages of Entia.
 */
export const restError: ErrorFactory<RestErrorCode> = (code, details, options) =>
  new EntiaError(code, details, options, REST_ERRORS[code])
