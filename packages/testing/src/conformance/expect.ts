/**
 * What an expectation may be:
 *   an object     each member named is there and as expected; others may be there too
 *   an array      as many elements, each as expected
 *   a text        equal, once kept values are filled in
 *   other values  equal
 *   a `Matcher`   one of those below
 */

/** Fills kept values into a text. */
export type Fill = (text: string) => string

/** Something to be expected that is not a value. `problem` tells what is wrong at `at`, or null. */
export class Matcher {
  readonly problem: (actual: unknown, at: string, fill: Fill) => string | null

  constructor(problem: Matcher['problem']) {
    this.problem = problem
  }
}

/** What is wrong with `actual`, for a person; null when it is as expected. */
export function problemOf(expected: unknown, actual: unknown, at: string, fill: Fill): string | null {
  if (expected instanceof Matcher) return expected.problem(actual, at, fill)
  if (Array.isArray(expected)) return elementsProblem(expected, actual, at, fill)
  if (typeof expected === 'object' && expected !== null) return membersProblem(expected, actual, at, fill)
  const wanted = typeof expected === 'string' ? fill(expected) : expected
  return Object.is(wanted, actual) ? null : wrong(at, show(wanted), actual)
}

function elementsProblem(expected: readonly unknown[], actual: unknown, at: string, fill: Fill): string | null {
  if (!Array.isArray(actual)) return wrong(at, 'an array', actual)
  if (actual.length !== expected.length) return wrong(at, `${expected.length} elements`, actual)
  return firstProblem(expected.map((each, i) => () => problemOf(each, actual[i], `${at}[${i}]`, fill)))
}

function membersProblem(expected: object, actual: unknown, at: string, fill: Fill): string | null {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return wrong(at, 'an object', actual)
  const found = new Map<string, unknown>(Object.entries(actual))
  return firstProblem(
    Object.entries(expected).map(([name, each]) => () => {
      const place = at === '' ? name : `${at}.${name}`
      if (found.has(name) || each === absent) return problemOf(each, found.get(name), place, fill)
      return `${place} is missing; there are ${[...found.keys()].join(', ') || 'no members'}`
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
  return `${at === '' ? 'the reply' : at} should be ${expected}, and is ${show(actual)}`
}

function show(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

const kindOf = (says: string, test: (actual: unknown) => boolean): Matcher =>
  new Matcher((actual, at) => (test(actual) ? null : wrong(at, says, actual)))

const textLike = (says: string, pattern: RegExp): Matcher =>
  kindOf(says, (actual) => typeof actual === 'string' && pattern.test(actual))

/** The member is not there. */
export const absent = kindOf('absent', (actual) => actual === undefined)
export const aText = kindOf('a text', (actual) => typeof actual === 'string')
export const aNumber = kindOf('a number', (actual) => typeof actual === 'number')
/** An entity set's address. */
export const aSetAddress = textLike('the address of an entity set', /^\/rest\/\w+\/\$entityset\/[0-9A-F]{32}$/i)
/** 32 hexadecimal digits. */
export const anId = textLike('32 hexadecimal digits', /^[0-9a-f]{32}$/i)
/** ISO 8601 with milliseconds, in UTC. */
export const aDateTime = textLike('a date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** A date as answers to writes have it. */
export const aDay = textLike('a date between !!', /^!!\d{4}-\d\d-\d\d!!$/)

/** These members as expected, in this order, and no others. */
export function only(members: object): Matcher {
  const names = Object.keys(members).join(', ')
  return new Matcher((actual, at, fill) => {
    const found = typeof actual === 'object' && actual !== null ? Object.keys(actual).join(', ') : null
    return found === null || found === names
      ? problemOf(members, actual, at, fill)
      : `${at === '' ? 'the reply' : at} should have the members ${names}, and has ${found}`
  })
}

/** A text with this in it, or an array with such an element. */
export function contains(part: unknown): Matcher {
  return new Matcher((actual, at, fill) => {
    if (typeof actual === 'string' && typeof part === 'string')
      return actual.includes(fill(part)) ? null : wrong(at, `a text with ${show(part)} in it`, actual)
    if (Array.isArray(actual) && actual.some((each) => problemOf(part, each, at, fill) === null)) return null
    return wrong(at, `an array with ${show(part)} in it`, actual)
  })
}

/** An array of that many elements, each as expected. */
export function list(count: number, each: unknown = new Matcher(() => null)): Matcher {
  return new Matcher((actual, at, fill) => problemOf(Array(count).fill(each), actual, at, fill))
}

/** An array of that many elements, of which the first are as expected. */
export function beginning(count: number, first: readonly unknown[]): Matcher {
  return new Matcher((actual, at, fill) =>
    Array.isArray(actual) && actual.length === count
      ? problemOf(first, actual.slice(0, first.length), at, fill)
      : wrong(at, `${count} elements`, actual),
  )
}

/** Anything but this. */
export function other(expected: unknown): Matcher {
  return new Matcher((actual, at, fill) =>
    actual !== undefined && problemOf(expected, actual, at, fill) !== null
      ? null
      : wrong(at, `something else than ${typeof expected === 'string' ? fill(expected) : show(expected)}`, actual),
  )
}

/** The deferred form of a relation, image or BLOB. */
export function deferred(uri: string, more: object = {}): Matcher {
  return only({ __deferred: only({ uri, ...more }) })
}
