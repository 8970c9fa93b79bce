import { attribute, defineDataClass, keyOf } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run, type TestDatabase } from '../database.ts'
import { RoundTrips } from '../engine/round-trips.ts'

const City = defineDataClass('City', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
})
interface Cities {
  readonly City: { get(key: number): { readonly name: string } | undefined }
}

/** A hook copies the name of the city, so that what it has read can be seen later. */
const House = defineDataClass(
  'House',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    owner: attribute.string(),
    floors: attribute.long(),
    seen: attribute.string(),
    city: attribute.relatedEntity('City'),
  },
  {
    hooks: {
      beforeSave(draft, { store }) {
        // A key where it was set, an entity where it was read.
        const city: unknown = draft.city
        const key = typeof city === 'object' && city !== null ? keyOf(city) : city
        const found = (store as unknown as Cities).City.get(Number(key))
        draft.seen = found?.name ?? null
      },
    },
  },
)
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
  extra: attribute.object(),
  city: attribute.relatedEntity('City'),
})

interface Expected {
  readonly ID: number
  stamp: number
  owner: string | null
  floors: number
  seen: string | null
  city: number | null
}

/** A hook that depends on the number of a new entity. */
const Ticket = defineDataClass(
  'Ticket',
  { ID: attribute.long({ key: true, autoSequence: true }), code: attribute.string() },
  {
    hooks: {
      beforeSave(draft) {
        draft.code = `T${draft.ID}`
      },
    },
  },
)

async function openProcess({ schema, open }: Pick<TestDatabase, 'schema' | 'open'>) {
  const trips = new RoundTrips()
  const database = open({ onSend: trips.onSend })
  const options = {
    name: 'houses',
    dataClasses: [City, House, Note, Ticket],
    database,
    schema,
  }
  await migrateDatabase(options)
  const store = await openSqlStore(options)
  const rest = createRestHandler(store)
  let cookie = ''
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await rest.handle({
      method,
      url: `/rest/${path}`,
      headers: { host: 'localhost', cookie },
      remoteAddress: '127.0.0.1',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const given = answer.headers['set-cookie']
    if (given !== undefined) cookie = String(given).split(';')[0]!
    // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
    return { status: answer.status, body: JSON.parse(String(answer.body)) as any }
  }
  return {
    trips,
    ask,
    save: (dataClass: string, body: unknown, more = '') =>
      ask('POST', `${dataClass}?$method=update${more}`, body),
    close: () => store.close(),
  }
}

describeDatabases('entities that were read lately', {}, (database) => {
  let first: Awaited<ReturnType<typeof openProcess>>
  let second: typeof first
  beforeAll(async () => {
    first = await openProcess(database)
    second = await openProcess(database)
    for (const name of ['Paris', 'Rome']) await first.save('City', { name })
  })
  afterAll(async () => {
    await Promise.all([first.close(), second.close()])
  })

  /** A note that the first process has in mind. */
  async function knownNote(): Promise<number> {
    const { body } = await first.save('Note', { text: 'new' })
    await first.save('Note', { __KEY: body.ID, text: 'known' })
    return body.ID
  }
  const noteOf = async (key: number) => (await second.ask('GET', `Note(${key})`)).body

  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
  const contentOf = ({ __KEY, __STAMP, ID, text, extra, city }: any) => ({
    ...{ __KEY, __STAMP, ID, text, extra },
    city: city?.__deferred.__KEY ?? null,
  })

  test('are changed in one round trip, which stores the history too', async () => {
    const key = await knownNote()
    first.trips.take()
    const { body } = await first.save('Note', { __KEY: key, text: 'again', extra: { a: [1] } })
    expect(first.trips.take()).toBe(1)
    expect(body).toMatchObject({ __STAMP: 3, text: 'again', extra: { a: [1] } })
    expect(await noteOf(key)).toMatchObject({ __STAMP: 3, text: 'again', extra: { a: [1] } })
    const { rows } = await run(
      database.pool,
      `SELECT kind, stamp, replaced::text, written::text FROM "${database.schema}".entia_change
        WHERE class = 'Note' AND key = $1 ORDER BY stamp`,
      String(key),
    )
    expect(rows.at(-1)).toEqual([
      'update',
      3,
      '{"text":"known","extra":null}',
      '{"text":"again","extra":{"a":[1]}}',
    ])
  })

  test('are removed in one round trip', async () => {
    const key = await knownNote()
    first.trips.take()
    expect((await first.ask('POST', `Note(${key})?$method=delete`)).status).toBe(200)
    expect(first.trips.take()).toBe(1)
    expect((await second.ask('GET', `Note(${key})`)).status).toBe(404)
  })

  test('are read again if another process has changed them', async () => {
    const key = await knownNote()
    await second.save('Note', { __KEY: key, text: 'theirs' })
    const stale = await first.save('Note', { __KEY: key, __STAMP: 2, text: 'ours' })
    expect(stale.status).toBe(409)
    expect(stale.body.__ENTITIES?.[0] ?? stale.body).toMatchObject({ text: 'theirs' })
    await second.save('Note', { __KEY: key, text: 'theirs again' })
    const { body } = await first.save('Note', { __KEY: key, extra: {} })
    expect(body).toMatchObject({ __STAMP: 5, text: 'theirs again', extra: {} })
  })

  test('are not written if another session has locked them', async () => {
    const key = await knownNote()
    expect((await second.ask('GET', `Note(${key})?$lock=true`)).body.result).toBe(true)
    expect((await first.save('Note', { __KEY: key, text: 'ours' })).status).toBe(423)
    expect((await first.ask('POST', `Note(${key})?$method=delete`)).status).toBe(423)
    expect((await second.save('Note', { __KEY: key, text: 'theirs' })).status).toBe(200)
    expect((await second.ask('GET', `Note(${key})?$lock=false`)).body.result).toBe(true)
    expect(await noteOf(key)).toMatchObject({ text: 'theirs' })
  })

  test('are not found if another process has removed them', async () => {
    const key = await knownNote()
    await second.ask('POST', `Note(${key})?$method=delete`)
    expect((await first.save('Note', { __KEY: key, text: 'ours' })).status).toBe(404)
  })

  test('are forgotten in another epoch, although they have their stamps', async () => {
    const key = await knownNote()
    const { schema } = database
    await run(
      database.pool,
      `UPDATE "${schema}"."Note" SET text = 'of the standby', "text$" = 'of the standby'
        WHERE "ID" = $1`,
      key,
    )
    await run(database.pool, `SELECT "${schema}".entia_new_epoch()`)
    const { body } = await first.save('Note', { __KEY: key, extra: { b: 1 } })
    expect(body).toMatchObject({ text: 'of the standby', extra: { b: 1 } })
  })

  test('let a new entity be stored in one round trip, with its history', async () => {
    const city = (await first.save('City', { name: 'Lund' })).body.ID
    // Given keys take two round trips.
    await first.save('Note', { text: 'zero', city })
    first.trips.take()
    const one = (await first.save('Note', { ID: 5000, text: 'one', city })).body
    expect(first.trips.take()).toBe(2)
    first.trips.take()
    const two = (await first.save('Note', { text: 'öne "2"', extra: { a: 1 }, city })).body
    expect(first.trips.take()).toBe(1)
    expect(contentOf(two)).toEqual(contentOf(await noteOf(two.ID)))
    const { rows } = await run(
      database.pool,
      `SELECT c.key, c.kind, c.ord, c.record = n._rec, c.stamp, c.timestamp = n._ts, c.replaced,
          c.written::text FROM "${database.schema}".entia_change AS c
        JOIN "${database.schema}"."Note" AS n ON c.key = n."ID"::text
        WHERE c.class = 'Note' AND n."ID" = ANY ($1::integer[]) ORDER BY n."ID"`,
      [one.ID, two.ID],
    )
    const [, , , , , , , written] = rows[0]!
    const text = String(written)
      .replace('"ID":5000', `"ID":${two.ID}`)
      .replace('"one"', JSON.stringify('öne "2"'))
      .replace('"extra":null', '"extra":{"a":1}')
    expect(rows).toEqual([
      ['5000', 'insert', 0, true, 1, true, null, written],
      [String(two.ID), 'insert', 0, true, 1, true, null, text],
    ])
    expect((await first.save('Note', { __KEY: two.ID, text: 'changed' })).body.__STAMP).toBe(2)
  })

  test('number new entities of two processes densely, each answer with its own', async () => {
    const before = (await first.save('Note', { text: 'before' })).body.ID
    await second.save('Note', { text: 'before too' })
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const { save } = at % 3 === 0 ? second : first
        if (at % 5 > 0) return [(await save('Note', { text: `n${at}`, extra: { at } })).body]
        const items = [0, 1, 2].map((part) => ({ text: `n${at}`, extra: { at, part } }))
        return (await save('Note', items, '&$atomic=true')).body.__ENTITIES
      }),
    )
    const keys: number[] = []
    for (const [at, list] of answers.entries())
      for (const [part, answer] of list.entries()) {
        keys.push(answer.ID)
        expect(answer).toMatchObject({
          __KEY: String(answer.ID),
          text: `n${at}`,
          extra: list.length > 1 ? { at, part } : { at },
        })
        expect(contentOf(answer)).toEqual(contentOf(await noteOf(answer.ID)))
      }
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.sort((a, b) => a - b)).toEqual(keys.map((_, at) => before + 2 + at))
  })

  test('leave numbers that a hook depends on to the first round trip', async () => {
    for (const { save } of [first, second, first, second, first]) {
      const { body } = await save('Ticket', {})
      expect(body.code).toBe(`T${body.ID}`)
    }
  })

  test('lead two processes to what one process would store', async () => {
    const step = fc.record({
      by: fc.constantFrom(0, 1),
      what: fc.constantFrom('owner', 'floors', 'city', 'renamed'),
      house: fc.constantFrom(0, 1),
      city: fc.constantFrom(0, 1),
      isStale: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
        const processes = [first, second]
        const cities: { ID: number; name: string }[] = []
        for (const name of ['Oslo', 'Bonn']) cities.push((await first.save('City', { name })).body)
        const houses: Expected[] = []
        for (const floors of [0, 1]) {
          const { ID } = (await first.save('House', { floors })).body
          houses.push({ ID, stamp: 1, owner: null, floors, seen: null, city: null })
        }
        let value = 10
        for (const { by, what, house: at, city, isStale } of steps) {
          const { save } = processes[by]!
          value++
          const named = cities[city]!
          if (what === 'renamed') {
            named.name = `City ${value}`
            await save('City', { __KEY: named.ID, name: named.name })
            continue
          }
          const before = houses[at]!
          const changes = {
            city: { city: named.ID },
            owner: { owner: `Owner ${value}` },
            floors: { floors: value },
          }
          const change = {
            __KEY: before.ID,
            __STAMP: before.stamp - Number(isStale),
            ...changes[what],
          }
          expect((await save('House', change)).status).toBe(isStale ? 409 : 200)
          // A save of unchanged values writes nothing and runs no hook.
          if (isStale || (what === 'city' && before.city === named.ID)) continue
          const now = { ...before, ...changes[what] }
          now.seen = cities.find(({ ID }) => ID === now.city)?.name ?? null
          if (JSON.stringify(now) !== JSON.stringify(before)) now.stamp++
          houses[at] = now
        }
        for (const house of houses) {
          const {
            ID,
            __STAMP: stamp,
            owner,
            floors,
            seen,
            city,
          } = (await second.ask('GET', `House(${house.ID})`)).body
          const key = city === null ? null : Number(city.__deferred.__KEY)
          expect({ ID, stamp, owner, floors, seen, city: key }).toEqual(house)
        }
      }),
      runs(8, 3),
    )
  })
})
