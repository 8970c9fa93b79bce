import { isWellFormed, type Scalar, type Test, textOfKey } from '@entia/core/internal'
import type { ColumnKind } from '../schema/sql-model.ts'

/** A test that the database can be asked, or its result for every value that is not null. */
export type FittedTest = Test | boolean

type Bounds = readonly [least: number, greatest: number]

const LONG: Bounds = [-2147483648, 2147483647]
/** Beyond these, a number is not a `bigint`. All stored numbers are within. */
const BIGINT: Bounds = [Number.MIN_SAFE_INTEGER * 2, Number.MAX_SAFE_INTEGER * 2]

/** Of the columns of whole numbers. */
const BOUNDS: { readonly [K in ColumnKind]?: Bounds } = {
  integer: LONG,
  dateOnly: LONG,
  bigint: BIGINT,
  date: BIGINT,
}

/** Fits a test to the values that a column of a kind can hold. */
export function fitTest(kind: ColumnKind, test: Test): FittedTest {
  const bounds = BOUNDS[kind]
  if (bounds !== undefined) return fitWhole(test, bounds)
  return kind === 'folded' || kind === 'exact' || kind === 'uuid' ? fitText(test) : test
}

/** Whether a column of a kind can hold a value: the database must not be given any other. */
export function canHold(kind: ColumnKind, value: Scalar): boolean {
  const bounds = BOUNDS[kind]
  return bounds === undefined ? isGiven(value) : isWithin(value, bounds)
}

const isWithin = (value: Scalar, [least, greatest]: Bounds): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= greatest

/**
 * A test of whole numbers between two bounds, so that every value can be bound as one: a fraction
 * would be rounded or keep the database from using an index.
 */
function fitWhole(test: Test, bounds: Bounds): FittedTest {
  const [least, greatest] = bounds
  const fits = (value: Scalar): boolean => isWithin(value, bounds)
  switch (test.op) {
    case 'equal':
      return fits(test.value) ? test : false
    case 'notEqual':
      return fits(test.value) ? test : true
    case 'in':
      return { ...test, values: test.values.filter(fits) }
    case 'less':
    case 'lessEqual':
    case 'greater':
    case 'greaterEqual': {
      const given = Number(test.value)
      const isUpper = test.op === 'less' || test.op === 'lessEqual'
      if (given > greatest) return isUpper
      if (given < least) return !isUpper
      if (Number.isInteger(given)) return test
      const value = isUpper ? Math.floor(given) : Math.ceil(given)
      return { ...test, op: isUpper ? 'lessEqual' : 'greaterEqual', value }
    }
    default:
      return test
  }
}

const NUL = '\0'

/**
 * A test of texts without U+0000, which the database cannot store and must not be given. Values and
 * parts are comparison keys, except the values of an exact test.
 */
export function fitText(test: Test): FittedTest {
  switch (test.op) {
    case 'equal':
      return isKeyGiven(test.value) ? test : false
    case 'notEqual':
      return isKeyGiven(test.value) ? test : true
    case 'less':
    case 'lessEqual':
    case 'greater':
    case 'greaterEqual': {
      if (isKeyGiven(test.value)) return test
      // What precedes U+0000 is itself before the text, and all that continues it is behind.
      const value = String(test.value).split(NUL)[0]!
      return { ...test, op: test.op.startsWith('less') ? 'lessEqual' : 'greater', value }
    }
    case 'like':
      return test.wildcard.parts.every(isKeyGiven) ? test : false
    case 'notLike':
      return test.wildcard.parts.every(isKeyGiven) ? test : true
    case 'exact':
    case 'notExact': {
      const values = test.values.filter(isGiven)
      const patterns = test.patterns.filter(({ parts }) => parts.every(isKeyGiven))
      // Equality with one of no values is false for null too, and its negation true.
      if (values.length + patterns.length === 0) return test.op === 'notExact'
      return { ...test, keys: test.keys.filter(isKeyGiven), values, patterns }
    }
    case 'in':
      return {
        ...test,
        values: test.values.filter(isKeyGiven),
        wildcards: test.wildcards.filter(({ parts }) => parts.every(isKeyGiven)),
      }
    default:
      return test
  }
}

const isGiven = (value: Scalar): boolean =>
  typeof value !== 'string' || (!value.includes(NUL) && isWellFormed(value))

/** The same for a comparison key, whose code units are not those of its text. */
const isKeyGiven = (key: Scalar): boolean => isGiven(typeof key === 'string' ? textOfKey(key) : key)
