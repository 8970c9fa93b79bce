import { describe, expect, test } from 'vitest'
import wakanda from 'wakanda-client'
import {
  type Collection,
  catalog,
  type Entity,
  keysOf,
  refusalOf,
  served,
  useContacts,
} from './serve-contacts.ts'

useContacts()

const { helper } = new wakanda.WakandaClient()

describe('a function of a dataclass', () => {
  test('gets the arguments unchanged, and answers values', async () => {
    expect(await catalog.Employee!.listed(1, 'O\'Brien (!*) "x"', null, { a: [true] })).toEqual({
      words: [1, 'O\'Brien (!*) "x"', null, { a: [true] }],
    })
    expect(served.last()).toBe('POST /rest/Employee/listed')
    expect(await catalog.Employee!.listed()).toEqual({ words: [] })
    expect(await catalog.Employee!.askedBy()).toBe('a guest')
  })

  test('answers an entity that can be changed and saved', async () => {
    const newest = await catalog.Employee!.newest()
    expect([helper.isEntity(newest), newest._key, newest._stamp]).toEqual([true, '1000', 1])
    newest.salary = 1
    await newest.save()
    expect(served.store.Employee.get(1000)).toMatchObject({ salary: 1, stamp: 2 })
    // The client does not unwrap falsy results.
    expect(await catalog.Employee!.noOne()).toEqual({ result: null })
  })

  test('answers a selection as a collection of its first hundred, with entities that can be fetched', async () => {
    const best: Collection<Entity> = await catalog.Employee!.bestPaid(150)
    expect([helper.isCollection(best), best._deferred]).toEqual([true, false])
    expect([best._count, best._first, best._sent]).toEqual([150, 0, 100])
    const expected = served.store.Employee.all().orderBy('salary desc').page(0, 100)
    expect(keysOf(best)).toEqual(expected.keys())
    const [first] = best.entities
    await first!.fetch({ select: 'employer' })
    expect(first!.employer._deferred).toBe(false)
  })

  test('its selection can be paged if the client requests an entity set', async () => {
    const httpClient = new wakanda.WakandaClient.HttpClient({ apiPrefix: served.origin })
    const post = httpClient.post.bind(httpClient)
    httpClient.post = (options) =>
      post(
        options.uri.endsWith('/bestPaid')
          ? { ...options, uri: `${options.uri}?$method=entityset&$limit=10` }
          : options,
      )
    const client = served.client(httpClient)
    const best: Collection<Entity> = await (await client.getCatalog()).Employee!.bestPaid(25)
    const all = served.store.Employee.all().orderBy('salary desc').page(0, 25).keys()
    await best.nextPage()
    expect([best._first, best._sent, best._count, keysOf(best)]).toEqual([
      10,
      10,
      25,
      all.slice(10, 20),
    ])
    await best.fetch({ pageSize: 25 })
    expect(keysOf(best)).toEqual(all)
    expect(await best.payroll()).toBe(served.store.Employee.from(all as number[]).sum('salary'))
  })

  test('rejects if it refuses or does not exist', async () => {
    expect(await refusalOf(catalog.Employee!.closed())).toEqual(['Unprocessable Entity', 10_001])
    expect(catalog.Employee!.own).toBe(undefined)
  })
})

describe('a function of a collection', () => {
  test('works on the whole entity set, whatever the page', async () => {
    const people = await catalog.Employee!.query({ filter: 'ID <= 30', pageSize: 5 })
    const expected = served.store.Employee.query('ID <= 30').sum('salary')
    expect(await people.payroll()).toBe(expected)
    expect(served.last()).toMatch(/^POST \/rest\/Employee\/\$entityset\/[0-9A-F]{32}\/payroll$/i)
    await people.nextPage()
    expect(await people.payroll()).toBe(expected)
  })

  test('answers a selection as a collection', async () => {
    const people = await catalog.Employee!.query({ filter: 'ID <= 30', orderBy: 'ID desc' })
    const rich: Collection<Entity> = await people.paidOver(60_000)
    const expected = served.store.Employee.query('ID <= 30 and salary > 60000').orderBy('ID desc')
    expect([rich._count, keysOf(rich)]).toEqual([expected.count, expected.keys()])
  })

  test('works on the entities of an expanded or fetched relation', async () => {
    const { staff } = await catalog.Company!.find(2, { select: 'staff' })
    const expected = served.store.Employee.query('employer.ID = 2').sum('salary')
    expect(await staff.payroll()).toBe(expected)
    expect(served.last()).toBe(
      'POST /rest/Company[2]/staff?$expand=staff&$method=subentityset&$emMethod=payroll',
    )
    const { staff: deferred } = await catalog.Company!.find(2)
    expect(() => deferred.payroll()).toThrow('deferred')
    await deferred.fetch({ pageSize: 3 })
    expect(await deferred.payroll()).toBe(expected)
  })
})

describe('a function of an entity', () => {
  test('gets its arguments and answers a value', async () => {
    const employee = await catalog.Employee!.find(1)
    expect(await employee.greet("Don't")).toBe("Don't Ada")
    expect(served.last()).toBe('POST /rest/Employee(1)/greet')
  })

  test('can change the entity and answer it', async () => {
    const employee = await catalog.Employee!.find(1)
    const raised = await employee.raise(81)
    expect(raised).toMatchObject({ _key: '1', _stamp: 2, salary: 28_000 })
    await employee.fetch()
    expect(employee.salary).toBe(28_000)
  })

  test('answers a selection as a collection', async () => {
    const employee = await catalog.Employee!.find(1)
    expect(keysOf(await employee.colleagues())).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('rejects for a removed entity', async () => {
    const employee = await catalog.Employee!.find(1)
    served.store.Employee.remove(1)
    expect(await refusalOf(employee.greet('hi'))).toEqual(['Not Found', 1543])
    expect(() => catalog.Employee!.create({}).greet('hi')).toThrow('unsaved')
  })
})
