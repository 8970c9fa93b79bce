import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { errCodes, expectError, get, post, type Reply, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler

beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

const SET = /^\/rest\/(\w+)\/\$entityset\/([0-9A-F]{32})$/

/** The address of the set that a read creates. */
async function keep(address: string): Promise<string> {
  const reply = await get(
    rest,
    `/rest/${address}${address.includes('?') ? '&' : '?'}$method=entityset`,
  )
  expect(reply.status).toBe(200)
  expect(reply.body.__ENTITYSET).toMatch(SET)
  return reply.body.__ENTITYSET
}

const idOf = (address: string): string => SET.exec(address)?.[2] ?? ''
const keysOf = (reply: Reply): readonly (string | null)[] =>
  reply.body.__ENTITIES.map((entity: { __KEY?: string }) => entity.__KEY ?? null)
const counts = ({ body }: Reply): readonly number[] => [body.__COUNT, body.__FIRST, body.__SENT]
const UNDEFINED = { __STAMP: 0 }
const GONE = '0123456789ABCDEF0123456789ABCDEF'

describe('creating a set', () => {
  test('answers its address as the first member and in Content-Location', async () => {
    const reply = await get(rest, '/rest/Company?$top=1&$skip=1&$method=entityset&$queryplan=true')
    const members = Object.keys(reply.body)
    expect(members[0]).toBe('__ENTITYSET')
    expect(members.slice(1, 4)).toEqual(['__queryPlan', '__extendedQueryPlan', '__DATACLASS'])
    expect(reply.body.__ENTITYSET).toMatch(SET)
    expect(reply.headers['content-location']).toBe(reply.body.__ENTITYSET)
    expect(counts(reply)).toEqual([4, 1, 1])
  })

  test('keeps the whole sorted selection, whatever page the answer shows', async () => {
    const set = await keep('Employee?$filter="salary>0"&$orderby=salary&$top=1&$skip=1')
    const reply = await get(rest, set)
    expect(keysOf(reply)).toEqual(['3', '2', '1'])
    expect(counts(reply)).toEqual([3, 0, 3])
  })

  test('keeps the order of a filter', async () => {
    const set = await keep('Employee?$filter="ID>0 order by firstName desc"')
    expect(keysOf(await get(rest, set))).toEqual(['2', '4', '3', '1'])
  })

  test('keeps a relation as a set of its target', async () => {
    const set = await keep('Company(1)/employees?$orderby=firstName%20desc')
    expect(set).toMatch(/^\/rest\/Employee\//)
    expect(keysOf(await get(rest, set))).toEqual(['2', '1'])
  })

  test('names the set only in the header if the answer is an array', async () => {
    const reply = await get(rest, '/rest/Company?$method=entityset&$asArray=true')
    expect(reply.body).toHaveLength(4)
    expect(keysOf(await get(rest, reply.headers['content-location'] ?? ''))).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
  })

  test('answers an address that begins with basePath', async () => {
    const other = createRestHandler(store, { basePath: '/api/v1' })
    const set = (await get(other, '/api/v1/Company?$method=entityset')).body.__ENTITYSET
    expect(set).toMatch(/^\/api\/v1\/Company\/\$entityset\/[0-9A-F]{32}$/)
    expect(counts(await get(other, set))).toEqual([4, 0, 4])
  })

  test('works with POST', async () => {
    expect((await post(rest, '/rest/Company?$method=entityset')).body.__ENTITYSET).toMatch(SET)
  })

  test('requires $method=entityset: plain reads create none', async () => {
    await get(rest, '/rest/Company?$filter="ID>1"')
    expect(store.entitySets.size).toBe(0)
  })

  test('is refused for one entity and for values', async () => {
    for (const address of [
      'Company(1)?$method=entityset',
      'Employee(1)/employer?$method=entityset',
      'Company(1)/name?$method=entityset',
      'Company/revenue?$compute=sum&$method=entityset',
      'Company/city?$distinct=true&$method=entityset',
    ])
      expectError(await get(rest, `/rest/${address}`), 400, 1813)
    expect(store.entitySets.size).toBe(0)
  })

  test('is skipped if the request fails', async () => {
    for (const address of [
      'Company?$filter="name=="',
      'Company?$orderby=nothing',
      'Company?$attributes=nothing',
    ])
      expect((await get(rest, `/rest/${address}&$method=entityset`)).status).toBeGreaterThanOrEqual(
        400,
      )
    expectError(await get(rest, '/rest/Company(99)/employees?$method=entityset'), 404, 1543)
    expect(store.entitySets.size).toBe(0)
  })

  test('is refused for a page of another site', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect(
      (await send(rest, 'GET', '/rest/Company?$method=entityset', undefined, headers)).status,
    ).toBe(403)
    expect(store.entitySets.size).toBe(0)
  })
})

describe('reading a set', () => {
  test('answers the envelope without the address of the set', async () => {
    const reply = await get(rest, await keep('Company'))
    expect(Object.keys(reply.body)).toEqual([
      '__DATACLASS',
      '__entityModel',
      '__GlobalStamp',
      '__COUNT',
      '__FIRST',
      '__ENTITIES',
      '__SENT',
    ])
    expect(reply.headers['content-location']).toBeUndefined()
  })

  test('returns pages, also past the end', async () => {
    const set = await keep('Employee?$orderby=firstName')
    const page = await get(rest, `${set}?$skip=1&$top=2`)
    expect([keysOf(page), counts(page)]).toEqual([
      ['3', '4'],
      [4, 1, 2],
    ])
    expect(counts(await get(rest, `${set}?$skip=9&$limit=2`))).toEqual([4, 9, 0])
    expect(counts(await get(rest, `${set}?$skip=-2&$limit=2`))).toEqual([4, 0, 2])
  })

  test('filters within it, in its order, and counts the result', async () => {
    const set = await keep('Employee?$orderby=firstName%20desc')
    const reply = await get(rest, `${set}?$filter="salary>=:1"&$params=[40000]`)
    expect([keysOf(reply), counts(reply)]).toEqual([
      ['2', '1'],
      [2, 0, 2],
    ])
  })

  test('$orderby orders the answer and leaves the set unchanged', async () => {
    const set = await keep('Employee?$orderby=firstName%20desc')
    expect(keysOf(await get(rest, `${set}?$orderby=lastName`))).toEqual(['1', '2', '3', '4'])
    expect(keysOf(await get(rest, set))).toEqual(['2', '4', '3', '1'])
  })

  test('projects and expands, with the attributes before or after the set', async () => {
    const set = await keep('Employee?$filter="ID=1"')
    const entity = async (address: string) => (await get(rest, address)).body.__ENTITIES[0]
    expect(await entity(`${set}?$attributes=firstName`)).toMatchObject({
      __KEY: '1',
      firstName: 'Ada',
    })
    for (const address of [
      `/rest/Employee/firstName,employer.name/$entityset/${idOf(set)}?$expand=employer`,
      `${set}/firstName,employer.name?$expand=employer`,
    ])
      expect(await entity(address)).toMatchObject({
        firstName: 'Ada',
        employer: { __KEY: '1', __STAMP: 1, name: 'Adobe' },
      })
    expect((await entity(`${set}?$expand=employer`)).employer.city).toBe('San Jose')
  })

  test('aggregates, distinct values, plans and arrays cover the set', async () => {
    const set = await keep('Employee?$filter="employer.name=Adobe"')
    expect((await get(rest, `${set}/salary?$compute=sum`)).body).toBe(90_000)
    expect(
      (await get(rest, `/rest/Employee/salary/$entityset/${idOf(set)}?$compute=max`)).body,
    ).toBe(50_000)
    expect((await get(rest, `${set}/lastName?$distinct=true`)).body).toEqual(['Byron', 'Hopper'])
    expect((await get(rest, `${set}?$asArray=true&$attributes=firstName`)).body).toMatchObject([
      { __KEY: 1 },
      {},
    ])
    expect((await get(rest, `${set}?$filter="salary>1"&$queryplan=true`)).body).toHaveProperty(
      '__queryPlan',
    )
  })

  test('members that no longer match stay and show current values', async () => {
    const set = await keep('Employee?$filter="salary=40000"')
    store.Employee.update(2, { salary: 1 })
    expect((await get(rest, set)).body.__ENTITIES).toMatchObject([{ __KEY: '2', salary: 1 }])
  })

  test('$method=subentityset only reads, since clients send it with every page', async () => {
    const set = await keep('Company?$orderby=name')
    const reply = await get(rest, `${set}?$limit=2&$skip=2&$method=subentityset`)
    expect(keysOf(reply)).toEqual(['2', '4'])
    expect(reply.body).not.toHaveProperty('__ENTITYSET')
    expect(keysOf(await get(rest, `${set}?$subOrderby=name%20desc&$method=subentityset`))).toEqual([
      '4',
      '2',
      '1',
      '3',
    ])
    expect(store.entitySets.size).toBe(1)
  })

  test('the id is accepted in lower case', async () => {
    const set = await keep('Company')
    expect((await get(rest, set.replace(idOf(set), idOf(set).toLowerCase()))).body.__COUNT).toBe(4)
  })

  test.each([
    ['Employee', ['1', '2', '3', '4']],
    ['Employee?$filter="salary>=30000"', ['1', '2', '3']],
    ['Employee?$orderby=salary', ['4', '3', '2', '1']],
    ['Employee?$filter="salary>=30000"&$orderby=salary', ['3', '2', '1']],
  ])('a set outlives the commit history: %s', async (address, keys) => {
    const set = await keep(`${address}${address.includes('?') ? '&' : '?'}$top=1`)
    for (let n = 0; n < 1100; n++) store.Employee.update(4, { salary: 31_000 + n })
    store.Employee.insert({ firstName: 'New', salary: 35_000 })
    expect(keysOf(await get(rest, set))).toEqual(keys)
  })
})

test('sets that the application creates from pages and combinations outlive the commit history', async () => {
  const { Employee, entitySets } = store
  const sorted = Employee.all().orderBy('salary')
  const ids = [sorted.page(1, 2), sorted.or(Employee.query('salary > 0')), sorted.and(sorted)].map(
    (selection) => entitySets.create(selection),
  )
  for (let n = 0; n < 1100; n++) Employee.update(4, { salary: 31_000 + n })
  const found = await Promise.all(
    ids.map(async (id) => keysOf(await get(rest, `/rest/Employee/$entityset/${id}`))),
  )
  expect(found).toEqual([
    ['3', '2'],
    ['4', '3', '2', '1'],
    ['4', '3', '2', '1'],
  ])
})

describe('$method=entityset on a set', () => {
  test('answers the same set if the request does not change it', async () => {
    const set = await keep('Company?$orderby=name')
    expect((await get(rest, `${set}?$method=entityset`)).body.__ENTITYSET).toBe(set)
    expect(
      (await get(rest, `${set}?$method=entityset&$top=1&$timeout=5&$attributes=name`)).body
        .__ENTITYSET,
    ).toBe(set)
    expect(store.entitySets.size).toBe(1)
  })

  test('creates another set for a filter, an order, $clean or an operation', async () => {
    const set = await keep('Company')
    const id = idOf(set)
    const changes = [
      '$filter="ID>2"',
      '$orderby=name',
      '$clean=true',
      `$logicOperator=OR&$otherCollection=${id}`,
      '$savedorderby=name',
    ]
    const made = await Promise.all(
      changes.map(
        async (change) => (await get(rest, `${set}?${change}&$method=entityset`)).body.__ENTITYSET,
      ),
    )
    expect(new Set([set, ...made]).size).toBe(6)
    expect(keysOf(await get(rest, made[0]))).toEqual(['3', '4'])
    expect(keysOf(await get(rest, made[1]))).toEqual(['3', '1', '2', '4'])
    expect(keysOf(await get(rest, set))).toEqual(['1', '2', '3', '4'])
  })
})

describe('deleted members', () => {
  let set: string
  beforeEach(async () => {
    set = await keep('Employee?$orderby=firstName')
    expect((await post(rest, '/rest/Employee(3)?$method=delete')).body).toEqual({ ok: true })
  })

  test('keep their position and are counted', async () => {
    const reply = await get(rest, set)
    expect(reply.body.__ENTITIES[1]).toEqual(UNDEFINED)
    expect([keysOf(reply), counts(reply)]).toEqual([
      ['1', null, '4', '2'],
      [4, 0, 4],
    ])
  })

  test('keep their position on a page and in an array', async () => {
    expect((await get(rest, `${set}?$skip=1&$top=1`)).body.__ENTITIES).toEqual([UNDEFINED])
    expect((await get(rest, `${set}?$asArray=true&$top=2`)).body[1]).toEqual(UNDEFINED)
  })

  test('come last if the read orders, also in descending order', async () => {
    expect(keysOf(await get(rest, `${set}?$orderby=firstName%20desc`))).toEqual([
      '2',
      '4',
      '1',
      null,
    ])
  })

  test('are skipped by filters, aggregates and distinct values', async () => {
    const filtered = await get(rest, `${set}?$filter="ID>0"`)
    expect([keysOf(filtered), counts(filtered)]).toEqual([
      ['1', '4', '2'],
      [3, 0, 3],
    ])
    expect((await get(rest, `${set}/ID?$compute=count`)).body).toBe(3)
    expect((await get(rest, `${set}/firstName?$distinct=true`)).body).toEqual([
      'Ada',
      'Émile',
      'Grace',
    ])
  })

  test('stay deleted when their record is used again', async () => {
    store.Employee.insert({ firstName: 'New', lastName: 'One' })
    expect(keysOf(await get(rest, set))).toEqual(['1', null, '4', '2'])
  })

  test('are left out of the answer by $clean, and stay in the set', async () => {
    const reply = await get(rest, `${set}?$clean=true`)
    expect([keysOf(reply), counts(reply)]).toEqual([
      ['1', '4', '2'],
      [3, 0, 3],
    ])
    expect(reply.body).not.toHaveProperty('__ENTITYSET')
    expect((await get(rest, set)).body.__COUNT).toBe(4)
  })

  test('are left out of the new set by $clean with $method=entityset', async () => {
    const cleaned = await keep(`${set.slice('/rest/'.length)}?$clean=true`)
    expect(cleaned).not.toBe(set)
    expect(counts(await get(rest, cleaned))).toEqual([3, 0, 3])
    expect(counts(await get(rest, set))).toEqual([4, 0, 4])
  })
})

describe('a missing set', () => {
  const ids = [
    GONE,
    'x',
    '__proto__',
    'constructor',
    '..',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '%00',
    '%F0%9F%98%80',
    'A'.repeat(31),
    'A'.repeat(33),
    'A'.repeat(5000),
  ]

  test.each(ids)('is error 1802, whatever the id (%#)', async (id) => {
    for (const query of [
      '',
      '?$method=release',
      '?$clean=true&$method=entityset',
      '?$method=subentityset',
    ]) {
      const reply = await get(rest, `/rest/Company/$entityset/${id}${query}`)
      expectError(reply, 404, 1802)
      expect(reply.text.length).toBeLessThan(400)
    }
    expectError(await post(rest, `/rest/Company/$entityset/${id}?$method=delete`), 404, 1802)
    expect(store.Company.all().count).toBe(4)
  })

  test.each(ids.slice(1))('cannot be recreated under an invalid id (%#)', async (id) => {
    expectError(await get(rest, `/rest/Company/$entityset/${id}?$savedfilter="ID>0"`), 404, 1802)
    expect(store.entitySets.size).toBe(0)
  })

  test('requires an id in the address', async () => {
    expectError(await get(rest, '/rest/Company/$entityset'), 400, 1806)
  })

  test('is error 1803 if the set belongs to another dataclass, which stays unchanged', async () => {
    const id = idOf(await keep('Company'))
    for (const query of ['', '?$method=release', '?$savedfilter="ID>0"', '?$method=subentityset'])
      expectError(await get(rest, `/rest/Employee/$entityset/${id}${query}`), 404, 1803)
    expectError(await post(rest, `/rest/Employee/$entityset/${id}?$method=delete`), 404, 1803)
    expect(store.entitySets.size).toBe(1)
    expect(store.Employee.all().count).toBe(4)
  })

  test('of a hidden dataclass is reported as an unknown dataclass', async () => {
    expectError(await get(rest, `/rest/Secret/$entityset/${GONE}`), 404, 1800)
  })

  test('is not reported for $none, which is the empty set', async () => {
    const reply = await get(rest, '/rest/Company/$entityset/$none')
    expect([reply.status, ...counts(reply)]).toEqual([200, 0, 0, 0])
    const set = await keep('Company?$filter="ID<3"')
    const query = `$logicOperator=OR&$otherCollection=${idOf(set)}`
    expect(keysOf(await get(rest, `/rest/Company/$entityset/$none?${query}`))).toEqual(['1', '2'])
    expect(keysOf(await get(rest, `${set}?$logicOperator=EXCEPT&$otherCollection=$none`))).toEqual([
      '1',
      '2',
    ])
    expectError(await get(rest, '/rest/Company/$entityset/$none?$method=release'), 404, 1802)
  })
})

describe('saved criteria', () => {
  const address = `/rest/Employee/$entityset/${GONE}`

  test('recreate a missing set under its id', async () => {
    const set = await keep('Employee?$filter="salary>30000"&$orderby=salary')
    await get(rest, `${set}?$method=release`)
    const reply = await get(rest, `${set}?$savedfilter="salary>30000"&$savedorderby=salary`)
    expect([reply.status, keysOf(reply)]).toEqual([200, ['2', '1']])
    expect(reply.body).not.toHaveProperty('__ENTITYSET')
    expect(keysOf(await get(rest, set))).toEqual(['2', '1'])
  })

  test('are used only as far as they are passed', async () => {
    const both = await get(rest, `${address}?$savedfilter="ID<4"&$savedorderby=firstName%20desc`)
    expect(keysOf(both)).toEqual(['2', '3', '1'])
    await get(rest, `${address}?$method=release`)
    expect(keysOf(await get(rest, `${address}?$savedfilter="ID<4"`))).toEqual(['1', '2', '3'])
    await get(rest, `${address}?$method=release`)
    expectError(await get(rest, address), 404, 1802)
  })

  test('without a saved filter do not recreate a set', async () => {
    for (const query of [
      '$savedorderby=firstName',
      '$savedfilter=&$savedorderby=firstName',
      '$savedfilter=""',
    ])
      for (const more of [
        '',
        '&$method=entityset',
        '&$format=dashboard',
        '&$compute=count&$attributes=ID',
      ])
        expectError(await get(rest, `${address}?${query}${more}`), 404, 1802)
    expect(store.entitySets.size).toBe(0)
    expect((await send(rest, 'HEAD', `${address}?$savedorderby=firstName`)).status).toBe(404)
  })

  test('accept $params, and an order in the filter overrides $savedorderby', async () => {
    const query = '$savedfilter="ID<:1 order by ID desc"&$params=[3]&$savedorderby=ID'
    expect(keysOf(await get(rest, `${address}?${query}`))).toEqual(['2', '1'])
  })

  test('define the whole set, to which the filter and order of the read apply', async () => {
    const query =
      '$savedfilter="ID<4"&$savedorderby=firstName&$filter="ID>1"&$orderby=ID%20desc&$top=1'
    const reply = await get(rest, `${address}?${query}`)
    expect([keysOf(reply), counts(reply)]).toEqual([['3'], [2, 0, 1]])
    expect(keysOf(await get(rest, address))).toEqual(['1', '3', '2'])
  })

  test('with $method=entityset answer the same address', async () => {
    const reply = await get(
      rest,
      `${address}?$savedfilter="ID<4"&$savedorderby=firstName&$method=entityset`,
    )
    expect(reply.body.__ENTITYSET).toBe(address)
    expect(store.entitySets.size).toBe(1)
  })

  test('have no effect on an existing set, except that the order sorts the answer', async () => {
    const set = await keep('Employee?$filter="ID<4"&$orderby=ID%20desc')
    expect(keysOf(await get(rest, `${set}?$savedfilter="ID=1"`))).toEqual(['3', '2', '1'])
    expect(keysOf(await get(rest, `${set}?$savedfilter="ID=1"&$savedorderby=firstName`))).toEqual([
      '1',
      '3',
      '2',
    ])
    expect(keysOf(await get(rest, `${set}?$savedorderby=firstName&$orderby=ID`))).toEqual([
      '1',
      '2',
      '3',
    ])
    expect(keysOf(await get(rest, set))).toEqual(['3', '2', '1'])
  })

  test('are always validated, also with an existing set and without a set', async () => {
    const set = await keep('Employee')
    for (const target of [set, address, '/rest/Employee', '/rest/Company(1)/employees']) {
      expect(errCodes(await get(rest, `${target}?$savedfilter="nothing=1"`)).at(-1)).toBe(1201)
      expectError(await get(rest, `${target}?$savedorderby=nothing`), 404, 1500, 1810)
      expect((await get(rest, `${target}?$savedfilter="ID>"`)).status).toBe(400)
    }
    expect(store.entitySets.size).toBe(1)
  })

  test('recreate nothing if the request fails', async () => {
    for (const query of [
      '$filter="nothing=1"',
      '$orderby=nothing',
      '$logicOperator=AND&$otherCollection=x',
    ])
      expect(
        (await get(rest, `${address}?$savedfilter="ID>0"&${query}`)).status,
      ).toBeGreaterThanOrEqual(400)
    expect(store.entitySets.size).toBe(0)
  })

  test('do not reach hidden attributes', async () => {
    const company = `/rest/Company/$entityset/${GONE}`
    expect(errCodes(await get(rest, `${company}?$savedfilter="secretRating>1"`))).toEqual([
      1500, 1201,
    ])
    expectError(await get(rest, `${company}?$savedorderby=secretRating`), 404, 1500, 1810)
  })

  test('recreate no set for a deletion', async () => {
    expectError(await post(rest, `${address}?$savedfilter="ID>0"&$method=delete`), 404, 1802)
    expect(store.Employee.all().count).toBe(4)
  })

  test('recreate no set for a page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect(
      (await send(rest, 'GET', `${address}?$savedfilter="ID>0"`, undefined, headers)).status,
    ).toBe(403)
  })

  test('with $method=entityset create a set', async () => {
    const query = '$filter="employer.name=Adobe"&$savedfilter="employer.name=Adobe"'
    const set = await keep(`Employee?${query}`)
    const again = await get(rest, `${set}?$savedfilter="employer.name=Adobe"`)
    expect([again.body.__COUNT, again.body.__ENTITYSET]).toEqual([2, undefined])
  })
})

describe('$logicOperator', () => {
  let first: string
  let second: string
  beforeEach(async () => {
    first = await keep('Employee?$filter="ID<4"&$orderby=ID%20desc')
    second = await keep('Employee?$filter="ID=1 or ID=4 or ID=2"&$orderby=firstName')
  })
  const combine = (operator: string, more = '') =>
    get(rest, `${first}?$logicOperator=${operator}&$otherCollection=${idOf(second)}${more}`)

  test.each([
    ['AND', ['2', '1']],
    ['and', ['2', '1']],
    ['Or', ['3', '2', '1', '4']],
    ['EXCEPT', ['3']],
  ])('%s: the first order, then what the second one adds in its own', async (operator, keys) => {
    const reply = await combine(operator)
    expect([keysOf(reply), reply.body.__COUNT]).toEqual([keys, keys.length])
    expect(reply.body).not.toHaveProperty('__ENTITYSET')
    expect(store.entitySets.size).toBe(2)
  })

  test('creates a new set with $method=entityset', async () => {
    const set = (await combine('AND', '&$method=entityset&$top=1')).body.__ENTITYSET
    expect(keysOf(await get(rest, set))).toEqual(['2', '1'])
    expect(store.entitySets.size).toBe(3)
  })

  test('INTERSECT answers a boolean', async () => {
    for (const more of ['', '&$method=subentityset', '&$top=0', '&$filter="ID=2"'])
      expect((await combine('INTERSECT', more)).text).toBe('true')
    expectError(await combine('INTERSECT', '&$method=entityset'), 400, 1813)
    expect((await combine('intersect', '&$filter="ID=3"')).text).toBe('false')
    const alone = await keep('Employee?$filter="ID=3"')
    const query = `$logicOperator=INTERSECT&$otherCollection=${idOf(second)}`
    expect((await get(rest, `${alone}?${query}`)).text).toBe('false')
    expect(store.entitySets.size).toBe(3)
  })

  test('combines with filter, order, page and aggregates', async () => {
    expect(keysOf(await combine('OR', '&$filter="ID>1"&$orderby=ID&$skip=1&$top=2'))).toEqual([
      '3',
      '4',
    ])
    const address = `/rest/Employee/salary/$entityset/${idOf(first)}`
    const query = `$logicOperator=AND&$otherCollection=${idOf(second)}`
    expect((await get(rest, `${address}?$compute=sum&${query}`)).body).toBe(90_000)
  })

  test('agrees with sets of keys, in order, also after deletions', async () => {
    const keys = fc.uniqueArray(fc.integer({ min: 1, max: 4 }))
    const operator = fc.constantFrom('AND', 'OR', 'EXCEPT', 'INTERSECT')
    await fc.assert(
      fc.asyncProperty(keys, keys, keys, operator, async (left, right, deleted, operation) => {
        store = createHr()
        rest = createRestHandler(store)
        const [one, two] = [left, right].map((some) =>
          store.entitySets.create(store.Employee.from(some)),
        )
        for (const key of deleted) store.Employee.remove(key)
        const isThere = (key: number) => !deleted.includes(key)
        const [a, b] = [left.filter(isThere), right.filter(isThere)]
        const common = a.filter((key) => b.includes(key))
        const expected = new Map<string, unknown>([
          ['AND', common],
          ['OR', [...a, ...b.filter((key) => !a.includes(key))]],
          ['EXCEPT', a.filter((key) => !b.includes(key))],
          ['INTERSECT', common.length > 0],
        ])
        const { body } = await get(
          rest,
          `/rest/Employee/$entityset/${one}?$logicOperator=${operation}&$otherCollection=${two}`,
        )
        const found =
          operation === 'INTERSECT'
            ? body
            : body.__ENTITIES.map(({ __KEY }: { __KEY: string }) => Number(__KEY))
        expect(found).toEqual(expected.get(operation))
      }),
      runs(60),
    )
  })

  test('accepts the address of the other set', async () => {
    const reply = await get(rest, `${first}?$logicOperator=EXCEPT&$otherCollection=${second}`)
    expect(keysOf(reply)).toEqual(['3'])
    expect(
      keysOf(await get(rest, `${first}?$logicOperator=AND&$otherCollection=${first}`)),
    ).toEqual(['3', '2', '1'])
  })

  test('leaves deleted members out of every result', async () => {
    store.Employee.remove(2)
    expect(keysOf(await combine('AND'))).toEqual(['1'])
    expect(keysOf(await combine('OR'))).toEqual(['3', '1', '4'])
    expect((await combine('INTERSECT', '&$filter="ID=2"')).text).toBe('false')
  })

  test('refuses an unknown operator, a missing other set, and a set of another dataclass', async () => {
    expectError(await combine('XOR'), 400, 1818)
    expectError(await get(rest, `${first}?$logicOperator=AND`), 400, 1819)
    const company = idOf(await keep('Company'))
    for (const other of [GONE, 'x', '__proto__', 'A'.repeat(5000), company])
      expectError(
        await get(rest, `${first}?$logicOperator=AND&$otherCollection=${other}`),
        404,
        1820,
      )
    const gone = `/rest/Employee/$entityset/${GONE}`
    expectError(
      await get(rest, `${gone}?$logicOperator=AND&$otherCollection=${idOf(first)}`),
      404,
      1802,
    )
    expectError(
      await get(rest, `/rest/Employee?$logicOperator=AND&$otherCollection=${idOf(first)}`),
      400,
      1813,
    )
  })
})

describe('releasing', () => {
  test('answers ok once, then error 1802', async () => {
    const set = await keep('Company')
    expect((await get(rest, `${set}?$method=release`)).body).toEqual({ ok: true })
    expectError(await get(rest, `${set}?$method=release`), 404, 1802)
    expectError(await get(rest, set), 404, 1802)
  })

  test('succeeds for exactly one of twenty concurrent requests', async () => {
    const set = await keep('Company')
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => get(rest, `${set}?$method=release`)),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(
      replies.filter((reply) => reply.status === 404 && errCodes(reply)[0] === 1802),
    ).toHaveLength(19)
  })

  test('accepts a set', async () => {
    expectError(await get(rest, '/rest/Company?$method=release'), 400, 1813)
    expectError(await get(rest, '/rest/Company(1)?$method=release'), 400, 1813)
  })

  test('accepts many sets in one request, also unknown ones', async () => {
    const [one, two, three] = [await keep('Company'), await keep('Employee'), await keep('Company')]
    const reply = await post(rest, '/rest/$entityset/$release', [
      idOf(one),
      GONE,
      'x',
      '__proto__',
      idOf(two),
    ])
    expect([reply.status, reply.body]).toEqual([200, { ok: true }])
    for (const gone of [one, two]) expectError(await get(rest, gone), 404, 1802)
    expect((await get(rest, three)).status).toBe(200)
  })

  test('accepts an array of ids by POST', async () => {
    for (const body of [undefined, {}, '"x"', [1], [[]], 'x'])
      expect((await post(rest, '/rest/$entityset/$release', body)).status).toBe(400)
    expect((await get(rest, '/rest/$entityset/$release')).status).toBe(405)
    const small = createRestHandler(store, { limits: { maxItems: 1 } })
    expect((await post(small, '/rest/$entityset/$release', ['a', 'b'])).status).toBe(400)
  })
})

describe('$method=subentityset', () => {
  test('creates a set of the related dataclass', async () => {
    const query =
      '$expand=employees&$method=subentityset&$subOrderby=lastName desc, firstName asc&$skip=1&$limit=1'
    const reply = await get(rest, `/rest/Company(1)/employees?${encodeURI(query)}`)
    expect(Object.keys(reply.body)[0]).toBe('__ENTITYSET')
    expect(reply.body.__ENTITYSET).toMatch(/^\/rest\/Employee\//)
    expect([keysOf(reply), counts(reply), reply.body.__DATACLASS]).toEqual([
      ['1'],
      [2, 1, 1],
      'Employee',
    ])
    expect(
      keysOf(await get(rest, `${reply.body.__ENTITYSET}?$limit=40&$method=subentityset`)),
    ).toEqual(['2', '1'])
  })

  test('answers an empty page past the end, with __FIRST', async () => {
    const reply = await get(
      rest,
      '/rest/Company(1)/employees?$expand=employees&$skip=10&$method=subentityset',
    )
    expect(counts(reply)).toEqual([2, 10, 0])
  })

  test('$subOrderby precedes $orderby, and orders a plain read of the relation, too', async () => {
    const relation = '/rest/Company(1)/employees?$expand=employees'
    expect(
      keysOf(await get(rest, `${relation}&$subOrderby=ID%20desc&$orderby=ID&$method=subentityset`)),
    ).toEqual(['2', '1'])
    expect(keysOf(await get(rest, `${relation}&$orderby=ID%20desc&$method=subentityset`))).toEqual([
      '2',
      '1',
    ])
    expect(keysOf(await get(rest, `${relation}&$subOrderby=firstName%20desc`))).toEqual(['2', '1'])
    expectError(
      await get(rest, `${relation}&$subOrderby=nothing&$method=subentityset`),
      404,
      1500,
      1810,
    )
    expectError(await get(rest, '/rest/Company?$subOrderby=name'), 400, 1813)
  })

  test('requires an expanded to-many relation', async () => {
    for (const address of [
      'Company(1)/employees?$method=subentityset',
      'Company(1)/employees?$expand=owner&$method=subentityset',
      'Employee(1)/employer?$expand=employer&$method=subentityset',
      'Company(1)?$expand=employees&$method=subentityset',
      'Company(1)/name?$method=subentityset',
      'Company?$method=subentityset',
    ])
      expectError(await get(rest, `/rest/${address}`), 400, 1815)
    expectError(
      await get(rest, '/rest/Company(99)/employees?$expand=employees&$method=subentityset'),
      404,
      1543,
    )
    expect(store.entitySets.size).toBe(0)
  })

  test('emitted addresses of to-many relations accept further parameters', async () => {
    const company = (await get(rest, '/rest/Company(1)')).body
    const deferred = company.employees.__deferred.uri
    const expanded = (await get(rest, '/rest/Company(1)?$expand=employees')).body.employees
      .__ENTITYSET
    for (const uri of [deferred, expanded]) {
      const reply = await get(rest, `${uri}&$limit=40&$method=subentityset`)
      expect([reply.status, keysOf(reply)]).toEqual([200, ['1', '2']])
      expect(reply.body.__ENTITYSET).toMatch(/^\/rest\/Employee\//)
    }
  })
})

describe('deleting the entities of a set', () => {
  const EMPLOYEES = 'Employee?$filter="ID>1"&$orderby=ID%20desc'

  test.each([
    ['POST', '?$method=delete'],
    ['DELETE', ''],
  ])('%s%s removes them, and the set keeps their places', async (verb, query) => {
    const set = await keep(EMPLOYEES)
    const reply = await send(rest, verb, `${set}${query}`)
    expect([reply.status, reply.body]).toEqual([200, { ok: true }])
    expect(store.Employee.all().keys()).toEqual([1])
    expect((await get(rest, set)).body.__ENTITIES).toEqual([UNDEFINED, UNDEFINED, UNDEFINED])
    // Nothing is left to be deleted.
    expect((await send(rest, verb, `${set}${query}`)).body).toEqual({ ok: true })
  })

  test('is narrowed by $filter, an operation and a body', async () => {
    const set = await keep(EMPLOYEES)
    await post(rest, `${set}?$method=delete&$filter="ID=4"`)
    expect(store.Employee.all().keys()).toEqual([1, 2, 3])
    const two = await keep('Employee?$filter="ID=2"')
    await post(rest, `${set}?$method=delete&$logicOperator=EXCEPT&$otherCollection=${idOf(two)}`)
    expect(store.Employee.all().keys()).toEqual([1, 2])
    const outside = await post(rest, `${set}?$method=delete`, [{ __KEY: '1' }])
    expect([outside.status, errCodes(outside)]).toEqual([404, [1542]])
    expect((await post(rest, `${set}?$method=delete`, [{ __KEY: '2' }])).body).toEqual({ ok: true })
    expect(store.Employee.all().keys()).toEqual([1])
  })

  test('keeps restricted members and reports them, or keeps all members with $atomic', async () => {
    const set = await keep('Company?$orderby=name')
    const atomic = await post(rest, `${set}?$method=delete&$atomic=true`)
    expect([atomic.status, store.Company.all().count]).toEqual([409, 4])
    const reply = await post(rest, `${set}?$method=delete`)
    expect([reply.status, store.Company.all().keys()]).toEqual([207, [1, 2]])
    expect((await get(rest, `${set}?$filter="ID>0"`)).body.__COUNT).toBe(2)
  })

  test('keeps members that another session has locked, and reports them', async () => {
    const set = await keep(EMPLOYEES)
    store.locks.lock('Employee', 3, store.sessions.open())
    const reply = await post(rest, `${set}?$method=delete`)
    expect([reply.status, store.Employee.all().keys()]).toEqual([207, [1, 3]])
    expect((await post(rest, `${set}?$method=delete`)).status).toBe(423)
  })

  test('does not happen by GET, by INTERSECT or with an invalid filter', async () => {
    const set = await keep(EMPLOYEES)
    expect((await get(rest, `${set}?$method=delete`)).status).toBe(405)
    const query = `$logicOperator=INTERSECT&$otherCollection=${idOf(set)}`
    expectError(await post(rest, `${set}?$method=delete&${query}`), 400, 1813)
    expect((await post(rest, `${set}?$method=delete&$filter="ID>>1"`)).status).toBe(400)
    expectError(await post(rest, `${set}/firstName?$method=delete`), 400, 1813)
    expect(store.Employee.all().count).toBe(4)
  })

  test('updates of a set are refused', async () => {
    const set = await keep(EMPLOYEES)
    for (const query of ['', '?$method=update', '?$method=insert'])
      expectError(await post(rest, `${set}${query}`, { firstName: 'X' }), 400, 1813)
    expect(store.Employee.all().count).toBe(4)
  })
})
