import { expect, test } from 'vitest'
import type { CoreErrorDetails, ErrorText } from '../src/error-details.ts'
import { CORE_ERRORS } from '../src/error-tables.ts'
import { assertNever, EntiaError, invariant, isEntiaError } from '../src/errors.ts'
import { filterError } from '../src/filter/filter-errors.ts'

type Code = keyof CoreErrorDetails

/** A code with details, the number of the error, and its message. */
type Claim = readonly [code: Code, details: object, errCode: number, message: string | RegExp]

const claims: readonly Claim[] = [
  ['functionNotFound', { owner: 'hr', name: 'f' }, 1827, 'hr has no function "f".'],
  [
    'functionNotFound',
    { owner: 'hr', name: 'f', remedy: 'Use g.' },
    1827,
    'hr has no function "f". Use g.',
  ],
  [
    'attributeNotFound',
    { dataClass: 'A', attribute: 'x', known: Array.from('abcdefghijklm') },
    1500,
    /Known: a, b, c, d, e, f, g, h, i, j, k, l, …\.$/,
  ],
  ['attributeNotFound', { dataClass: 'A', attribute: 'x', known: [] }, 1500, /"A" dataclass\.$/],
]

test('errors lists what led to an error, the deepest cause first', () => {
  const missing = new EntiaError('attributeNotFound', { dataClass: 'A', attribute: 'x' })
  const analysed = filterError(
    'filterCannotBeAnalysed',
    { filter: 'x = 1', offset: 0, problem: missing.message },
    { cause: missing },
  )
  expect(analysed.errors).toEqual(
    [missing, analysed].map(({ message, errCode }) => ({ message, errCode })),
  )
  const failures = [missing, analysed]
  const failed = new EntiaError('validationFailed', { dataClass: 'A', key: null, failures })
  expect(failed.errors.map(({ errCode }) => errCode)).toEqual([1500, 1500, 1201, 1570])
  const foreign = new EntiaError('entitySetNotFound', { id: 'x' }, { cause: new Error('no') })
  expect(foreign.errors).toHaveLength(1)
})

test.each(claims)(
  '%s %j has the number %i and a message that names the mistake',
  (code, details, errCode, message) => {
    const error = new EntiaError(
      code,
      details as never,
      undefined,
      CORE_ERRORS[code] as ErrorText<object>,
    )
    expect(error.errCode).toBe(errCode)
    expect(error.details).toEqual(details)
    if (typeof message === 'string') expect(error.message).toBe(message)
    else expect(error.message).toMatch(message)
  },
)

test('no two codes have one number', () => {
  const numbers = Object.values(CORE_ERRORS).flatMap(({ errCode }) =>
    typeof errCode === 'number' ? [errCode] : [],
  )
  expect(numbers.length).toBeGreaterThan(50)
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('every error is an EntiaError, whichever table has its text', () => {
  const own = filterError('filterOperator', { filter: 'a ? 1', offset: 2, found: '?' })
  const common = new EntiaError('entityNotFound', { dataClass: 'A', key: '7' })
  expect(
    [own, common].map((error) => [error.constructor, error.name, isEntiaError(error)]),
  ).toEqual([
    [EntiaError, 'EntiaError', true],
    [EntiaError, 'EntiaError', true],
  ])
  expect(isEntiaError(own, 'filterOperator') && own.details.found).toBe('?')
  expect(isEntiaError(own, 'filterSyntax')).toBe(false)
})

test('an error created from a code without a text names the remedy', () => {
  const create = () => Reflect.construct(EntiaError, ['tooManySessions', {}])
  expect(create).toThrow(
    'EntiaError "tooManySessions" needs a text: give it as the fourth argument.',
  )
})

test('a text longer than a line is shortened to the part around the error', () => {
  const filter = `${'a'.repeat(100)}\n!`
  const [, shown, pointer] = filterError('filterSyntax', {
    filter,
    offset: 101,
    expected: 'x',
  }).message.split('\n  ')
  expect(shown).toBe(`…${'a'.repeat(59)} !`)
  expect(shown[pointer.length - 1]).toBe('!')
})

test('a broken invariant is a plain error, not an EntiaError', () => {
  const broken = () => invariant(false, 'two and two are five')
  expect(broken).toThrow('Entia invariant broken: two and two are five')
  expect(broken).not.toThrow(EntiaError)
  expect(() => invariant(true, 'two and two are four')).not.toThrow()
  expect(() => assertNever('an unknown kind' as never)).toThrow('an unknown kind')
})
