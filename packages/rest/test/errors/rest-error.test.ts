import { EntiaError, type ErrorDetails, isEntiaError } from '@entia/core'
import { reworded } from '@entia/engine'
import { expect, test } from 'vitest'
import { REST_ERRORS, type RestErrorCode, restError } from '../../src/errors/rest-error.ts'

/** A code with details, the number of such an error, and its message. */
type Claim = readonly [
  code: RestErrorCode,
  details: object,
  errCode: number,
  message: string | RegExp,
]

const address = { basePath: '/rest' }
const claims: readonly Claim[] = [
  [
    'engineUnavailable',
    { retryAfterSeconds: 1 },
    9123,
    'The storage of the datastore cannot be reached. Try again in 1 second.',
  ],
  [
    'replicasNotReady',
    { retryAfterSeconds: 1 },
    9175,
    'Replicas cannot follow the store now: its mirror is being filled, or is off (metric entia_mirror_off). Try again in 1 second.',
  ],
  [
    'transactionConflict',
    { attempts: 5, retryAfterSeconds: 2 },
    9124,
    'The transaction was rolled back after 5 attempts: other transactions changed the same data. Nothing was saved. Try again in 2 seconds.',
  ],
  [
    'notOnThisEngine',
    { what: 'Reading the past', remedy: 'Use the recovery of the database.' },
    9125,
    'Reading the past is not available on this engine. Use the recovery of the database.',
  ],
  [
    'databaseDiffers',
    { schema: 'hr', differences: ['Add the dataclass A.'], remedy: 'Run "entia migrate".' },
    9126,
    'The schema "hr" of the database does not fit the model. Add the dataclass A. Run "entia migrate".',
  ],
  [
    'databaseMigrated',
    { schema: 'hr' },
    9160,
    'The tables of the schema "hr" were migrated to another model after this process had opened them, and the request does not fit them. Nothing was saved. Restart the process with the new model.',
  ],
  [
    'entityCannotBeLoaded',
    { dataClass: 'A', key: '7' },
    1543,
    'Cannot load entity# 7 in the "A" dataclass.',
  ],
  [
    'entityCannotBeLoaded',
    { dataClass: 'A', key: '7', problem: 'It is gone' },
    1543,
    'Cannot load entity# 7 in the "A" dataclass: It is gone.',
  ],
  [
    'entityCannotBeSaved',
    { dataClass: 'A', key: null, problem: 'No.' },
    1534,
    'The new entity of the "A" dataclass cannot be saved. No.',
  ],
  [
    'entityCannotBeSaved',
    { dataClass: 'A', key: '7', problem: 'No.' },
    1517,
    'The entity# 7 in the "A" dataclass cannot be saved. No.',
  ],
  [
    'quoteMissing',
    { parameter: '$filter', quote: "'" },
    1808,
    /lacks a closing '\. Write \\u0027 for/,
  ],
  [
    'quoteMissing',
    { parameter: '$filter', quote: '"' },
    1809,
    /lacks a closing "\. Write \\u0022 for/,
  ],
  [
    'accessDenied',
    { action: 'read', dataClass: 'A' },
    1557,
    'No permission to read entities of the "A" dataclass.',
  ],
  [
    'accessDenied',
    { action: 'call', dataClass: 'A', name: 'f' },
    1561,
    'No permission to execute function "f" of the "A" dataclass.',
  ],
  [
    'accessDenied',
    { action: 'call', dataClass: '' },
    1561,
    'No permission to execute function "" of the datastore.',
  ],
  ['tooManyRequests', { retryAfterSeconds: null }, 9114, 'Too many requests.'],
  [
    'serverBusy',
    { what: 'more bodies', limit: 5, option: 'limits.maxPendingBodyBytes', retryAfterSeconds: 2 },
    9121,
    'The server has no room for more bodies (limit 5, option "limits.maxPendingBodyBytes"). Try again in 2 seconds.',
  ],
  ['tooManyRequests', { retryAfterSeconds: 3 }, 9114, 'Too many requests: try again in 3 seconds.'],
  [
    'mediaTypeUnsupported',
    { encoding: 'br', remedy: 'Send it plain.' },
    9107,
    'Content-Encoding br is not supported. Send it plain.',
  ],
  [
    'mediaTypeUnsupported',
    { mediaType: 'text/xml' },
    9107,
    /"text\/xml" is not supported here\. Send JSON\.$/,
  ],
  [
    'mediaTypeUnsupported',
    { mediaType: 'text/xml', remedy: 'Send a picture.' },
    9107,
    /here\. Send a picture\.$/,
  ],
  ['resourceNotFound', address, 9108, 'There is no such resource. Addresses begin with "/rest/".'],
  [
    'resourceNotFound',
    { ...address, known: ['$catalog', 'A'] },
    9108,
    'There is no such resource. Known here: /rest/$catalog, /rest/A.',
  ],
]

test.each(claims)(
  '%s %j has the number %i and a message that names the mistake',
  (code, details, errCode, message) => {
    const error = restError(code, details as ErrorDetails[RestErrorCode])
    expect(error.errCode).toBe(errCode)
    expect(error.details).toEqual(details)
    if (typeof message === 'string') expect(error.message).toBe(message)
    else expect(error.message).toMatch(message)
  },
)

test('every code has a number of its own', () => {
  const numbers = Object.values(REST_ERRORS).flatMap(({ errCode }) =>
    typeof errCode === 'number' ? [errCode] : [],
  )
  expect(numbers.length).toBeGreaterThan(40)
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('errors of this package are EntiaErrors, with typed details', () => {
  const error: unknown = restError('verbNotAllowed', {
    verb: 'PUT',
    allowed: ['GET'],
    remedy: 'Use GET.',
  })
  expect(error).toBeInstanceOf(EntiaError)
  expect(isEntiaError(error, 'verbNotAllowed') ? error.details.allowed : null).toEqual(['GET'])
})

test('a reworded error keeps code, number and details, and has the given cause', () => {
  const cause = new Error('below')
  const error = restError('preconditionFailed', { dataClass: 'A', key: '7' }, { cause })
  expect(reworded(error, 'Other words.')).toMatchObject({
    code: 'preconditionFailed',
    errCode: 9110,
    message: 'Other words.',
    details: { dataClass: 'A', key: '7' },
    cause: undefined,
  })
  expect(
    reworded(error, 'Other words.', { details: { dataClass: 'A', key: '' }, cause }),
  ).toMatchObject({
    details: { dataClass: 'A', key: '' },
    cause,
  })
})
