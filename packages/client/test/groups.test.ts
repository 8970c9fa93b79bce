import { describe, expect, expectTypeOf, test } from 'vitest'
import { openRemote } from './company.ts'

describe('groups', () => {
  test('have the values and types that they have in the store', async () => {
    const { remote, store } = openRemote()
    const aggregates = { count: true, salary: ['average', 'max', 'sum'] } as const
    const here = store.Employee.all().groupBy('employer.city', aggregates)
    const there = remote.Employee.all().groupBy('employer.city', aggregates)
    expect(await there.toArray()).toEqual(here.toArray())
    expect([await there.count(), await there.first()]).toEqual([here.count, here.first()])
    expectTypeOf(here.toArray()).toEqualTypeOf<
      readonly {
        readonly 'employer.city': string | null
        readonly count: number
        readonly salary: {
          readonly average: number | null
          readonly max: number | null
          readonly sum: number
        }
      }[]
    >()
    expectTypeOf(await there.toArray()).toEqualTypeOf([...here.toArray()])
  })

  test('filters, conditions, orders and pages apply, each with its own values', async () => {
    const { remote, store, requests } = openRemote()
    const here = store.Employee.query('salary >= :1', [10_000])
      .groupBy('lastName', { salary: ['max'] })
      .having('salary.max < :1 and lastName != :2', [10_500, 'N101'])
      .orderBy('salary.max desc')
    const there = remote.Employee.query`salary >= ${10_000}`
      .orderBy('lastName')
      .groupBy('lastName', { salary: ['max'] }).having`salary.max < ${10_500}`
      .having`lastName != ${'N101'}`.orderBy('salary.max desc')
    expect(await there.page(1, 2)).toEqual({
      count: 4,
      skip: 1,
      groups: here.page(1, 2).toArray(),
    })
    expect(requests.join('\n')).toContain(
      '$groupby=lastName&$aggregates=salary.max&$having="(salary.max < :2) and (lastName != :3)"',
    )
  })

  test('calendar dates and spans of time are ISO 8601 days', async () => {
    const { remote, store } = openRemote()
    const founded = { founded: ['min', 'max', 'count'], ID: 'sum' } as const
    expect(
      await remote.Company.all().groupBy('founded.year, founded.week', founded).toArray(),
    ).toEqual(store.Company.all().groupBy('founded.year, founded.week', founded).toArray())
    const hired = { count: true, 'employer.founded': ['min'], hired: ['max'] } as const
    const groups = remote.Employee.all().groupBy('employer.name, hired.month', hired)
    expect(await groups.toArray()).toEqual(
      store.Employee.all().groupBy('employer.name, hired.month', hired).toArray(),
    )
    expect(await groups.first()).toEqual({
      'employer.name': 'Acme',
      'employer.founded': { min: '1980-01-15' },
      'hired.month': '2020-02-01',
      count: 125,
      hired: { max: '2020-02-29T10:00:00.000Z' },
    })
  })

  test('are all read, also if the server sends few at once', async () => {
    const { remote } = openRemote({ limits: { maxTop: 100 } })
    const names: string[] = []
    for await (const { lastName } of remote.Employee.all().groupBy('lastName')) names.push(lastName)
    expect(names).toEqual(Array.from({ length: 250 }, (_, at) => `N${String(at).padStart(3, '0')}`))
  })

  test('an entity set groups its members', async () => {
    const { remote, store } = openRemote()
    const set = await remote.Employee.query`salary < ${1000}`.entitySet()
    store.Employee.remove(1)
    expect(await set.groupBy('employerName', { count: true }).toArray()).toEqual([
      { employerName: 'Acme', count: 4 },
      { employerName: 'Éclair "& Co"', count: 5 },
    ])
  })

  test('unknown names are refused by the compiler and by the server', async () => {
    const { remote } = openRemote()
    const missing = 'employer.town' as const
    // @ts-expect-error there is no such attribute
    await expect(remote.Employee.all().groupBy(missing).first()).rejects.toThrow('town')
    const bad = { lastName: ['sum'] } as const
    // @ts-expect-error texts have no sum
    await expect(remote.Employee.all().groupBy('hired', bad).first()).rejects.toThrow('sum')
    const groups = remote.Employee.all().groupBy('hired', { count: true })
    await expect(groups.orderBy('salary').first()).rejects.toThrow('Known: hired, count')
    await expect(groups.having`salary > ${1}`.first()).rejects.toThrow('"salary"')
  })
})
