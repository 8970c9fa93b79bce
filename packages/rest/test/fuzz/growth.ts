import { isEntiaError } from '@entia/core'
import { prepareFilter } from '../../../core/src/filter/bind-filter.ts'
import { bindOrderBy } from '../../../core/src/filter/bind-order-by.ts'
import { DEFAULT_FILTER_LIMITS } from '../../../core/src/filter/filter-errors.ts'
import { employee } from '../../../core/test/filter/staff-catalog.ts'
import { parseAddress } from '../../src/request/address.ts'
import { parseBody } from '../../src/request/body.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseParameters } from '../../src/request/parameters.ts'

/** Texts of any length that could make a parser read the same characters repeatedly. */
export interface Shape {
  readonly name: string
  /** A text of about this many characters. */
  readonly text: (length: number) => string
  readonly read: (text: string) => unknown
}

/**
 * Lifts all limits, to test lengths alone; only the names of a path keep their deliberately low
 * limit.
 */
const LIMITS = {
  ...DEFAULT_FILTER_LIMITS,
  maxPlaceholders: 100_000,
  maxWildcards: 100_000,
  maxSortKeys: 100_000,
  maxPatternLength: 100_000,
}
const readFilter = (text: string) => {
  const prepared = prepareFilter(text, employee, { limits: LIMITS })
  return prepared.bind(prepared.placeholders.length > 0 ? ['a'] : [])
}

const repeated =
  (piece: string, last = '') =>
  (length: number) =>
    piece.repeat(Math.max(1, Math.floor((length - last.length) / piece.length))) + last
const shape = (name: string, read: Shape['read'], text: Shape['text']): Shape => ({
  name,
  read,
  text,
})

/** Shapes of the filter language. */
export const FILTER_SHAPES: readonly Shape[] = [
  shape('conjunctions', readFilter, repeated('age = 1 and ', 'age = 1')),
  shape('alternatives', readFilter, repeated('age = 1 or ', 'age = 1')),
  shape('alternatives, cut', readFilter, repeated('age = 1 or ')),
  shape('exceptions', readFilter, repeated('active ^ ', 'active')),
  shape('groups', readFilter, repeated('(age = 1 and age = 2) or ', 'age = 1')),
  shape('groups in groups', readFilter, repeated('(((age = 1 | active))) & ', 'active')),
  shape('open brackets', readFilter, repeated('(')),
  shape('negations', readFilter, repeated('! ')),
  shape('names', readFilter, repeated('a', ' = 1')),
  shape('steps', readFilter, repeated('employer.staff.', 'age = 1')),
  shape('steps without end', readFilter, repeated('a.')),
  shape('elements', readFilter, repeated('notes[a].', 'x = 1')),
  shape('quoted', readFilter, (length) => `lastName = '${'x'.repeat(length)}'`),
  shape('escapes', readFilter, (length) => `lastName = '${'\\u0027'.repeat(length / 6)}'`),
  shape(
    'escapes without end',
    readFilter,
    (length) => `lastName = '${'\\u0027'.repeat(length / 6)}`,
  ),
  shape(
    'escapes in bare values',
    readFilter,
    (length) => `lastName = ${'\\u0041'.repeat(length / 6)}`,
  ),
  shape('bare words', readFilter, repeated('x ')),
  shape('a list', readFilter, (length) => `age in [${'1, '.repeat(length / 3)}2]`),
  shape('a list without end', readFilter, (length) => `age in [${'1, '.repeat(length / 3)}`),
  shape('blanks', readFilter, (length) => `age = 1${' '.repeat(length)}x`),
  shape(
    'blanks before a word',
    readFilter,
    (length) => `age${' '.repeat(length)}is${' '.repeat(length)}`,
  ),
  shape('signs', readFilter, (length) => `age ${'='.repeat(length)} 1`),
  shape('exclamation marks', readFilter, (length) => `age = ${'!!1'.repeat(length / 3)}`),
  shape('wildcards', readFilter, (length) => `lastName = ${'a@'.repeat(length / 2)}`),
  shape('placeholders', readFilter, repeated('age = :1 or ', 'age = :1')),
  shape(
    'orders',
    (text) => bindOrderBy(text, employee, { limits: LIMITS }),
    repeated('lastName desc, ', 'age'),
  ),
  shape('order words', readFilter, repeated('order ', 'by age')),
]

const parameters = (text: string) =>
  parseParameters(text, {
    ...DEFAULT_LIMITS,
    maxFilterCharacters: 1_000_000,
    maxAttributePaths: 1_000_000,
  })
const address = (text: string) => parseAddress(text, '/rest')
const body = (text: string) =>
  parseBody(
    { kind: 'text', text, contentType: 'application/x-www-form-urlencoded' },
    DEFAULT_LIMITS,
  )

/** Shapes of all other texts. */
export const REQUEST_SHAPES: readonly Shape[] = [
  shape('ampersands', parameters, repeated('&')),
  shape(
    'quotes in a filter',
    parameters,
    (length) => `$filter="${`a="b" and `.repeat(length / 10)}"`,
  ),
  shape('escaped quotes', parameters, (length) => `$filter=%22${'%22a%22'.repeat(length / 7)}`),
  shape('quotes and ampersands', parameters, (length) => `$filter='${"'&a ".repeat(length / 4)}`),
  shape('apostrophes', parameters, (length) => `$filter=a${"'a".repeat(length / 2)}`),
  shape(
    'order words in a filter',
    parameters,
    (length) => `$filter=${'order '.repeat(length / 6)}`,
  ),
  shape(
    'quoted ampersands in a filter',
    parameters,
    (length) => `$filter=a in [${"'&',".repeat(length / 4)}`,
  ),
  shape('open groups before a quote', parameters, (length) => `$filter=${'('.repeat(length)}'&`),
  shape('blanks in a filter', parameters, (length) => `$filter=order${' '.repeat(length)}x`),
  shape('quoted pieces', parameters, (length) => `$filter="a"${' and "a"'.repeat(length / 8)}`),
  shape('attributes', parameters, (length) => `$attributes=${'a,'.repeat(length / 2)}a`),
  shape('numbers', parameters, (length) => `$top=${'1'.repeat(length)}x`),
  shape('JSON in $params', parameters, (length) => `$params=[${'{"a":1},'.repeat(length / 8)}1]`),
  shape('slashes', address, (length) => `/rest/${'a/'.repeat(length / 2)}`),
  shape('keys', address, (length) => `/rest/${`A("`.repeat(length / 3)}`),
  shape('keys in quotes', address, (length) => `/rest/${`A("x")`.repeat(length / 6)}`),
  shape('names in an address', address, (length) => `/rest/A/${'a,'.repeat(length / 2)}`),
  shape('brackets', body, repeated('[')),
  shape('brackets in a string', body, (length) => `["${'['.repeat(length)}"]`),
  shape('form escapes', body, (length) => `["${'%27'.repeat(length / 3)}"]`),
  shape(
    'members',
    body,
    (length) => `{${Array.from({ length: length / 9 }, (_, n) => `"a${n}":1`).join()}}`,
  ),
]

export interface Growth {
  readonly shape: string
  /** The time grows with this power of the length. */
  readonly exponent: number
  readonly isLinear: boolean
}

const SHORT_LENGTH = 1000
const LONG_LENGTH = 8000
const MAX_EXPONENT = 1.3
/** Attempts per shape: another program may have slowed a measurement down. */
const MAX_ROUNDS = 12
/** A shorter time for the long text is accepted at any growth. */
const NEGLIGIBLE_MILLISECONDS = 0.5

/**
 * Times every shape at two lengths and takes the fastest of many runs, because other programs only
 * slow it down.
 */
export function timeGrowth(): readonly Growth[] {
  return [...FILTER_SHAPES, ...REQUEST_SHAPES].map(({ name, text, read }) => {
    let [short, long, exponent] = [
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]
    for (let round = 0; round < MAX_ROUNDS && exponent > MAX_EXPONENT; round++) {
      short = Math.min(short, fastest(read, text(SHORT_LENGTH)))
      long = Math.min(long, fastest(read, text(LONG_LENGTH)))
      exponent = Math.log(long / short) / Math.log(LONG_LENGTH / SHORT_LENGTH)
    }
    return {
      shape: name,
      exponent,
      isLinear: exponent <= MAX_EXPONENT || long < NEGLIGIBLE_MILLISECONDS,
    }
  })
}

function fastest(read: Shape['read'], text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let left = 15; left > 0; left--) {
    const since = performance.now()
    readOrRefuse(read, text)
    least = Math.min(least, performance.now() - since)
  }
  return Math.max(least, 0.001)
}

/** Throws every error except a refusal. */
function readOrRefuse(read: Shape['read'], text: string): void {
  try {
    read(text)
  } catch (error) {
    if (!isEntiaError(error)) throw error
  }
}
