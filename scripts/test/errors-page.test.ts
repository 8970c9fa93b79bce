import { expect, test } from 'vitest'
import { CORE_ERRORS } from '../../packages/core/src/error-tables.ts'
import { REST_ERRORS } from '../../packages/rest/src/errors/rest-error.ts'
import { readText } from './source-files.ts'

const tables: Readonly<Record<string, { readonly errCode: unknown }>> = { ...CORE_ERRORS, ...REST_ERRORS }
const rows = [...readText('docs/reference/errors.md').matchAll(/^\| `(\w+)` \| (\d[^|]*) \|/gm)].map(
  ([, code = '', numbers = '']) => [code, numbers] as const,
)

test('docs/reference/errors.md lists every error code once', () => {
  expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(tables).sort())
})

test('the numbers on the page are those of the errors', () => {
  const fixed = rows.filter(([code]) => typeof tables[code]?.errCode === 'number')
  expect(fixed.length).toBeGreaterThan(80)
  expect(fixed.map(([code, numbers]) => [code, Number(numbers)])).toEqual(
    fixed.map(([code]) => [code, tables[code]?.errCode]),
  )
})
