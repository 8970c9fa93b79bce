import { decodePercent, withRawMarks } from './percent.ts'
import { valueEnd } from './value-end.ts'

/** One parameter: name and value percent-decoded once, the value with its quotes. */
export interface QueryParameter {
  readonly name: string
  readonly value: string
  /** True if the value contained a `+` that means a plus, not written as `%2B`. */
  readonly hasPlus: boolean
}

/**
 * Splits a query string (without its `?`) at the `&` between parameters, which `value-end.ts`
 * finds.
 *
 * Form encoders (`URLSearchParams`, Python's `urlencode`, Go's `url.Values`) write `$` as `%24` and
 * a blank as `+`. So `+` is a blank in the value of a name that starts with `%24`, and a plus after
 * a name that is written with `$`. Values of names without `$` are ignored; they end at the next
 * `&`.
 *
 * Cost O(length), and as much again for each value that is a filter: a caller stops at the second
 * one of a name.
 *
 * Throws quoteMissing, urlMalformed.
 */
export function* splitQuery(sent: string): Generator<QueryParameter> {
  const query = withRawMarks(sent)
  let at = 0
  while (at < query.length) {
    let nameEnd = at
    while (nameEnd < query.length && query[nameEnd] !== '=' && query[nameEnd] !== '&') nameEnd++
    const isForm = query.startsWith('%24', at)
    const name = decodePercent(query.slice(at, nameEnd))
    const start = query[nameEnd] === '=' ? nameEnd + 1 : nameEnd
    const end = valueEnd(query, start, name, isForm)
    const raw = query.slice(start, end)
    const value = decodePercent(isForm ? raw.replaceAll('+', ' ') : raw)
    if (name !== '' || raw !== '') yield { name, value, hasPlus: !isForm && raw.includes('+') }
    at = end + 1
  }
}
