import { expect, test } from 'vitest'
import { assertNever, EntiaError, type ErrorCode, type ErrorDetails, invariant } from '../src/errors.ts'

/** A refusal, the protocol's number for it, and what its message has to say. */
type Claim = readonly [code: ErrorCode, details: object, errCode: number, message: string | RegExp]

const address = { basePath: '/rest' }
const claims: readonly Claim[] = [
  ['functionNotFound', { owner: 'hr', name: 'f' }, 1827, 'hr has no function "f".'],
  ['functionNotFound', { owner: 'hr', name: 'f', remedy: 'Use g.' }, 1827, 'hr has no function "f". Use g.'],
  [
    'attributeNotFound',
    { dataClass: 'A', attribute: 'x', known: Array.from('abcdefghijklm') },
    1500,
    /Known: a, b, c, d, e, f, g, h, i, j, k, l, …\.$/,
  ],
  ['attributeNotFound', { dataClass: 'A', attribute: 'x', known: [] }, 1500, /"A" dataclass\.$/],
  ['entityCannotBeLoaded', { dataClass: 'A', key: '7' }, 1543, 'Cannot load entity# 7 in the "A" dataclass.'],
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
  ['quoteMissing', { parameter: '$filter', quote: "'" }, 1808, /lacks a closing '\. Write \\u0027 for/],
  ['quoteMissing', { parameter: '$filter', quote: '"' }, 1809, /lacks a closing "\. Write \\u0022 for/],
  ['accessDenied', { action: 'read', dataClass: 'A' }, 1557, 'No permission to read entities of the "A" dataclass.'],
  [
    'accessDenied',
    { action: 'call', dataClass: 'A', name: 'f' },
    1561,
    'No permission to execute function "f" of the "A" dataclass.',
  ],
  ['accessDenied', { action: 'call', dataClass: '' }, 1561, 'No permission to execute function "" of the datastore.'],
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
  ['mediaTypeUnsupported', { mediaType: 'text/xml' }, 9107, /"text\/xml" is not supported here\. Send JSON\.$/],
  ['mediaTypeUnsupported', { mediaType: 'text/xml', remedy: 'Send a picture.' }, 9107, /here\. Send a picture\.$/],
  ['resourceNotFound', address, 9108, 'There is no such resource. Addresses begin with "/rest/".'],
  [
    'resourceNotFound',
    { ...address, known: ['$catalog', 'A'] },
    9108,
    'There is no such resource. Known here: /rest/$catalog, /rest/A.',
  ],
]

test.each(claims)('%s %j has the number %i and says what is wrong', (code, details, errCode, message) => {
  const error = new EntiaError(code, details as ErrorDetails[ErrorCode])
  expect(error.errCode).toBe(errCode)
  expect(error.details).toEqual(details)
  if (typeof message === 'string') expect(error.message).toBe(message)
  else expect(error.message).toMatch(message)
})

test('a text longer than a line is shown around the place that is wrong', () => {
  const filter = `${'a'.repeat(100)}\n!`
  const [, shown, pointer] = new EntiaError('filterSyntax', { filter, offset: 101, expected: 'x' }).message.split(
    '\n  ',
  )
  expect(shown).toBe(`…${'a'.repeat(59)} !`)
  expect(shown[pointer.length - 1]).toBe('!')
})

test('what cannot be is a mistake of ours, and no refusal', () => {
  expect(() => invariant(false, 'two and two are five')).toThrow('Entia invariant broken: two and two are five')
  expect(() => invariant(true, 'two and two are four')).not.toThrow()
  expect(() => assertNever('a kind that nobody knows' as never)).toThrow()
})
