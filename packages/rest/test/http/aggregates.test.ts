import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { DocumentValidator } from '../openapi/document-validator.ts'
import { createThings, EVERY_TYPE } from './every-type.ts'
import { expectError, get, send } from './send.ts'

let things: RestHandler
beforeEach(() => {
  things = createRestHandler(createThings())
})

interface Row {
  readonly attribute: string
  /** The answer to `$compute=$all`; without sum and average if they do not exist. */
  readonly all: { readonly count: number; readonly sum?: number; readonly average?: number } & {
    readonly min: unknown
    readonly max: unknown
  }
  readonly distinct: readonly unknown[]
}

const FIRST = '00112233445566778899AABBCCDDEEFF'
const SECOND = 'FF112233445566778899AABBCCDDEEFF'
const HUGE = Number.MAX_SAFE_INTEGER

// biome-ignore format: a table
const TYPES: readonly Row[] = [
  { attribute: 'ID', all: { count: 3, sum: 6, average: 2, min: 1, max: 3 }, distinct: [1, 2, 3] },
  { attribute: 'flag', all: { count: 2, min: false, max: true }, distinct: [false, true] },
  { attribute: 'small', all: { count: 2, sum: 1, average: 0.5, min: -3, max: 4 }, distinct: [-3, 4] },
  { attribute: 'big', all: { count: 2, sum: HUGE, average: HUGE / 2, min: 0, max: HUGE }, distinct: [0, HUGE] },
  { attribute: 'real', all: { count: 2, sum: 1, average: 0.5, min: -0.5, max: 1.5 }, distinct: [-0.5, 1.5] },
  // Equal, but for case and accents: the first is shown.
  { attribute: 'text', all: { count: 2, min: 'Été', max: 'Été' }, distinct: ['Été'] },
  { attribute: 'token', all: { count: 2, min: FIRST, max: SECOND }, distinct: [FIRST, SECOND] },
  { attribute: 'day', all: { count: 2, min: '2023-05-01T00:00:00.000Z', max: '2024-01-31T00:00:00.000Z' }, distinct: ['!!2023-05-01!!', '!!2024-01-31!!'] },
  { attribute: 'moment', all: { count: 2, min: '2024-01-31T08:05:09.250Z', max: '2025-12-31T23:59:59.999Z' }, distinct: ['2024-01-31T08:05:09.250Z', '2025-12-31T23:59:59.999Z'] },
  { attribute: 'span', all: { count: 2, sum: 90_500, average: 45_250, min: 0, max: 90_500 }, distinct: [0, 90_500] },
  { attribute: 'double', all: { count: 2, sum: 2, average: 1, min: -1, max: 3 }, distinct: [-1, 3] },
  { attribute: 'loud', all: { count: 2, min: 'Été!', max: 'Été!' }, distinct: ['Été!'] },
  { attribute: 'ownerName', all: { count: 2, min: 'Olga', max: 'Otto' }, distinct: ['Olga', 'Otto'] },
  { attribute: 'ownerSince', all: { count: 1, min: '1999-12-31T00:00:00.000Z', max: '1999-12-31T00:00:00.000Z' }, distinct: ['!!1999-12-31!!'] },
  // Text before numbers; no sum where not all are numbers.
  { attribute: 'notes.rank', all: { count: 2, min: 'b', max: 2 }, distinct: ['b', 2] },
  // Of an array, its elements.
  { attribute: 'notes.tags', all: { count: 1, min: 'x', max: 'x' }, distinct: ['x'] },
]

describe.each(TYPES)('$attribute', ({ attribute, all, distinct }) => {
  const KEYWORDS = ['count', 'sum', 'average', 'min', 'max'] as const

  test('$compute=$all', async () => {
    expect((await get(things, `/rest/Thing/${attribute}?$compute=$all`)).body).toEqual({
      [attribute]: all,
    })
    // The attribute may be named in both ways.
    expect((await get(things, `/rest/Thing?$attributes=${attribute}&$compute=$all`)).body).toEqual({
      [attribute]: all,
    })
  })

  test.each(KEYWORDS)('$compute=%s', async (keyword) => {
    const reply = await get(things, `/rest/Thing/${attribute}?$compute=${keyword}`)
    if (Object.hasOwn(all, keyword)) expect([reply.status, reply.body]).toEqual([200, all[keyword]])
    else expectError(reply, 400, 1508)
  })

  test('$distinct=true, and its pages', async () => {
    const page = async (query: string) =>
      (await get(things, `/rest/Thing/${attribute}?$distinct=true${query}`)).body as unknown[]
    expect(await page('')).toEqual(distinct)
    expect(await page('&$top=1')).toEqual(distinct.slice(0, 1))
    expect(await page('&$skip=1&$limit=5')).toEqual(distinct.slice(1))
    expect(await page('&$skip=9')).toEqual([])
    expect(await page('&$top=0')).toEqual([])
  })

  test('$compute over distinct values', async () => {
    const url = `/rest/Thing/${attribute}?$distinct=true&$compute=`
    expect((await get(things, `${url}count`)).body).toBe(distinct.length)
    expect((await get(things, `${url}min`)).body).toEqual(all.min)
    expect((await get(things, `${url}max`)).body).toEqual(all.max)
    const sum = await get(things, `${url}sum`)
    // No number occurs twice here.
    if (Object.hasOwn(all, 'sum')) expect(sum.body).toBe(all.sum)
    else expectError(sum, 400, 1508)
    expect((await get(things, `${url}$all`)).body).toEqual({
      [attribute]: { ...all, count: distinct.length },
    })
  })
})

describe('an empty selection', () => {
  test.each(EVERY_TYPE)('of %s has count 0, sum 0, and no other aggregate', async (attribute) => {
    const url = `/rest/Thing/${attribute}?$filter="ID > 99"`
    const { [attribute]: all } = (await get(things, `${url}&$compute=$all`)).body
    const isNumeric = ['small', 'big', 'real', 'span'].includes(attribute)
    expect(all).toEqual({
      count: 0,
      ...(isNumeric ? { sum: 0, average: null } : {}),
      min: null,
      max: null,
    })
    for (const keyword of ['count', 'min', 'max', ...(isNumeric ? ['sum', 'average'] : [])])
      expect([keyword, (await get(things, `${url}&$compute=${keyword}`)).body]).toEqual([
        keyword,
        all[keyword],
      ])
    expect((await get(things, `${url}&$distinct=true`)).body).toEqual([])
  })
})

describe('aggregates and distinct values', () => {
  test('are over the filtered selection, independent of the page', async () => {
    const url = '/rest/Thing/small?$filter="flag = false"&$skip=5&$top=0&$orderby=ID'
    expect((await get(things, `${url}&$compute=sum`)).body).toBe(4)
  })

  test('$all answers one member per attribute; one keyword answers for the first attribute', async () => {
    const { body } = await get(things, '/rest/Thing/small,text?$compute=$all')
    expect(Object.keys(body)).toEqual(['small', 'text'])
    expect((await get(things, '/rest/Thing/small,text?$compute=max')).body).toBe(4)
    expect((await get(things, '/rest/Thing/small?$compute=all')).body).toEqual({
      small: expect.any(Object),
    })
  })

  test('of a set skip deleted entities', async () => {
    const { body } = await get(things, '/rest/Thing?$method=entityset')
    await send(things, 'DELETE', '/rest/Thing[2]')
    const set = body.__ENTITYSET.replace('/rest/Thing', '/rest/Thing/small')
    expect((await get(things, `${set}?$compute=$all`)).body.small).toMatchObject({
      count: 1,
      sum: -3,
    })
    expect((await get(things, `${set}?$distinct=true`)).body).toEqual([-3])
  })

  test('cover the related entities of the relation in the address', async () => {
    const { body } = await get(things, '/rest/Owner[o1]/things?$attributes=small&$compute=sum')
    expect(body).toBe(-3)
  })

  test('sums are rounded once, over distinct values too', async () => {
    const store = createThings()
    for (const real of [0.1, 0.2, 0.3, 0.3]) store.Thing.insert({ real, flag: true })
    const rest = createRestHandler(store)
    const url = '/rest/Thing/real?$filter="ID > 3"'
    expect((await get(rest, `${url}&$compute=sum`)).body).toBe(0.9)
    expect((await get(rest, `${url}&$compute=sum&$distinct=true`)).body).toBe(0.6)
  })

  test('a sum that exceeds the largest double is null, and so is its average; the document says so', async () => {
    const store = createThings()
    for (const real of [1.5e308, 1.5e308]) store.Thing.insert({ real, flag: true })
    const rest = createRestHandler(store, { openapi: true })
    const url = '/rest/Thing/real?$filter="ID > 3"'
    expect((await get(rest, `${url}&$compute=sum`)).body).toBeNull()
    expect((await get(rest, `${url}&$compute=average`)).body).toBeNull()
    const all = await get(rest, `${url}&$compute=$all`)
    expect(all.body).toEqual({
      real: { count: 2, sum: null, average: null, min: 1.5e308, max: 1.5e308 },
    })
    const validator = new DocumentValidator((await get(rest, '/rest/$openapi')).body)
    const exchange = {
      method: 'GET',
      url,
      status: 200,
      contentType: 'application/json',
      answered: all.body,
    }
    expect(validator.faultsOf(exchange)).toEqual([])
  })

  test.each([
    ['Thing/owner', 1508],
    ['Thing/owner.name', 1508],
    ['Thing/photo', 1508],
    ['Thing/data', 1508],
    ['Thing/notes', 1508],
    ['Owner/things', 1508],
  ])('%s is refused', async (path, code) => {
    for (const query of [
      '$compute=count',
      '$compute=$all',
      '$distinct=true',
      '$compute=count&$distinct=true',
    ])
      expectError(await get(things, `/rest/${path}?${query}`), 400, code)
  })

  test('require an attribute that the caller may see', async () => {
    for (const query of [
      '$compute=count',
      '$compute=$all',
      '$distinct=true',
      '$distinct=true&$attributes=*',
    ]) {
      expectError(await get(things, `/rest/Thing?${query}`), 400, 1816)
      if (query.includes('*')) continue
      expectError(await get(things, `/rest/Thing/hidden?${query}`), 404, 1500, 1804)
      expectError(await get(things, `/rest/Thing/nosuch?${query}`), 404, 1500, 1804)
    }
    expectError(await get(things, '/rest/Thing/small?$compute=median'), 400, 1817)
    expectError(await get(things, '/rest/Thing/small,text?$distinct=true'), 400, 9100)
    expectError(await get(things, '/rest/Thing/text.length?$distinct=true'), 404, 1508, 1804)
  })
})
