import { expect, test } from 'vitest'
import { DEFAULT_FILTER_LIMITS } from '../../packages/core/src/filter/filter-errors.ts'
import { DEFAULT_LIMITS } from '../../packages/rest/src/request/limits.ts'
import { readText } from './source-files.ts'

/**
 * Options in the first cells of a page's tables, with the numbers in their second cells; MiB counts
 * as bytes.
 */
function defaultsOn(page: string): ReadonlyMap<string, number> {
  const rows = readText(page).matchAll(/^\| `(\w+)` \| ([\d,]+)( MiB)? \|/gm)
  return new Map(
    [...rows].map(([, name = '', number = '', unit]) => [
      name,
      Number(number.replaceAll(',', '')) * (unit === undefined ? 1 : 2 ** 20),
    ]),
  )
}

test.each([
  ['docs/reference/options.md', DEFAULT_LIMITS],
  ['docs/reference/filter-language.md', DEFAULT_FILTER_LIMITS],
])('%s lists every limit with its default', (page, limits) => {
  const found = defaultsOn(page)
  const names = Object.keys(limits)
  expect(names.map((name) => [name, found.get(name)])).toEqual(Object.entries(limits))
})
