import { describe, expect, test } from 'vitest'
import { catalog, type Entity, refusalOf, served, useContacts } from './serve-contacts.ts'

useContacts()

const names = (entities: readonly Entity[]) => entities.map(({ name }) => name)
/**
 * How many employees a filter finds; values of any JSON type go with it, whatever the client's
 * types say.
 */
const countOf = async (filter: string, ...params: readonly unknown[]) =>
  (await catalog.Employee!.query({ filter, params: params as string[], pageSize: 1 }))._count

describe('query', () => {
  test('gives the first 40 entities without options', async () => {
    const all = await catalog.Employee!.query()
    expect(served.last()).toBe('GET /rest/Employee?$limit=40&$method=entityset')
    expect(all).toMatchObject({ _deferred: false, _count: 1000, _first: 0, _sent: 40 })
    expect(all.entities.map(({ _key }) => _key)).toEqual(
      Array.from({ length: 40 }, (_, at) => String(at + 1)),
    )
  })

  test('filters, orders and pages', async () => {
    const some = await catalog.Product!.query({
      filter: 'price > :1',
      params: [30] as unknown as string[],
      orderBy: 'name desc',
      pageSize: 3,
      start: 2,
    })
    expect(served.last()).toBe(
      `GET /rest/Product?$filter="price > :1"&$orderby=name desc&$params='[30]'&$limit=3&$skip=2&$method=entityset`,
    )
    expect(some).toMatchObject({ _count: 14, _first: 2, _sent: 3 })
    expect(names(some.entities)).toEqual(['Part W', 'Part V', 'Part U'])
  })

  test('orders along relations, by several keys', async () => {
    const people = await catalog.Employee!.query({
      orderBy: 'employer.name, lastName desc',
      pageSize: 80,
    })
    const { entities } = people
    expect(entities[0]!.employer).toBe(null)
    const expected = served.store.Employee.all().orderBy('employer.name, lastName desc').page(0, 80)
    expect(entities.map(({ _key }) => Number(_key))).toEqual(expected.keys())
  })

  test('expands selected relations', async () => {
    const people = await catalog.Employee!.query({ filter: 'ID <= 3', select: 'employer,home' })
    expect(people.entities.map(({ employer, home }) => [employer.name, home.ZIP])).toEqual([
      ['Amber Bakers', '1'],
      ['Amber Bakers', '2'],
      ['Amber Bakers', '3'],
    ])
    const companies = await catalog.Company!.query({ select: 'staff', pageSize: 2 })
    expect(companies.entities.map(({ staff }) => [staff._count, staff._sent])).toEqual([
      [10, 10],
      [150, 100],
    ])
  })

  test('accepts dates, booleans, numbers, text and lists as parameters', async () => {
    const day = new Date('1960-01-28T13:00:00.447Z')
    expect(await countOf('birthDate <= :1', day)).toBe(3)
    expect(await countOf('hiringDate = :1', new Date('1999-11-06'))).toBe(1)
    expect(await countOf('isActive = :1', true)).toBe(667)
    expect(await countOf('ID > :1 and ID <= :2', 7.5, 10)).toBe(3)
    expect(await countOf('lastName = :1 and firstName = :2', 'Abara', 'Ada')).toBe(1)
    expect(await countOf('ID in :1', [1, 2, 5000])).toBe(2)
    expect(await countOf('lastName = :1', 'ab@')).toBe(25)
  })

  test('null can be written in the filter; as a parameter it is refused', async () => {
    expect(await countOf('employer = null')).toBe(17)
    const asked = catalog.Employee!.query({
      filter: 'salary = :1',
      params: [null] as unknown as string[],
    })
    const [statusText, ...codes] = await refusalOf(asked)
    expect([statusText, codes]).toEqual(['Bad Request', expect.arrayContaining([1279])])
  })

  test('special characters of addresses are plain text inside quotes', async () => {
    for (const name of ['a+b', 'a&$limit=1', 'a=b', 'a b']) {
      served.store.Product.insert({ name })
      const found = await catalog.Product!.query({ filter: 'name === :1', params: [name] })
      expect([name, names(found.entities)]).toEqual([name, [name]])
      const literal = await catalog.Product!.query({ filter: `name === '${name}'` })
      expect([name, names(literal.entities)]).toEqual([name, [name]])
    }
  })

  test('accepts an apostrophe as its code, or unchanged where it opens no quote', async () => {
    expect(await countOf('lastName = :1', "O'Brien")).toBe(25)
    expect(await countOf('lastName = :1', 'O\\u0027Brien')).toBe(25)
    expect(await countOf("lastName = 'O\\u0027Brien'")).toBe(25)
    expect(await countOf("lastName = O'Brien")).toBe(25)
  })

  // The client encodes blanks and quotes alone, and node:http takes no bytes above ASCII in an
  // address.
  test('accepts accents and percent signs that the caller has encoded', async () => {
    served.store.Employee.insert({ lastName: '50% off' })
    expect(await countOf('lastName = :1', '50%25 off')).toBe(1)
    expect(await countOf('lastName %25 off')).toBe(1)
    expect(await countOf('firstName === :1', encodeURIComponent('Émile'))).toBe(40)
  })

  test('gives an empty page with the count past the end', async () => {
    const none = await catalog.Product!.query({ start: 25, pageSize: 5 })
    expect(none).toMatchObject({ _count: 25, _first: 25, _sent: 0, entities: [] })
    const empty = await catalog.Product!.query({ filter: 'name = nosuch' })
    expect(empty).toMatchObject({ _count: 0, _first: 0, _sent: 0, entities: [] })
  })

  test('rejects invalid queries', async () => {
    for (const [options, statusText, code] of [
      [{ filter: 'price >' }, 'Bad Request', 1162],
      [{ filter: 'nosuch = 1' }, 'Bad Request', 1201],
      [{ filter: 'pin = 1' }, 'Bad Request', 1201],
      [{ filter: 'price = :2' }, 'Bad Request', 1279],
      [{ orderBy: 'nosuch' }, 'Not Found', 1810],
      [{ select: 'nosuch' }, 'Not Found', 1805],
    ] as const) {
      const params = 'filter' in options && options.filter.includes(':') ? { params: ['1'] } : {}
      const [text, ...codes] = await refusalOf(catalog.Product!.query({ ...options, ...params }))
      expect([options, text, codes]).toEqual([options, statusText, expect.arrayContaining([code])])
    }
  })
})
