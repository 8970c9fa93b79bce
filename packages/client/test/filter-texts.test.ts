import { isEntiaError } from '@entia/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { openRemote } from './company.ts'

const value = fc.constantFrom(
  ...[
    "'x & y'",
    '"x y"',
    '"it\'s"',
    "'\\u0022'",
    "'a\\b'",
    'a\\b',
    "b,'x",
    '"order by code"',
    "' order by text'",
    'x"y',
    '\\"x',
    '5',
  ],
)
const comparison = fc
  .tuple(fc.constantFrom('code', 'text'), fc.constantFrom(' = ', '!=', ' begin', ' like '), value)
  .map((parts) => parts.join(''))
const condition = fc.oneof(
  { weight: 5, arbitrary: comparison },
  fc.constantFrom(`"text = 'x & y'"`, `'code != "x y"'`),
)
const filter = fc
  .tuple(
    fc.array(condition, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(' and ', ' or ', '|', '&'),
  )
  .map(([parts, joint]) => parts.join(joint))
const order = fc.constantFrom('', '', ' order by text desc, code', '\tORDER by code desc')

/** A template without values. */
const template = (text: string) => [text] as unknown as TemplateStringsArray

describe('a filter text', () => {
  test('selects the same entities in the same order as in the store', async () => {
    const { remote, store } = openRemote()
    const words = [
      'x & y',
      'x y',
      "it's",
      '"',
      'a\\b',
      "b,'x",
      'order by code',
      ' order by text',
      'x"y',
      '\\"x',
      '5',
    ]
    for (const word of words) store.Code.insert({ code: word, text: word })
    const local = (text: string) => {
      try {
        return store.Code.query(text).keys()
      } catch (error) {
        if (isEntiaError(error)) return 'refused'
        throw error
      }
    }
    await fc.assert(
      fc.asyncProperty(filter, order, async (first, tail) => {
        const request = remote.Code.query(template(first + tail)).toArray()
        const found = await request.then(
          (entities) => entities.map(({ key }) => key),
          () => 'refused',
        )
        expect(found).toEqual(local(first + tail))
      }),
      runs(300),
    )
  })

  test('is combined with an earlier filter as a separate condition', async () => {
    const { remote, store } = openRemote()
    for (const code of ['x & y', 'x y', '"', 'a\\b']) store.Code.insert({ code, text: code })
    await fc.assert(
      fc.asyncProperty(filter, filter, async (first, second) => {
        fc.pre(!/begin\S/.test(first + second))
        const found = await remote.Code.query(template(first)).query(template(second)).toArray()
        expect(found.map(({ key }) => key)).toEqual(store.Code.query(first).query(second).keys())
      }),
      runs(200),
    )
  })
})
