import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { fixedPorts } from './models.ts'
import { expectError, get, post, result } from './send.ts'

let rest: RestHandler
beforeEach(() => {
  const reported = { exposed: true, onHttpGet: true, run: (_: unknown, ...sent: unknown[]) => sent }
  const Part = defineDataClass(
    'Part',
    { ID: attribute.long({ key: true, autoSequence: true }), name: attribute.string() },
    {
      functions: {
        ofClass: { on: 'dataClass', ...reported },
        ofSome: { on: 'selection', ...reported },
        ofOne: { on: 'entity', ...reported },
      },
    },
  )
  const store = createDataStore({
    name: 'parts',
    dataClasses: [Part],
    functions: { ofStore: reported },
    singletons: { Factory: { ofSingleton: reported } },
    ...fixedPorts(),
  })
  store.Part.insert({ name: 'bolt' })
  rest = createRestHandler(store)
})

const ADDRESSES = [
  '/rest/Part/ofClass',
  '/rest/Part/ofSome',
  '/rest/Part[1]/ofOne',
  '/rest/$catalog/ofStore',
  '/rest/$singleton/Factory/ofSingleton',
]

/**
 * The ways in which clients write an address: escaping only what ends a path, escaping everything,
 * escaping brackets, too.
 */
const WAYS: readonly ((list: string) => string)[] = [
  (list) =>
    `(${list.replace(/[%?#&]/g, encodeURIComponent).replace(/[^!-~]/gu, encodeURIComponent)})`,
  (list) => `(${encodeURIComponent(list)})`,
  (list) => encodeURIComponent(`(${list})`).replaceAll('(', '%28').replaceAll(')', '%29'),
]

describe('parameters in the address of a function', () => {
  test('arrive as JSON values at every kind of function', async () => {
    const value = fc.oneof(
      fc.constantFrom(
        '',
        'a,b',
        "O'Hara",
        'x) and (y',
        'a/b',
        '"',
        '%41',
        '50%',
        '[',
        ')',
        ',',
        'é名',
        '$x=1',
        '1',
        'true',
      ),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constant([1, { a: 'b,c' }]),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 4 }),
        fc.constantFrom(...ADDRESSES),
        fc.constantFrom(...WAYS),
        fc.constantFrom(get, post),
        async (sent, address, way, verb) => {
          // A slash between quotes is part of a text only where the text ends before a comma or a
          // parenthesis.
          fc.pre(way !== WAYS[0] || !JSON.stringify(sent).includes('\\"'))
          const list = JSON.stringify(sent).slice(1, -1)
          expect(await result(verb(rest, `${address}${way(list)}`))).toEqual(sent)
        },
      ),
      runs(300),
    )
  })

  test.each<[string, unknown[]]>([
    ['John,Smith', ['John', 'Smith']],
    ["1,'a,b'", [1, 'a,b']],
    ["'a/b', 'c)d' ,true", ['a/b', 'c)d', true]],
    ["'O'Hara',null", ["O'Hara", null]],
    ['New York', ['New York']],
    ["'1',1", ['1', 1]],
    ['a(b),c', ['a(b)', 'c']],
    ['', []],
    ["''", ['']],
    ['2024-01-31', ['2024-01-31']],
  ])('(%s) as texts between commas', async (list, sent) => {
    for (const address of ADDRESSES)
      for (const way of WAYS)
        expect(await result(get(rest, `${address}${way(list)}`))).toEqual(sent)
  })

  test('work for functions of entity sets, too', async () => {
    const set = (await get(rest, '/rest/Part?$method=entityset')).body.__ENTITYSET
    expect(await result(get(rest, `${set}/ofSome(1,'a')`))).toEqual([1, 'a'])
    expect(
      await result(get(rest, `/rest/Part/ofSome(1,2)/$entityset/${set.split('/').at(-1)}`)),
    ).toEqual([1, 2])
  })

  test.each([
    ["/rest/Part/ofClass('a)", 400, 1806],
    ['/rest/Part/ofClass(a,,b)', 400, 1806],
    ['/rest/Part/ofClass(1e999)', 400, 9111],
    ['/rest/Part/nothing(1)', 404, 1827],
    ['/rest/Part/name(1)', 404, 1827],
    ['/rest/$catalog/Part(1)', 404, 1827],
    ['/rest/$catalog/nothing(1,2)', 404, 1827],
    ['/rest/$singleton/Factory/nothing(1)', 404, 1827],
    ['/rest/Part/ofClass(1)?$params=[2]', 400, 1806],
  ])('GET %s is %d', async (address, status, code) => {
    expectError(await get(rest, address), status, code)
  })

  test('are refused if the body has parameters as well', async () => {
    expectError(await post(rest, '/rest/Part/ofClass(1)', [2]), 400, 1806)
    expect(await result(post(rest, '/rest/Part/ofClass(1)', ''))).toEqual([1])
  })
})
