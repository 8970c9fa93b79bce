import { prepareFilter } from '../../src/filter/bind-filter.ts'
import type { FilterParameters } from '../../src/filter/parameters.ts'
import { describePredicate, type Predicate, type Test } from '../../src/filter/predicate.ts'
import { thing } from './kinds-catalog.ts'
import { used } from './used.ts'

/** The predicate of a filter on `Thing`. */
export const boundThing = (text: string, parameters?: FilterParameters): Predicate =>
  prepareFilter(text, thing).bind(used(text, parameters)).predicate

/** The test of a filter with one comparison; false if it selects nothing. */
export function testOf(text: string, parameters?: FilterParameters): Test | false {
  const predicate = boundThing(text, parameters)
  if (predicate.kind === 'compare' || predicate.kind === 'computed') return predicate.test
  if (
    predicate.kind === 'property' &&
    (predicate.match.kind === 'value' || predicate.match.kind === 'length')
  )
    return predicate.match.test
  if (predicate.kind === 'constant' && !predicate.value) return false
  throw new Error(`"${text}" is more than one comparison: ${describePredicate(predicate)}`)
}

/** The comparison signs, with the test of each for values without wildcards. */
export const SIGNS: { readonly [sign: string]: Test['op'] } = {
  '=': 'equal',
  '===': 'equal',
  '!=': 'notEqual',
  '!==': 'notEqual',
  '>': 'greater',
  '>=': 'greaterEqual',
  '<': 'less',
  '<=': 'lessEqual',
}
