import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseServeOptions } from '../src/serve-options.ts'

test('the port comes from --port, then from PORT, then it is 8080', () => {
  const port = fc.integer({ min: 0, max: 65_535 })
  fc.assert(
    fc.property(fc.option(port), fc.option(port), (option, variable) => {
      const parameters = option === null ? ['a.mjs'] : ['a.mjs', '--port', String(option)]
      const environment = variable === null ? {} : { PORT: String(variable) }
      expect(parseServeOptions(parameters, environment)?.port).toBe(option ?? variable ?? 8080)
    }),
  )
})

test('an empty PORT counts as unset', () => {
  expect(parseServeOptions(['a.mjs'], { PORT: '' })?.port).toBe(8080)
})

test('other options have defaults, and a base path loses its trailing slash', () => {
  expect(parseServeOptions(['a.mjs'], {})).toEqual({
    source: 'a.mjs',
    port: 8080,
    host: '127.0.0.1',
    basePath: '/rest',
    journal: null,
    database: null,
    schema: null,
    copy: false,
    openApi: false,
    metrics: false,
    operator: false,
    stopDelay: 0,
    drain: 10_000,
    slow: null,
    plain: false,
    save: false,
    watch: false,
    cors: false,
  })
  expect(parseServeOptions(['a.mjs', '--base-path', '/a/b/'], {})?.basePath).toBe('/a/b')
})

test('the times for stopping are in seconds', () => {
  const options = parseServeOptions(['a.mjs', '--stop-delay', '2.5', '--drain-seconds', '60'], {})
  expect([options?.stopDelay, options?.drain]).toEqual([2500, 60_000])
  for (const wrong of ['-1', 'soon', '3601', ''])
    expect(() => parseServeOptions(['a.mjs', `--stop-delay=${wrong}`], {})).toThrow(
      '--stop-delay must be seconds from 0 to 3600',
    )
})
