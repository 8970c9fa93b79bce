import type { Untyped } from '@entia/core'
import { describe, expect, test } from 'vitest'
import { type AsyncWay, createLeague, type Way } from './league.ts'

/**
 * Arguments that the types forbid and every asynchronous store refuses; each error names the
 * argument.
 */
export function describeAsyncMisuse(name: string, way: Way | AsyncWay): void {
  const openLeague = async (): Promise<Untyped> => (await way(createLeague().store))()

  describe(`${name}, given wrong arguments`, () => {
    test.each([-1, 0.5, Number.NaN, '1', undefined])('a page cannot begin at %s', async (skip) => {
      const db = await openLeague()
      const problem = /skip must be a whole number from 0, not /
      await expect(db.Player.all().page(skip, 2)).rejects.toThrow(problem)
      await expect(db.Player.all().select('name').page(skip, 2)).rejects.toThrow(problem)
      const groups = db.Player.all().groupBy('name', { count: true })
      await expect(groups.page(skip, 2)).rejects.toThrow(problem)
    })

    test.each([-1, 0.5, Number.NaN, '1', undefined])('a page cannot have %s items', async (top) => {
      const db = await openLeague()
      const problem = /top must be a whole number from 0, not /
      await expect(db.Player.all().page(0, top)).rejects.toThrow(problem)
      const groups = db.Player.all().groupBy('name', { count: true })
      await expect(groups.page(0, top)).rejects.toThrow(problem)
    })

    test('a page with an infinite number of items has all', async () => {
      const db = await openLeague()
      const all = db.Player.all()
      const { count, entities } = await all.page(0, Number.POSITIVE_INFINITY)
      expect([count, entities.length]).toEqual([8, 8])
      const groups = all.groupBy('name', { count: true })
      expect((await groups.page(0, Number.POSITIVE_INFINITY)).groups).toHaveLength(5)
    })

    // Iteration with empty pages would never end.
    test.each([0, -1, 0.5, Number.NaN, '1'])(
      'iteration in pages of %s is refused',
      async (pageSize) => {
        const db = await openLeague()
        const problem = /pageSize must be a whole number from 1, not /
        await expect(db.Player.all().iterate({ pageSize }).next()).rejects.toThrow(problem)
        await expect(db.Player.all().select('name').iterate({ pageSize }).next()).rejects.toThrow(
          problem,
        )
      },
    )

    test('an infinite page size reads everything at once', async () => {
      const db = await openLeague()
      const names: string[] = []
      const pages = db.Player.all().iterate({ pageSize: Number.POSITIVE_INFINITY })
      for await (const { name: each } of pages) names.push(each)
      expect(names).toHaveLength(8)
    })

    test.each([
      [undefined, 'undefined'],
      [null, 'null'],
      ['P9', 'the text "P9"'],
      [[{ name: 'P9' }], 'an array'],
      // A store in memory accepts such an edit; a remote one would save nothing, without an error.
      [(draft: Untyped) => void (draft.name = 'P9'), 'a function'],
      // Their contents are not attributes of theirs: read as such, they would have none.
      [Promise.resolve({ name: 'P9' }), 'an object of class Promise'],
      [new Map([['name', 'P9']]), 'an object of class Map'],
      [new URLSearchParams({ name: 'P9' }), 'an object of class URLSearchParams'],
    ])('values cannot be %s', async (values, found) => {
      const db = await openLeague()
      const problem = `The input for the "Player" dataclass must be an object of attributes, not ${found}`
      await expect((async () => db.Player.insert(values))()).rejects.toThrow(problem)
      await expect((async () => db.Player.update(1, values))()).rejects.toThrow(problem)
      const batch = [{ key: 1, goals: 1 }, values]
      await expect((async () => db.Player.saveAll(batch))()).rejects.toThrow(problem)
      expect(await db.Player.query`name = ${'P9'} or goals = ${1} and ID = ${1}`.count()).toBe(0)
    })

    test('a selection is neither written as JSON nor removed without a filter', async () => {
      const db = await openLeague()
      const set = await db.Player.all().entitySet()
      for (const rows of [db.Player.query`goals = ${3}`, set])
        expect(() => JSON.stringify(rows)).toThrow('A selection has no entities before it is read')
      const removing = (async () => db.Player.query``.remove())()
      await expect(removing).rejects.toThrow('Without a filter, remove() would delete every entity')
    })

    test('an unknown attribute is refused also if it is undefined, and a key of null is null', async () => {
      const db: Untyped = await openLeague()
      await expect(db.Player.insert({ name: 'x', nme: undefined })).rejects.toThrow('"nme"')
      expect(await db.Player.update(2, { team: { key: null } })).toMatchObject({
        kind: 'saved',
        entity: { team: null },
      })
      expect(await db.Team.update('a', { players: null, founded: '2000-01-01' })).toMatchObject({
        kind: 'saved',
        entity: { founded: '2000-01-01' },
      })
    })

    test.each([undefined, null, 5, '', ' '])('an order cannot be %j', async (order) => {
      const db: Untyped = await openLeague()
      const players = db.Player.all()
      const groups = players.groupBy('name', { count: true })
      await expect((async () => players.orderBy(order).toArray())()).rejects.toThrow(/order/i)
      await expect((async () => groups.orderBy(order).toArray())()).rejects.toThrow(/order/i)
    })

    test('an aggregate of several attributes is refused', async () => {
      const db: Untyped = await openLeague()
      const names = ['sum', 'average', 'min', 'max']
      for (const name of names)
        await expect(db.Player.all()[name]('goals, ID')).rejects.toThrow('goals, ID')
    })

    test('changes must be an array', async () => {
      const db = await openLeague()
      const saving = (async () => db.Player.saveAll({ key: 1, goals: 1 }))()
      await expect(saving).rejects.toThrow('The changes must be an array, not an object')
    })

    test('a filter as text in parentheses is refused with what to write', async () => {
      const db = await openLeague()
      expect(() => db.Player.query('goals > :1', 2)).toThrow(
        'query() takes a template or a condition, not a string. Write query`goals > $' + '{value}`',
      )
      expect(() => db.Player.query('isFit')).toThrow('Write query`isFit` without parentheses.')
    })
  })
}

/** What the asynchronous stores of the process refuse beside that. */
export function describeUnknownOptions(name: string, way: Way | AsyncWay): void {
  test.each<readonly [string, (db: Untyped, options: object) => Promise<unknown>]>([
    ['toArray', (db, options) => db.Player.all().toArray(options)],
    ['iterate', (db, options) => db.Player.all().iterate(options).next()],
    ['toArray of groups', (db, options) => db.Player.all().groupBy('name').toArray(options)],
    ['entitySet', (db, options) => db.Player.all().entitySet(options)],
    ['load', (db, options) => db.load('Player', [{ name: 'New' }], options)],
  ])(`${name}: %s refuses an unknown option`, async (_, call) => {
    const db: Untyped = await (await way(createLeague().store))()
    await expect((async () => call(db, { pagesize: 5 }))()).rejects.toThrow(
      /^The name of an option must be one of [A-Za-z, ]+, not "pagesize"\.$/,
    )
    expect(await db.Player.all().count()).toBe(8)
  })

  test.each(['nothing', 'team.nothing', 'name sideways'])(
    `${name}: an order by %s is refused, also where it would not change the result`,
    async (order) => {
      const db: Untyped = await (await way(createLeague().store))()
      for (const members of [db.Player.all(), await db.Player.all().entitySet()]) {
        const ordered = members.orderBy(order)
        const reads = [
          ordered.count(),
          ordered.sum('goals'),
          ordered.min('name'),
          ordered.distinct('team.title'),
          ordered.groupBy('name', { count: true }).toArray(),
        ]
        for (const each of await Promise.allSettled(reads)) expect(each.status).toBe('rejected')
      }
    },
  )
}
