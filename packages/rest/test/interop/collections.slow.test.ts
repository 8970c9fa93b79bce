import { describe, expect, test } from 'vitest'
import {
  catalog,
  keysOf,
  range,
  refusalOf,
  serveContacts,
  served,
  useContacts,
} from './serve-contacts.ts'

useContacts()

/** The address of the entity set of a collection, taken from the request of its next page. */
const setAsked = () =>
  /^GET (\/rest\/Employee\/\$entityset\/[0-9A-Z]{32})\?/.exec(served.last())?.[1]

describe('a collection', () => {
  test('pages forwards and backwards', async () => {
    const people = await catalog.Employee!.query({ pageSize: 20 })
    await people.nextPage()
    expect([people._first, people._sent, people._count, keysOf(people)]).toEqual([
      20,
      20,
      1000,
      range(21, 40),
    ])
    expect(served.last()).toMatch(/\?\$limit=20&\$skip=20&\$method=subentityset$/)
    await people.nextPage()
    expect(keysOf(people)).toEqual(range(41, 60))
    await people.prevPage()
    await people.prevPage()
    expect([people._first, keysOf(people)]).toEqual([0, range(1, 20)])
  })

  test('stays at its first page when paged backwards', async () => {
    const people = await catalog.Employee!.query({ pageSize: 20 })
    await people.prevPage()
    expect(served.last()).toContain('$skip=-20')
    expect([people._first, keysOf(people)]).toEqual([0, range(1, 20)])
  })

  test('is empty after its last page', async () => {
    const people = await catalog.Employee!.query({ pageSize: 400 })
    for (const [first, sent] of [
      [400, 400],
      [800, 200],
      [1200, 0],
    ]) {
      await people.nextPage()
      expect([people._first, people._sent, people.entities.length]).toEqual([first, sent, sent])
    }
    await people.prevPage()
    expect(keysOf(people)).toEqual(range(801, 1000))
  })

  test('grows until the end', async () => {
    const people = await catalog.Employee!.query({ filter: 'ID <= 25', pageSize: 10 })
    for (const count of [20, 25, 25]) {
      await people.more()
      expect([people._sent, keysOf(people)]).toEqual([count, range(1, count)])
    }
  })

  test('keeps its members and their order while values change', async () => {
    const people = await catalog.Employee!.query({
      filter: 'ID <= 6',
      orderBy: 'ID desc',
      pageSize: 3,
    })
    served.store.Employee.update(2, { lastName: 'Changed', employer: null })
    served.store.Employee.insert({ lastName: 'Late' })
    await people.nextPage()
    expect([people._count, keysOf(people)]).toEqual([6, [3, 2, 1]])
    expect(people.entities[1]).toMatchObject({ lastName: 'Changed', _stamp: 2 })
  })

  test('keeps the position of a removed member without values, and counts it', async () => {
    const people = await catalog.Employee!.query({ filter: 'ID <= 4', pageSize: 2 })
    served.store.Employee.remove(4)
    await people.nextPage()
    expect([people._count, people._sent]).toEqual([4, 2])
    expect(people.entities.map(({ _key, _stamp, lastName }) => [_key, _stamp, lastName])).toEqual([
      ['3', 1, 'Costa'],
      [undefined, 0, null],
    ])
  })

  test('keeps expanded relations from page to page', async () => {
    const people = await catalog.Employee!.query({ select: 'employer', pageSize: 5 })
    await people.nextPage()
    expect(people.entities.map(({ employer }) => employer.name)).toEqual(
      Array(5).fill('Amber Bakers'),
    )
    await people.more()
    expect(people.entities[9]!.employer.name).toBe('Basalt Bakers')
  })

  test('fetch reads another page of the same entity set, with other relations, another order or fewer members', async () => {
    const people = await catalog.Employee!.query({ filter: 'ID <= 40', pageSize: 10 })
    await people.fetch({ start: 5, pageSize: 2, select: 'employer' })
    const set = setAsked()
    expect(set).toBeDefined()
    expect([people._first, keysOf(people)]).toEqual([5, [6, 7]])
    expect(people.entities[0]!.employer._deferred).toBe(false)
    await people.fetch({ orderBy: 'ID desc', pageSize: 2 })
    expect(keysOf(people)).toEqual([40, 39])
    await people.fetch({ filter: 'ID > :1', params: [38] as unknown as string[] })
    expect([people._count, keysOf(people)]).toEqual([2, [39, 40]])
    await people.fetch()
    expect([people._count, keysOf(people)]).toEqual([40, [1, 2]])
    expect(setAsked()).toBe(set)
    expect(served.store.entitySets.list()).toHaveLength(1)
  })

  test('is paged independently of another collection', async () => {
    const [down, up] = [
      await catalog.Employee!.query({ orderBy: 'ID desc', pageSize: 2 }),
      await catalog.Employee!.query({ orderBy: 'ID', pageSize: 2 }),
    ]
    await down.nextPage()
    await up.nextPage()
    expect([keysOf(down), keysOf(up)]).toEqual([
      [998, 997],
      [3, 4],
    ])
  })

  test('is refused once its entity set is gone, and stays as it was', async () => {
    const people = await catalog.Employee!.query({ pageSize: 2 })
    for (const { id } of served.store.entitySets.list()) served.store.entitySets.release(id)
    expect(await refusalOf(people.nextPage())).toEqual(['Not Found', 1802])
    expect(keysOf(people)).toEqual([1, 2])
  })
})

test('is paged by the client that created it if entity sets belong to sessions', async () => {
  const guarded = await serveContacts({ entitySets: { scope: 'session' } })
  try {
    const { Employee } = await guarded.client().getCatalog()
    const people = await Employee!.query({ pageSize: 3 })
    await people.nextPage()
    expect(keysOf(people)).toEqual([4, 5, 6])
    const foreign = await fetch(`${guarded.origin}${guarded.last().replace('GET ', '')}`)
    expect(foreign.status).toBe(404)
  } finally {
    await guarded.close()
  }
})
