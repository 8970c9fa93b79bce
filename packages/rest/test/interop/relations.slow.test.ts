import { describe, expect, test } from 'vitest'
import {
  type Collection,
  catalog,
  type Entity,
  keysOf,
  range,
  served,
  useContacts,
} from './serve-contacts.ts'

useContacts()

describe('a deferred collection', () => {
  test('is fetched by its address as an entity set of the related class', async () => {
    const { staff } = await catalog.Company!.find(2)
    expect(staff._deferred).toBe(true)
    await staff.fetch({ pageSize: 30 })
    expect(served.last()).toBe(
      'GET /rest/Company[2]/staff?$expand=staff&$limit=30&$method=subentityset',
    )
    expect([staff._deferred, staff._count, staff._first, staff._sent]).toEqual([false, 150, 0, 30])
    expect(keysOf(staff)).toEqual(range(11, 40))
    await staff.nextPage()
    expect(served.last()).toMatch(
      /^GET \/rest\/Employee\/\$entityset\/[0-9A-F]{32}\?\$limit=30&\$skip=30&/i,
    )
    expect(keysOf(staff)).toEqual(range(41, 70))
    await staff.more()
    expect(keysOf(staff)).toEqual(range(41, 100))
    await staff.prevPage()
    await staff.prevPage()
    expect(keysOf(staff)).toEqual(range(11, 40))
  })

  test('is fetched filtered, ordered and from a position on', async () => {
    const { staff } = await catalog.Company!.find(2)
    await staff.fetch({ filter: 'ID > 100', orderBy: 'ID desc', start: 1, pageSize: 2 })
    expect([staff._count, staff._first, keysOf(staff)]).toEqual([60, 1, [159, 158]])
    await staff.nextPage()
    expect([staff._count, staff._first, keysOf(staff)]).toEqual([60, 3, [157, 156]])
  })

  test('has 40 entities per page, and none for an entity without references', async () => {
    const { staff, manager } = await catalog.Company!.find(2)
    await staff.fetch()
    expect([staff._sent, manager]).toEqual([40, null])
    const { managed } = await catalog.Employee!.find(1)
    await managed.fetch()
    expect(managed).toMatchObject({
      _deferred: false,
      _count: 0,
      _first: 0,
      _sent: 0,
      entities: [],
    })
  })

  test('is of an entity with any key', async () => {
    const { residents } = await catalog.Place!.find("King's Landing (old)")
    await residents.fetch({ pageSize: 3 })
    expect([residents._count, keysOf(residents)]).toEqual([4, [1, 4, 7]])
    await residents.more()
    expect(keysOf(residents)).toEqual([1, 4, 7, 10])
  })
})

describe('an expanded collection', () => {
  test('has its first hundred entities, and next pages are fetched', async () => {
    const { staff } = await catalog.Company!.find(2, { select: 'staff' })
    expect([staff._deferred, staff._count, staff._first, staff._sent]).toEqual([false, 150, 0, 100])
    expect(keysOf(staff)).toEqual(range(11, 110))
    await staff.nextPage()
    expect(served.last()).toBe(
      'GET /rest/Company[2]/staff?$expand=staff&$limit=100&$skip=100&$method=subentityset',
    )
    expect([staff._first, keysOf(staff)]).toEqual([100, range(111, 160)])
    await staff.prevPage()
    expect(served.last()).toContain('/rest/Employee/$entityset/')
    expect(keysOf(staff)).toEqual(range(11, 110))
  })

  test('grows by further pages', async () => {
    const { staff } = await catalog.Company!.find(2, { select: 'staff' })
    await staff.more()
    expect([staff._sent, keysOf(staff)]).toEqual([150, range(11, 160)])
  })

  test('is paged within a page of a query too', async () => {
    const companies = await catalog.Company!.query({ select: 'staff', pageSize: 2 })
    const staff: Collection<Entity> = companies.entities[1]!.staff
    await staff.nextPage()
    expect(keysOf(staff)).toEqual(range(111, 160))
    await companies.nextPage()
    expect(companies.entities[0]!.staff.entities.length).toBeGreaterThan(0)
  })
})
