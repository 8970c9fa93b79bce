import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, openApiOf } from '../../src/index.ts'
import { DocumentValidator } from '../openapi/document-validator.ts'
import { createThings } from './every-type.ts'
import { expectError, get, send } from './send.ts'

const PATHS = [
  ...['flag', 'small', 'real', 'text', 'token', 'day', 'moment', 'span', 'double', 'loud'],
  ...['ownerName', 'ownerSince', 'owner.name', 'owner.since', 'notes.rank', 'notes.tags'],
  ...['day.month', 'moment.quarter', 'moment.day', 'owner.since.year', 'owner.code'],
]
const FUNCTIONS = ['count', 'countDistinct', 'min', 'max'] as const
const NUMBERS = ['small', 'big', 'real', 'span', 'double']

/** The answers of the store in the form of the protocol. */
function inProtocol(row: { readonly [name: string]: unknown }): object {
  const isDay = (name: string) =>
    /^(day|ownerSince|owner\.since)$|\.(day|month|quarter|year)$/.test(name)
  const bounds = (value: object): object =>
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        typeof each === 'string' && /^\d{4}-\d\d-\d\d$/.test(each) ? `${each}T00:00:00.000Z` : each,
      ]),
    )
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null
        ? bounds(value)
        : isDay(name) && value !== null
          ? `!!${value}!!`
          : value,
    ]),
  )
}

test('groups over HTTP equal those of the store', async () => {
  const store = createThings()
  const things = createRestHandler(store)
  const validator = new DocumentValidator(openApiOf(store))
  const functions = fc.uniqueArray(fc.constantFrom(...FUNCTIONS), { minLength: 1 })
  const sums = fc.uniqueArray(fc.constantFrom('sum' as const, 'average' as const, ...FUNCTIONS), {
    minLength: 1,
  })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...PATHS), { minLength: 1, maxLength: 2 }),
      fc.dictionary(fc.constantFrom('text', 'day', 'moment', 'owner.since'), functions, {
        maxKeys: 2,
      }),
      fc.dictionary(fc.constantFrom(...NUMBERS), sums, { maxKeys: 2 }),
      fc.constantFrom('', 'ID > 1', 'flag = true', 'ID > 9'),
      fc.nat(2),
      fc.nat(2),
      fc.nat(2),
      fc.boolean(),
      async (paths, some, numbers, filter, least, skip, top, isDescending) => {
        const clash = (path: string) =>
          paths.some(
            (name) => name === path || name.startsWith(`${path}.`) || path.startsWith(`${name}.`),
          )
        fc.pre(!paths.some((name) => paths.some((other) => other.startsWith(`${name}.`))))
        const given = Object.entries({ ...some, ...numbers }).filter(([path]) => !clash(path))
        const aggregates = { count: true as const, ...Object.fromEntries(given) }
        const direction = isDescending ? ' desc' : ''
        const expected = store.Thing.query(filter)
          .groupBy(paths.join(',') as string, aggregates as never)
          .having('count >= :1', [least])
          .orderBy(`count${direction}`)
        const list = ['count', ...given.flatMap(([path, each]) => each.map((f) => `${path}.${f}`))]
        const url =
          `/rest/Thing?$groupby=${paths}&$aggregates=${list}&$having="count >= :1"&$params=[${least}]` +
          `&$orderby=count${direction}&$skip=${skip}&$top=${top}&$filter=${filter}`
        const { status, body, headers } = await get(things, encodeURI(url))
        const rows = expected.page(skip, top).toArray().map(inProtocol)
        expect([status, body]).toEqual([
          200,
          {
            __DATACLASS: 'Thing',
            __GlobalStamp: store.globalStamp,
            __COUNT: expected.count,
            __FIRST: skip,
            __GROUPS: rows,
            __SENT: rows.length,
          },
        ])
        const exchange = { method: 'GET', url: encodeURI(url), status, answered: body }
        expect(validator.faultsOf({ ...exchange, contentType: headers['content-type'] })).toEqual(
          [],
        )
      },
    ),
    runs(100),
  )
})

describe('$groupby', () => {
  const things = () => createRestHandler(createThings())

  test('answers a bare array, plans and explanations on request', async () => {
    const rest = things()
    const url = '/rest/Thing?$groupby=owner.name&$aggregates=count&$filter="small > -9"'
    const rows = [
      { 'owner.name': 'Olga', count: 1 },
      { 'owner.name': 'Otto', count: 1 },
    ]
    expect((await get(rest, `${url}&$asArray=true`)).body).toEqual(rows)
    const { body } = await get(rest, `${url}&$queryplan=true&$explain=true`)
    expect(body.__GROUPS).toEqual(rows)
    expect(body.__queryPlan.item).toContain('small')
    expect(body.__explain.text).toContain('groupByColumns  Thing by owner.name: count')
    const steps = await get(rest, `${url}&$having="count > 0"&$orderby=count&$top=1&$explain=true`)
    let node = steps.body.__explain.root
    for (const operator of ['page', 'sort', 'having']) {
      const members = 'operator detail estimatedRows isExact index actualRows milliseconds inputs'
      expect([node.operator, ...Object.keys(node)]).toEqual([operator, ...members.split(' ')])
      node = node.inputs[0]
    }
  })

  test('groups related entities, and the living members of a set', async () => {
    const rest = things()
    const related = '/rest/Owner(o1)/things?$groupby=flag&$aggregates=count,small.sum'
    expect((await get(rest, related)).body.__GROUPS).toEqual([
      { flag: true, count: 1, small: { sum: -3 } },
    ])
    const { body } = await get(rest, '/rest/Thing?$method=entityset')
    await send(rest, 'DELETE', '/rest/Thing[2]')
    const set = body.__ENTITYSET as string
    expect((await get(rest, `${set}?$groupby=flag&$aggregates=count`)).body.__GROUPS).toEqual([
      { flag: null, count: 1 },
      { flag: true, count: 1 },
    ])
  })

  test('answers at most maxTop groups, and their total number', async () => {
    const rest = createRestHandler(createThings(), { limits: { maxTop: 2 } })
    const { __COUNT, __SENT } = (await get(rest, '/rest/Thing?$groupby=ID')).body
    expect([__COUNT, __SENT]).toEqual([3, 2])
  })

  // biome-ignore format: a table
  test.each<[what: string, query: string, status: number, ...codes: number[]]>([
    ['an unknown attribute', '$groupby=nope', 404, 1500, 1804],
    ['one that is not exposed', '$groupby=hidden', 404, 1500, 1804],
    ['one behind a relation', '$groupby=owner.secret', 404, 1500, 1804],
    ['a span of a text', '$groupby=text.month', 404, 1508, 1804],
    ['a relation', '$groupby=owner', 400, 1508],
    ['an image', '$groupby=photo', 400, 1508],
    ['an empty name', '$groupby=text,,flag', 400, 9100],
    ['an unknown function', '$groupby=text&$aggregates=small.median', 400, 9100],
    ['an aggregate of an unknown attribute', '$groupby=text&$aggregates=hidden.max', 404, 1500, 1804],
    ['a sum of texts', '$groupby=flag&$aggregates=text.sum', 400, 1508],
    ['a value and its aggregate', '$groupby=small&$aggregates=small.sum', 400, 9056],
    ['an order of members', '$groupby=text&$orderby=small', 404, 1500, 1810],
    ['a malformed order', '$groupby=text&$orderby=text up', 400, 1810],
    ['a condition on members', '$groupby=text&$having=small>1', 400, 1500, 1201],
    ['a malformed condition', '$groupby=text&$having=count>', 400, 1162],
    ['a missing value', '$groupby=text&$aggregates=count&$having="count > :1"', 400, 1279],
    ['too many attributes', `$groupby=${Array(70).fill('text')}`, 400, 9055],
    ['$having alone', '$having=count>1', 400, 1813],
    ['$aggregates alone', '$aggregates=count', 400, 1813],
    ['$compute', '$groupby=text&$compute=sum', 400, 1813],
    ['$distinct', '$groupby=text&$distinct=true', 400, 1813],
    ['$attributes', '$groupby=text&$attributes=flag', 400, 1813],
    ['$format', '$groupby=text&$format=dashboard', 400, 1813],
    ['an entity set', '$groupby=text&$method=entityset', 400, 1813],
  ])('refuses %s', async (_what, query, status, ...codes) => {
    expectError(await get(things(), encodeURI(`/rest/Thing?${query}`)), status, ...codes)
  })

  test('is refused for one entity, an attribute in the address, and a deletion', async () => {
    const rest = things()
    expectError(await get(rest, '/rest/Thing[1]?$groupby=text'), 400, 1813)
    expectError(await get(rest, '/rest/Thing/small?$groupby=text'), 400, 1813)
    expectError(await send(rest, 'DELETE', '/rest/Thing?$filter="ID>0"&$groupby=text'), 400, 1813)
    expect((await get(rest, '/rest/Thing?$top=0')).body.__COUNT).toBe(3)
  })

  test('groups only entities that the caller may see', async () => {
    const rest = createRestHandler(createThings(), {
      authorize: ({ dataClass, action, attribute }) =>
        attribute === 'small'
          ? false
          : action === 'read' && dataClass === 'Owner' && attribute === undefined
            ? 'code = o1'
            : true,
    })
    const url = '/rest/Thing?$groupby=owner.name&$aggregates=count'
    expect((await get(rest, url)).body.__GROUPS).toEqual([
      { 'owner.name': null, count: 2 },
      { 'owner.name': 'Olga', count: 1 },
    ])
    expectError(await get(rest, `${url},small.sum`), 404, 1500, 1804)
  })
})
