import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr, createOrders } from './models.ts'
import { expectError, get } from './send.ts'

let hr: RestHandler
let orders: RestHandler
beforeEach(() => {
  hr = createRestHandler(createHr())
  orders = createRestHandler(createOrders())
})

const keysOf = (body: { readonly __ENTITIES: readonly { readonly __KEY: string }[] }) =>
  body.__ENTITIES.map((e) => e.__KEY)

describe('one entity', () => {
  test('is addressed by key, in either brackets, or by an attribute', async () => {
    const byKey = await get(orders, '/rest/Users(1)')
    expect(byKey.status).toBe(200)
    expect(byKey.headers.etag).toMatch(/^"1-/)
    expect(byKey.body).toEqual({
      __entityModel: 'Users',
      __DATACLASS: 'Users',
      __KEY: '1',
      __TIMESTAMP: '2024-01-31T12:30:15.250Z',
      __STAMP: 1,
      ID: 1,
      Name: 'user1',
      Email: 'user1@example.com',
      Orders: { __deferred: { uri: '/rest/Users[1]/Orders?$expand=Orders' } },
    })
    expect(Object.keys(byKey.body).slice(0, 5)).toEqual([
      '__entityModel',
      '__DATACLASS',
      '__KEY',
      '__TIMESTAMP',
      '__STAMP',
    ])
    for (const url of [
      '/rest/Users[1]',
      '/rest/Users("1")',
      '/rest/Users:Name(user1)',
      '/rest/Users:Name("USER1")/',
    ])
      expect((await get(orders, url)).body).toEqual(byKey.body)
  })

  test('is a 404 if no entity has the value of the attribute in the address', async () => {
    expectError(await get(orders, '/rest/Users:Name(nobody)'), 404, 1543)
    expectError(await get(orders, '/rest/Users:Nosuch(x)'), 404, 1500, 1804)
    expectError(await get(orders, '/rest/Users:Orders(1)'), 400, 1508)
  })

  test('a path list or $attributes limits the answer to the named attributes', async () => {
    const expected = {
      __entityModel: 'Company',
      __DATACLASS: 'Company',
      __KEY: '1',
      __STAMP: 1,
      __TIMESTAMP: expect.any(String),
      name: 'Adobe',
      city: 'San Jose',
    }
    expect((await get(hr, '/rest/Company(1)/name,city')).body).toEqual(expected)
    expect((await get(hr, '/rest/Company(1)?$attributes=name,city')).body).toEqual(expected)
    // The path takes precedence if both are given.
    expect((await get(hr, '/rest/Company(1)/name,city?$attributes=revenue')).body).toEqual(expected)
  })

  test('values of every type have the form of the protocol, and null attributes are present', async () => {
    const { body } = await get(hr, '/rest/Employee(1)')
    expect(body).toMatchObject({
      __STAMP: 2,
      birthDate: '!!1980-01-15!!',
      hired: null,
      active: true,
      notes: { tags: ['a', 'b'], level: { n: 3 } },
      photo: null,
      cv: null,
      employer: { __deferred: { uri: '/rest/Company[1]', __KEY: '1' } },
      employerID: 1,
      fullName: 'Ada Byron',
      employerName: 'Adobe',
    })
    expect((await get(hr, '/rest/Employee(4)')).body.employer).toBeNull()
  })

  test('calendar dates may be written d!m!yyyy', async () => {
    const rest = createRestHandler(createHr(), { dateOnlyFormat: 'd!m!yyyy' })
    expect((await get(rest, '/rest/Employee(1)/birthDate')).body.birthDate).toBe('15!1!1980')
  })

  test('an image shows its address, with the stamp in it', async () => {
    const store = createHr()
    store.Employee.update(2, {
      photo: { mediaType: 'image/png', bytes: Uint8Array.of(1, 2) },
      cv: Uint8Array.of(3),
    })
    const { body } = await get(createRestHandler(store), '/rest/Employee(2)')
    expect(body.photo).toEqual({
      __deferred: {
        uri: '/rest/Employee[2]/photo?$imageformat=best&$version=2&$expand=photo',
        image: true,
      },
    })
    expect(body.cv).toEqual({
      __deferred: { uri: '/rest/Employee[2]/cv?$binary=true&$version=2&$expand=cv' },
    })
  })

  test('$expand brings a relation inline, its own relations deferred', async () => {
    const { body } = await get(hr, '/rest/Employee(1)?$expand=employer')
    expect(body.employer).toEqual({
      __KEY: '1',
      __TIMESTAMP: expect.any(String),
      __STAMP: 1,
      ID: 1,
      name: 'Adobe',
      city: 'San Jose',
      revenue: 500_000,
      employees: { __deferred: { uri: '/rest/Company[1]/employees?$expand=employees' } },
      owner: null,
    })
    const nested = await get(hr, '/rest/Employee(1)?$expand=employer.employees')
    expect(nested.body.employer.employees).toMatchObject({
      __ENTITYSET: '/rest/Company[1]/employees?$expand=employees',
      __GlobalStamp: expect.any(Number),
      __COUNT: 2,
      __FIRST: 0,
      __SENT: 2,
    })
    expect(keysOf(nested.body.employer.employees)).toEqual(['1', '2'])
  })

  test('$attributes reaches through relations, and paths below one relation merge', async () => {
    const { body } = await get(orders, '/rest/Orders(1)?$attributes=Purchaser.Name')
    expect(body.Purchaser).toEqual({
      __KEY: '1',
      __TIMESTAMP: expect.any(String),
      __STAMP: 1,
      Name: 'user1',
    })
    expect((await get(orders, '/rest/Orders(1)?$attributes=Purchaser')).body.Purchaser).toEqual({
      __deferred: { uri: '/rest/Users[1]', __KEY: '1' },
    })
    const all = await get(orders, '/rest/Orders(1)?$attributes=Purchaser.*')
    expect(all.body.Purchaser).toMatchObject({
      ID: 1,
      Name: 'user1',
      Orders: { __deferred: expect.anything() },
    })
    const merged = await get(
      hr,
      '/rest/Company(1)?$attributes=employees.lastName,employees.firstName',
    )
    expect(merged.body.employees.__ENTITIES[0]).toEqual({
      __KEY: '1',
      __TIMESTAMP: expect.any(String),
      __STAMP: 2,
      lastName: 'Byron',
      firstName: 'Ada',
    })
    expect(Object.hasOwn(merged.body, 'name')).toBe(false)
    const deep = await get(hr, '/rest/Employee(1)?$attributes=employer.employees.lastName')
    expect(
      deep.body.employer.employees.__ENTITIES.map((e: { lastName: string }) => e.lastName),
    ).toEqual(['Byron', 'Hopper'])
  })

  test('$attributes reaches into an object attribute', async () => {
    expect(
      (await get(hr, '/rest/Employee(1)?$attributes=notes.level.n,notes.tags')).body.notes,
    ).toEqual({
      level: { n: 3 },
      tags: ['a', 'b'],
    })
    expect((await get(hr, '/rest/Employee(1)?$attributes=notes.__proto__.x')).body.notes).toEqual(
      {},
    )
  })

  test('text keys are quoted and escaped, and round-trip', async () => {
    const { body } = await get(hr, '/rest/Setting')
    expect(body.__ENTITIES.map((e: { __KEY: string }) => e.__KEY)).toEqual(['a/b "c"', 'plain'])
    for (const url of [
      '/rest/Setting("a%2Fb%20%22c%22")',
      '/rest/Setting(%22a%2Fb%20%22c%22%22)',
      '/rest/Setting("a/b "c"")',
    ])
      expect([url, (await get(hr, url)).body.value]).toEqual([url, 'odd'])
    expect((await get(hr, '/rest/Setting(plain)')).body.value).toBe('even')
    expectError(await get(hr, '/rest/Setting(constructor)'), 404, 1543)
  })

  test('an unknown key is 1543, a malformed one 1541, both 404', async () => {
    expectError(await get(hr, '/rest/Employee(404)'), 404, 1543)
    expectError(await get(hr, '/rest/Employee(-1)'), 404, 1543)
    for (const key of [
      'abc',
      '1.50',
      '01',
      'NaN',
      'Infinity',
      '1e999',
      '1e0',
      '',
      'null',
      '__proto__',
      '1,2,3',
      '9007199254740993',
      '1'.repeat(1000),
    ])
      expectError(await get(hr, `/rest/Employee(${key})`), 404, 1541)
  })

  test('a filter narrows one entity too, and its plan is shown', async () => {
    const { body } = await get(hr, '/rest/Employee(1)?$filter="salary > 10"&$queryplan=true')
    expect(Object.keys(body)[0]).toBe('__queryPlan')
    // One entity is tested directly, also if there is an index.
    expect(body.__queryPlan).toEqual({ item: 'Employee.salary > 10' })
    expectError(await get(hr, '/rest/Employee(1)?$filter="salary > 90000"'), 404, 1543)
  })
})

describe('navigation', () => {
  test('a to-many relation is a selection of its target', async () => {
    const { body } = await get(hr, '/rest/Company(1)/employees?$expand=employees')
    expect(body).toMatchObject({
      __DATACLASS: 'Employee',
      __entityModel: 'Employee',
      __COUNT: 2,
      __FIRST: 0,
      __SENT: 2,
    })
    expect(keysOf(body)).toEqual(['1', '2'])
    const ordered = await get(
      hr,
      '/rest/Company[1]/employees?$expand=employees&$orderby=salary&$limit=1&$skip=1',
    )
    expect(ordered.body).toMatchObject({ __COUNT: 2, __FIRST: 1, __SENT: 1 })
    expect(keysOf(ordered.body)).toEqual(['1'])
    const filtered = await get(hr, '/rest/Company(1)/employees?$filter="lastName begin h"')
    expect(keysOf(filtered.body)).toEqual(['2'])
    const past = await get(hr, '/rest/Company(1)/employees?$limit=40&$skip=10')
    expect(past.body).toMatchObject({ __COUNT: 2, __FIRST: 10, __ENTITIES: [], __SENT: 0 })
  })

  test('$expand after a relation refers to its target', async () => {
    for (const url of ['employees,employees.employer', 'employees,employer', 'employer']) {
      const { body } = await get(hr, `/rest/Company(1)/employees?$expand=${url}`)
      expect(body.__ENTITIES[0].employer).toMatchObject({ __KEY: '1', name: 'Adobe' })
    }
  })

  test('a to-one relation is one entity, or null', async () => {
    const { body } = await get(hr, '/rest/Employee(1)/employer?$expand=employer')
    expect(body).toMatchObject({ __entityModel: 'Company', __KEY: '1', name: 'Adobe' })
    const none = await get(hr, '/rest/Employee(4)/employer')
    expect([none.status, none.text]).toEqual([200, 'null'])
  })

  test('every emitted address can be requested as it stands', async () => {
    const { body } = await get(hr, '/rest/Company?$expand=employees')
    for (const company of body.__ENTITIES) {
      const related = await get(hr, company.employees.__ENTITYSET)
      expect(related.body.__COUNT).toBe(company.employees.__COUNT)
    }
    const employees = await get(hr, '/rest/Employee')
    for (const { employer } of employees.body.__ENTITIES)
      if (employer !== null)
        expect((await get(hr, employer.__deferred.uri)).body.__KEY).toBe(employer.__deferred.__KEY)
    const settings = await get(hr, '/rest/Setting?$attributes=value')
    expect(settings.status).toBe(200)
  })

  test('an unknown owner, relation or deeper path is a 404', async () => {
    expectError(await get(hr, '/rest/Company(99)/employees'), 404, 1543)
    expectError(await get(hr, '/rest/Employee(99)/employer'), 404, 1543)
    expectError(await get(hr, '/rest/Company(1)/nosuch/extra/deep'), 404, 1500, 1804)
    expectError(await get(hr, '/rest/Company(1)/name/city'), 400, 1806)
  })
})

describe('a selection', () => {
  test('has its members in the order of the protocol', async () => {
    const { status, body } = await get(orders, '/rest/Users')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      '__DATACLASS',
      '__entityModel',
      '__GlobalStamp',
      '__COUNT',
      '__FIRST',
      '__ENTITIES',
      '__SENT',
    ])
    expect(body).toMatchObject({
      __DATACLASS: 'Users',
      __entityModel: 'Users',
      __COUNT: 10,
      __FIRST: 0,
      __SENT: 10,
    })
    expect(body.__ENTITIES[0]).toEqual({
      __KEY: '1',
      __TIMESTAMP: '2024-01-31T12:30:15.250Z',
      __STAMP: 1,
      ID: 1,
      Name: 'user1',
      Email: 'user1@example.com',
      Orders: { __deferred: { uri: '/rest/Users[1]/Orders?$expand=Orders' } },
    })
  })

  test('has 100 entities by default, and pages with $skip and $top or $limit', async () => {
    const store = createOrders()
    for (let n = 11; n <= 130; n++) store.Users.insert({ Name: `user${n}` })
    const rest = createRestHandler(store)
    expect((await get(rest, '/rest/Users')).body).toMatchObject({ __COUNT: 130, __SENT: 100 })
    const page = await get(rest, '/rest/Users/?$top=10&$skip=20')
    expect(page.body).toMatchObject({ __COUNT: 130, __FIRST: 20, __SENT: 10 })
    expect(keysOf(page.body)[0]).toBe('21')
    expect((await get(rest, '/rest/Users?$limit=120')).body.__SENT).toBe(120)
    expect((await get(rest, '/rest/Users?$top=0')).body).toMatchObject({
      __COUNT: 130,
      __ENTITIES: [],
      __SENT: 0,
    })
    expect((await get(rest, '/rest/Users?$skip=999999999')).body).toMatchObject({
      __FIRST: 999999999,
      __SENT: 0,
    })
    expect((await get(rest, '/rest/Users?$skip=-5&$top=1')).body).toMatchObject({
      __FIRST: 0,
      __SENT: 1,
    })
  })

  test('is filtered with and without placeholders, in every form of quotes that clients send', async () => {
    for (const query of [
      '$filter="salary > 30000 AND employer.city = \'San Jose\'"',
      "$filter=salary > 30000 AND employer.city = 'San Jose'",
      '$filter=%22salary%20%3E%2030000%20AND%20employer.city=:1%22&$params=%27[%22san%20jose%22]%27',
      `$filter="salary > :1 and employer.city = :2"&$params='[30000,"SAN JOSE"]'`,
      `$filter="salary > :low and employer.city = :town"&$params={"low":30000,"town":"San José"}`,
    ]) {
      const { status, body } = await get(hr, `/rest/Employee?${query}`)
      expect([query, status, keysOf(body)]).toEqual([query, 200, ['1', '2']])
    }
    expect(keysOf((await get(hr, `/rest/Employee?$filter="lastName=O'Reilly"`)).body)).toEqual([
      '3',
    ])
    expect(keysOf((await get(hr, `/rest/Employee?$filter=lastName=O'Reilly&$top=1`)).body)).toEqual(
      ['3'],
    )
    expect(
      keysOf((await get(hr, `/rest/Employee?$filter="lastName='O\\u0027Reilly'"`)).body),
    ).toEqual(['3'])
    expect(keysOf((await get(hr, '/rest/Employee?$filter="firstName = em*"')).body)).toEqual(['4'])
    expect(keysOf((await get(hr, '/rest/Employee?$filter="salary = null"')).body)).toEqual(['4'])
    expect(keysOf((await get(hr, '/rest/Employee?$filter="notes.level.n = 3"')).body)).toEqual([
      '1',
    ])
    expect((await get(hr, '/rest/Employee?$filter=""')).body.__COUNT).toBe(4)
  })

  test('a value in $params is never read as a filter', async () => {
    const { body } = await get(
      hr,
      `/rest/Employee?$filter="lastName=:1"&$params=["Byron' OR salary > 0 OR 'a'='a"]`,
    )
    expect(body.__COUNT).toBe(0)
  })

  test('is ordered by several terms, nulls lowest; an order in the filter overrides $orderby', async () => {
    const order = async (query: string) => keysOf((await get(hr, `/rest/Employee?${query}`)).body)
    expect(await order('$orderby="salary"')).toEqual(['4', '3', '2', '1'])
    expect(await order('$orderby=salary%20DESC')).toEqual(['1', '2', '3', '4'])
    expect(await order('$orderby=employer.name desc, lastName desc')).toEqual(['3', '2', '1', '4'])
    expect(await order('$orderby=notes.level.n desc,ID')).toEqual(['1', '2', '3', '4'])
    expect(await order('$filter="ID > 0 order by lastName desc"&$orderby=salary')).toEqual([
      '4',
      '3',
      '2',
      '1',
    ])
    expect(await order('$filter="ID > 0 order by salary desc"&$orderby=lastName')).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
  })

  test('shows the attributes in its path', async () => {
    const { body } = await get(hr, '/rest/Employee/firstName,employer.name?$expand=employer&$top=1')
    expect(body.__ENTITIES).toEqual([
      {
        __KEY: '1',
        __TIMESTAMP: expect.any(String),
        __STAMP: 2,
        firstName: 'Ada',
        employer: { __KEY: '1', __TIMESTAMP: expect.any(String), __STAMP: 1, name: 'Adobe' },
      },
    ])
  })

  test('has numeric keys, no timestamps, and relations only on request if it is an array', async () => {
    const { body } = await get(orders, '/rest/Users?$filter="Name begin u"&$top=3&$asArray=true')
    expect(body).toEqual([
      { __KEY: 1, __STAMP: 1, ID: 1, Name: 'user1', Email: 'user1@example.com' },
      { __KEY: 2, __STAMP: 1, ID: 2, Name: 'user2', Email: 'user2@example.com' },
      { __KEY: 3, __STAMP: 1, ID: 3, Name: 'user3', Email: 'user3@example.com' },
    ])
    const expanded = await get(hr, '/rest/Employee?$asArray=true&$expand=employer&$top=1')
    expect(expanded.body[0].employer).toEqual({
      __KEY: 1,
      __STAMP: 1,
      ID: 1,
      name: 'Adobe',
      city: 'San Jose',
      revenue: 500_000,
    })
    const many = await get(
      hr,
      '/rest/Company?$asArray=true&$attributes=name,employees.lastName&$top=1',
    )
    expect(many.body).toEqual([
      {
        __KEY: 1,
        __STAMP: 1,
        name: 'Adobe',
        employees: [
          { __KEY: 1, __STAMP: 2, lastName: 'Byron' },
          { __KEY: 2, __STAMP: 1, lastName: 'Hopper' },
        ],
      },
    ])
  })

  test('is refused if a cycle of relations would show too many entities', async () => {
    const rest = createRestHandler(createHr(), { limits: { maxEntitiesPerAnswer: 20 } })
    expectError(
      await get(
        rest,
        '/rest/Employee?$attributes=employer.employees.employer.employees.employer.employees.*',
      ),
      400,
      9055,
    )
    expectError(
      await get(hr, `/rest/Employee?$attributes=${'employer.employees.'.repeat(30)}*`),
      400,
      9055,
    )
  })
})

describe('aggregates and distinct values', () => {
  test('$compute=$all answers an object by attribute', async () => {
    expect((await get(orders, '/rest/Payments?$attributes=Amount&$compute=$all')).body).toEqual({
      Amount: { count: 20, sum: 12, average: 0.6, min: -128, max: 124 },
    })
    expect((await get(orders, '/rest/Payments/PaymentDate?$compute=$all')).body).toEqual({
      PaymentDate: { count: 20, min: '2024-01-01T00:00:00.000Z', max: '2024-01-29T00:00:00.000Z' },
    })
    expect((await get(hr, '/rest/Employee/firstName/?$compute=$all')).body).toEqual({
      firstName: { count: 4, min: 'Ada', max: 'Grace' },
    })
    expect((await get(hr, '/rest/Employee/salary,firstName?$compute=$all')).body).toEqual({
      salary: { count: 3, sum: 120_000, average: 40_000, min: 30_000, max: 50_000 },
      firstName: { count: 4, min: 'Ada', max: 'Grace' },
    })
  })

  test('$compute with one keyword answers a bare value over the whole selection', async () => {
    const compute = async (query: string) => (await get(hr, `/rest/Employee/salary?${query}`)).text
    expect(await compute('$compute=sum')).toBe('120000')
    expect(await compute('$compute=average&$top=1')).toBe('40000')
    expect(await compute('$compute=count')).toBe('3')
    expect(await compute('$compute=min&$skip=2')).toBe('30000')
    expect(await compute('$compute=max&$filter="employer.ID=2"')).toBe('30000')
    expect(await compute('$compute=sum&$filter="ID>99"')).toBe('0')
    expect(await compute('$compute=max&$filter="ID>99"')).toBe('null')
    expect((await get(hr, '/rest/Employee/lastName?$compute=max')).text).toBe('"Zola"')
    expect((await get(hr, '/rest/Employee/birthDate?$compute=max')).text).toBe(
      '"1980-01-15T00:00:00.000Z"',
    )
    expect((await get(hr, '/rest/Employee/notes.level.n?$compute=sum')).text).toBe('3')
  })

  test('$compute with $distinct aggregates the distinct values', async () => {
    const store = createOrders()
    const rest = createRestHandler(store)
    const distinct = (await get(rest, '/rest/Orders/Quantity?$distinct=true')).body as number[]
    expect((await get(rest, '/rest/Orders/Quantity?$compute=count&$distinct=true')).body).toBe(
      distinct.length,
    )
    expect((await get(rest, '/rest/Orders/Quantity?$compute=sum&$distinct=true')).body).toBe(
      distinct.reduce((total, value) => total + value, 0),
    )
  })

  test('$distinct answers sorted values without null, paged by $skip and $top', async () => {
    expect((await get(hr, '/rest/Company/name?$filter="name=a*"&$distinct=true')).body).toEqual([
      'Adobe',
      'Apple',
    ])
    expect((await get(hr, '/rest/Employee?$attributes=salary&$distinct=true')).body).toEqual([
      30_000, 40_000, 50_000,
    ])
    expect((await get(hr, '/rest/Employee/salary?$distinct=true&$skip=1&$top=1')).body).toEqual([
      40_000,
    ])
    expect((await get(hr, '/rest/Employee/salary?$distinct=true&$skip=9')).body).toEqual([])
    expect((await get(hr, '/rest/Employee/birthDate?$distinct=true')).body).toEqual([
      '!!1980-01-15!!',
    ])
    const store = createOrders()
    for (let n = 11; n <= 130; n++) store.Users.insert({ Name: `user${n}` })
    expect(
      (await get(createRestHandler(store), '/rest/Users/Name?$distinct=true')).body,
    ).toHaveLength(130)
  })

  test('unsupported combinations are refused', async () => {
    expectError(await get(hr, '/rest/Employee?$compute=count'), 400, 1816)
    expectError(await get(hr, '/rest/Employee?$compute=$all'), 400, 1816)
    expectError(await get(hr, '/rest/Employee?$distinct=true'), 400, 1816)
    expectError(await get(hr, '/rest/Employee/salary?$compute=median'), 400, 1817)
    expectError(await get(hr, '/rest/Employee/lastName?$compute=sum'), 400, 1508)
    expectError(await get(hr, '/rest/Employee/employer?$compute=average'), 400, 1508)
    expectError(await get(hr, '/rest/Employee/employer.name?$compute=count'), 400, 1508)
    expectError(await get(hr, '/rest/Employee/photo?$distinct=true'), 400, 1508)
    expectError(await get(hr, '/rest/Employee/salary,lastName?$distinct=true'), 400, 9100)
    expectError(await get(hr, '/rest/Employee/nosuch?$distinct=true'), 404, 1500, 1804)
    expectError(await get(hr, '/rest/Employee?$attributes=nosuch&$compute=sum'), 404, 1500, 1804)
    expectError(await get(hr, '/rest/Employee(1)?$compute=count'), 400, 1813)
  })
})

describe('query plans', () => {
  test('are made without a second run of the filter, whatever it is applied to', async () => {
    let looked = 0
    const Note = defineDataClass('Note', {
      ID: attribute.long({ key: true, autoSequence: true }),
      text: attribute.string(),
      shout: attribute.computed('string', {
        get: ({ text }: { text: string | null }) => {
          looked++
          return `${text}!`
        },
      }),
      parent: attribute.relatedEntity('Note'),
      children: attribute.relatedEntities('Note', 'parent'),
    })
    // The clock does not advance: a time slice that ends on a busy machine would repeat reads.
    const clock = { now: () => 1_700_000_000_000, monotonic: () => 0 }
    const store = createDataStore({ name: 'notes', dataClasses: [Note], clock })
    for (const text of ['a', 'b', 'c', 'a'])
      store.Note.insert({ text, parent: text === 'a' ? null : 1 })
    const notes = createRestHandler(store)
    const filter = '$attributes=text&$filter="shout = \'b!\'"'
    for (const url of [
      `/rest/Note?${filter}`,
      `/rest/Note(1)/children?${filter}`,
      `/rest/Note(2)?${filter}`,
      `/rest/Note/text?$compute=count&$filter="shout = 'b!'"`,
      `/rest/Note/text?$distinct=true&$filter="shout = 'b!'"`,
    ]) {
      looked = 0
      expect([url, (await get(notes, url)).status]).toEqual([url, 200])
      const without = looked
      looked = 0
      const { status, text, headers } = await get(notes, `${url}&$queryplan=true`)
      expect([url, status, looked]).toEqual([url, 200, without])
      expect(`${text}${headers['entia-query-plan']}`).toContain('Note.shout')
      expect(without).toBeGreaterThan(0)
    }
  })

  const url = '/rest/Orders?$filter="Quantity > 4 AND Purchaser.Name = user2"&$queryplan=true'

  test('are the first members of an envelope, in the form of the protocol', async () => {
    const { body } = await get(orders, url)
    expect(Object.keys(body).slice(0, 3)).toEqual([
      '__queryPlan',
      '__extendedQueryPlan',
      '__DATACLASS',
    ])
    expect(body.__COUNT).toBe(1)
    expect(keysOf(body)).toEqual(['20'])
    expect(body.__queryPlan).toEqual({
      And: [
        {
          item: 'Join on Table : Users  :  Orders.Purchaser = Users.ID',
          subquery: [{ item: 'Users.Name === user2' }],
        },
        { item: 'Orders.Quantity > 4' },
      ],
    })
    expect(body.__extendedQueryPlan).toEqual({
      type: 'LogicOperatorNode',
      logicOper: 'And',
      parts: [
        {
          type: 'JoinNode',
          targetTable: 'Users',
          instance: 1,
          joinPath: [
            {
              leftTable: 'Orders',
              leftField: 'Purchaser',
              leftInstance: 1,
              rightTable: 'Users',
              rightField: 'ID',
              rightInstance: 1,
            },
          ],
          filter: {
            type: 'SeqNode',
            field: 'Name',
            table: 'Users',
            instance: 1,
            oper: ' === ',
            value: 'user2',
          },
        },
        { type: 'SeqNode', field: 'Quantity', table: 'Orders', instance: 1, oper: ' > ', value: 4 },
      ],
    })
  })

  test('are empty without a filter', async () => {
    const { body } = await get(orders, '/rest/Orders?$queryplan=true')
    expect([body.__queryPlan, body.__extendedQueryPlan]).toEqual([{}, {}])
    expect(Object.hasOwn((await get(orders, '/rest/Orders')).body, '__queryPlan')).toBe(false)
  })

  test('are in a header if the answer is an array or a value', async () => {
    for (const path of [
      '/rest/Orders?$asArray=true&',
      '/rest/Orders/Quantity?$distinct=true&',
      '/rest/Orders/Quantity?$compute=sum&',
    ]) {
      const reply = await get(
        orders,
        `${path}$filter="Quantity > 4 AND Purchaser.Name = 'ü'"&$queryplan=true`,
      )
      const header = reply.headers['entia-query-plan']!
      expect(header).toMatch(/^[\x20-\x7e]+$/)
      expect(Object.keys(JSON.parse(header))).toEqual(['__queryPlan', '__extendedQueryPlan'])
      expect(Object.hasOwn(Object(reply.body), '__queryPlan')).toBe(false)
    }
    const all = await get(
      orders,
      '/rest/Orders/Quantity?$compute=$all&$filter="Quantity > 4"&$queryplan=true',
    )
    expect(all.body.__queryPlan).toEqual({ item: 'Orders.Quantity > 4' })
  })
})
