/**
 * An expectation is one of these:
 *   an object     has each listed member as expected, and may have others
 *   an array      has the same length, and each element is as expected
 *   a text        equals the reply after `{name}` is filled in
 *   other values  equal the reply
 *   a `Matcher`   one of those below
 */

/** Replaces `{name}` in a text by kept values. */
export type Fill = (text: string) => string

/**
 * An expectation other than a value. `problem` describes the difference at `at`, or returns null.
 */
class Matcher {
  readonly problem: (actual: unknown, at: string, fill: Fill) => string | null

  constructor(problem: Matcher['problem']) {
    this.problem = problem
  }
}

/** Describes the difference between `actual` and the expectation; null if there is none. */
export function problemOf(
  expected: unknown,
  actual: unknown,
  at: string,
  fill: Fill,
): string | null {
  if (expected instanceof Matcher) return expected.problem(actual, at, fill)
  if (Array.isArray(expected)) return elementsProblem(expected, actual, at, fill)
  if (typeof expected === 'object' && expected !== null)
    return membersProblem(expected, actual, at, fill)
  const wanted = typeof expected === 'string' ? fill(expected) : expected
  return Object.is(wanted, actual) ? null : wrong(at, show(wanted), actual)
}

function elementsProblem(
  expected: readonly unknown[],
  actual: unknown,
  at: string,
  fill: Fill,
): string | null {
  if (!Array.isArray(actual)) return wrong(at, 'an array', actual)
  if (actual.length !== expected.length) return wrong(at, `${expected.length} elements`, actual)
  return firstProblem(
    expected.map((each, i) => () => problemOf(each, actual[i], `${at}[${i}]`, fill)),
  )
}

function membersProblem(expected: object, actual: unknown, at: string, fill: Fill): string | null {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
    return wrong(at, 'an object', actual)
  const found = new Map<string, unknown>(Object.entries(actual))
  return firstProblem(
    Object.entries(expected).map(([name, each]) => () => {
      const place = at === '' ? name : `${at}.${name}`
      if (found.has(name) || each === absent) return problemOf(each, found.get(name), place, fill)
      return `${place} is missing; found ${[...found.keys()].join(', ') || 'no members'}`
    }),
  )
}

function firstProblem(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const problem = check()
    if (problem !== null) return problem
  }
  return null
}

function wrong(at: string, expected: string, actual: unknown): string {
  return `${at === '' ? 'the reply' : at} should be ${expected}, but is ${show(actual)}`
}

function show(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

const kindOf = (says: string, test: (actual: unknown) => boolean): Matcher =>
  new Matcher((actual, at) => (test(actual) ? null : wrong(at, says, actual)))

const textLike = (says: string, pattern: RegExp): Matcher =>
  kindOf(says, (actual) => typeof actual === 'string' && pattern.test(actual))

/** The member is missing. */
export const absent = kindOf('absent', (actual) => actual === undefined)
export const aText = kindOf('a text', (actual) => typeof actual === 'string')
export const aNumber = kindOf('a number', (actual) => typeof actual === 'number')
/** The address of an entity set. */
export const aSetAddress = textLike(
  'the address of an entity set',
  /^\/rest\/\w+\/\$entityset\/[0-9A-F]{32}$/i,
)
/** 32 hexadecimal digits. */
export const anId = textLike('32 hexadecimal digits', /^[0-9a-f]{32}$/i)
/** ISO 8601 with milliseconds, in UTC. */
export const aDateTime = textLike('a date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** A date in the form of replies to writes. */
export const aDay = textLike('a date between !!', /^!!\d{4}-\d\d-\d\d!!$/)

/** Exactly these members as expected, in this order. */
export function only(members: object): Matcher {
  const names = Object.keys(members).join(', ')
  return new Matcher((actual, at, fill) => {
    const found =
      typeof actual === 'object' && actual !== null ? Object.keys(actual).join(', ') : null
    return found === null || found === names
      ? problemOf(members, actual, at, fill)
      : `${at === '' ? 'the reply' : at} should have the members ${names}, but has ${found}`
  })
}

/** A text that contains this part, or an array that contains this element. */
export function contains(part: unknown): Matcher {
  return new Matcher((actual, at, fill) => {
    if (typeof actual === 'string' && typeof part === 'string')
      return actual.includes(fill(part))
        ? null
        : wrong(at, `a text with ${show(part)} in it`, actual)
    if (Array.isArray(actual) && actual.some((each) => problemOf(part, each, at, fill) === null))
      return null
    return wrong(at, `an array with ${show(part)} in it`, actual)
  })
}

/** An array of this length, with each element as expected. */
export function list(count: number, each: unknown = new Matcher(() => null)): Matcher {
  return new Matcher((actual, at, fill) => problemOf(Array(count).fill(each), actual, at, fill))
}

/** An array of this length that starts with these elements. */
export function beginning(count: number, first: readonly unknown[]): Matcher {
  return new Matcher((actual, at, fill) =>
    Array.isArray(actual) && actual.length === count
      ? problemOf(first, actual.slice(0, first.length), at, fill)
      : wrong(at, `${count} elements`, actual),
  )
}

/** Any other value. */
export function other(expected: unknown): Matcher {
  return new Matcher((actual, at, fill) =>
    actual !== undefined && problemOf(expected, actual, at, fill) !== null
      ? null
      : wrong(
          at,
          `a value other than ${typeof expected === 'string' ? fill(expected) : show(expected)}`,
          actual,
        ),
  )
}

/** The deferred form of a relation, image or BLOB. */
export function deferred(uri: string, more: object = {}): Matcher {
  return only({ __deferred: only({ uri, ...more }) })
}
