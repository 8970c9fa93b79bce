import { isEntiaError } from '@entia/core'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { jsonOfForm } from '../../src/transport/body/form-body.ts'

const FORM = 'application/x-www-form-urlencoded; charset=utf-8'
const lengthOf = (text: string) => new TextEncoder().encode(text).length

/**
 * Parses as form parsers do: names and values, `+` as a blank, decoded escapes, a list for a
 * repeated name.
 */
function parseForm(text: string): object {
  const parsed: { [name: string]: string | string[] } = {}
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const [name = '', ...rest] = pair.split('=').map(undo)
    const before = parsed[name]
    const value = rest.join('=')
    parsed[name] = before === undefined ? value : [before, value].flat()
  }
  return parsed
}

function undo(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

const reported = (text: string): string | null => {
  try {
    return jsonOfForm(parseForm(text), FORM, lengthOf(text))
  } catch (error) {
    if (isEntiaError(error, 'bodyMalformed')) return null
    throw error
  }
}

test('JSON that a form parser split is restored exactly or refused', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '1', ' ', '+', '=', '&', '%41', '%', 'é', "'"),
    maxLength: 6,
  })
  const json = fc.dictionary(text, fc.oneof(text, fc.integer()), { maxKeys: 3 })
  let restored = 0
  fc.assert(
    fc.property(json, fc.boolean(), (value, isIndented) => {
      const sent = JSON.stringify(value, null, isIndented ? 1 : 0)
      const answer = reported(sent)
      if (answer === null) return
      restored++
      expect(answer).toBe(sent)
    }),
    runs(1000, 1000),
  )
  expect(restored).toBeGreaterThan(50)
})

test.each(['{"a":"x"}', '{ "a" : "x=y&z" }', '{"a":1}', '{"a":["x"]}'])(
  '%s is restored',
  (sent) => {
    expect(reported(sent)).toBe(sent)
  },
)

test.each(['{"a":"+"}', '{"a":" "}', '{"a":"%41"}', '{"a":"x=&y"}', '{"a":"&b&b&c"}'])(
  '%s is refused',
  (sent) => {
    expect(reported(sent)).toBeNull()
  },
)

test('an array whose brackets a form parser read as a path is refused', () => {
  expect(() => jsonOfForm({ '"ada","secret"': '' }, FORM, 16)).toThrow(
    'run this handler before that parser',
  )
  expect(() => jsonOfForm({ '{"x":1}': '' }, FORM, 9)).toThrow(
    'run this handler before that parser',
  )
})

test('values parsed as JSON and forms of names and values are not restored', () => {
  expect(jsonOfForm({ '{"a":1}': '' }, 'application/json', 7)).toBeNull()
  expect(jsonOfForm({ lastName: 'x' }, FORM, 16)).toBeNull()
  expect(jsonOfForm([{ lastName: 'x' }], FORM, 18)).toBeNull()
})
