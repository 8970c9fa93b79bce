import { expect, test } from 'vitest'
import { CORE_ERRORS } from '../../packages/core/src/error-tables.ts'
import { REST_ERRORS } from '../../packages/rest/src/errors/rest-error.ts'
import { usualStatusOf } from '../../packages/rest/src/render/status.ts'
import { readText } from './source-files.ts'

const tables: Readonly<Record<string, { readonly errCode: unknown }>> = {
  ...CORE_ERRORS,
  ...REST_ERRORS,
}
/** Code, number, status, when, and what to do. */
const ROW = /^\| `(\w+)` \| (\d[^|]*) \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm
const rows = [...readText('docs/reference/errors.md').matchAll(ROW)].map(
  ([, code = '', numbers = '', status = '']) => [code, numbers, status] as const,
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

test('the statuses on the page are those of the errors alone', () => {
  const own = rows.filter(([, , status]) => status !== 'of its cause')
  expect(own.length).toBeGreaterThan(100)
  expect(own.map(([code, , status]) => [code, Number(status)])).toEqual(
    own.map(([code]) => [code, usualStatusOf(code as keyof typeof CORE_ERRORS)]),
  )
})
