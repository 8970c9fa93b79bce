import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase, openSqlStore } from '../../src/index.ts'
import { describeDatabases } from '../database.ts'

const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true }),
  members: attribute.relatedEntities('Member', 'team'),
})
const Member = defineDataClass('Member', {
  ID: attribute.long({ key: true, autoSequence: true }),
  points: attribute.long({ notNull: true, default: 1 }),
  team: attribute.relatedEntity('Team'),
  double: attribute.computed('number', { get: ({ points }: { points: number }) => 2 * points }),
})
const EXPIRED = 'Member/$entityset/0123456789ABCDEF0123456789ABCDE'
/** Requests that keep the selection of their page as a set, or create an expired set again. */
const ANNOUNCING = [
  ['a page', 'Member?$filter="points>=0"&$method=entityset'],
  ['a page in an order', 'Member?$filter="points<1000"&$orderby=points desc&$method=entityset'],
  ['a page of a relation', 'Team(1)/members?$method=entityset'],
  ['a computed attribute', 'Member?$attributes=double&$filter="points>=0"&$method=entityset'],
  ['expanded relations', 'Member?$expand=team&$method=entityset'],
  ['a filter by a computed attribute', 'Member?$filter="double>=0"&$method=entityset'],
  ['a set that had expired', `${EXPIRED}1?$savedfilter="points>=0"`],
  ['a filter of such a set', `${EXPIRED}2?$savedfilter="points>=0"&$filter="points>=0"`],
] as const

/** Before each use of a connection, another client does something. */
function interrupted(pool: SqlPool, interrupt: () => Promise<unknown>): SqlPool {
  return {
    prepares: pool.prepares,
    async query(statement) {
      await interrupt()
      return pool.query(statement)
    },
    async connect(body) {
      await interrupt()
      return pool.connect(body)
    },
    close: () => pool.close(),
  }
}

const where = { connections: 'several', on: 'one' } as const
describeDatabases('the set that a page announces', where, ({ open, newSchema }) => {
  let interrupt: () => Promise<unknown> = async () => null
  let rest: ReturnType<typeof createRestHandler>
  let disturb: () => Promise<unknown>
  beforeAll(async () => {
    const options = {
      name: 'club',
      dataClasses: [Team, Member],
      schema: newSchema(),
    }
    await migrateDatabase({ ...options, database: open() })
    const other = await openSqlStore({ ...options, database: open() })
    const store = await openSqlStore({
      ...options,
      database: interrupted(open(), () => interrupt()),
    })
    rest = createRestHandler(store)
    const team = (await other.Team.insert({ ID: 1 })) as never
    for (let at = 0; at < 6; at++) await other.Member.insert({ points: at, team })
    disturb = () => other.Member.insert({ points: 7, team })
  })

  const ask = async (url: string) => {
    const { status, body } = await rest.handle({
      method: 'GET',
      url: `/rest/${url}`,
      headers: { host: 'localhost' },
      remoteAddress: '127.0.0.1',
    })
    expect(status).toBe(200)
    return JSON.parse(String(body)) as {
      readonly __COUNT: number
      readonly __ENTITYSET?: string
      readonly __ENTITIES: readonly { readonly __KEY: string }[]
    }
  }

  test('has the members whose values are computed with it', async () => {
    interrupt = disturb
    const set = `${EXPIRED}3`
    const sum = await ask(`${set}/points?$compute=count&$savedfilter="points>=0"`)
    interrupt = async () => null
    expect((await ask(`${set}?$limit=1`)).__COUNT).toBe(sum)
  })

  test.each(ANNOUNCING)('has its members and its count: %s', async (_, url) => {
    interrupt = disturb
    const page = await ask(`${url}&$limit=1000`)
    interrupt = async () => null
    const set = await ask(`${page.__ENTITYSET?.slice(6) ?? url.split('?')[0]}?$limit=1000`)
    const keysOf = ({ __COUNT, __ENTITIES }: typeof page) => [
      __COUNT,
      ...__ENTITIES.map(({ __KEY }) => __KEY),
    ]
    expect(page.__COUNT).toBeGreaterThan(5)
    expect(keysOf(set)).toEqual(keysOf(page))
  })
})
