import type { RestErrorTexts } from './error-details.ts'

/** Errors of requests that cannot be read, or that the server does not take. */
export const REQUEST_ERRORS = {
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
    message: (d) => `The parameter "${d.parameter}" is unknown. Names are case-sensitive.`,
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
      d.known === undefined
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
  serverBusy: {
    errCode: 9121,
    message: (d) =>
      `The server has no room for ${d.what} (limit ${d.limit}, option "${d.option}"). Try again in ${d.retryAfterSeconds} seconds.`,
  },
  serverStopping: {
    errCode: 9127,
    message: (d) =>
      `This server is about to stop. Send the request to another one, or again in ${d.retryAfterSeconds === 1 ? '1 second' : `${d.retryAfterSeconds} seconds`}.`,
  },
  internalError: { errCode: 9199, message: (d) => `Internal error. ${d.problem}` },
} satisfies Partial<RestErrorTexts>
