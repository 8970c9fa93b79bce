import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { errCodes, expectError, get, post, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

const update = (body: unknown, query = '') =>
  post(rest, `/rest/Employee?$method=update${query}`, body)
const itemCodes = (item: object): readonly number[] => errCodes({ body: item })

/** The state must be byte for byte the same after the call. */
async function unchanged<T>(call: () => Promise<T>): Promise<T> {
  const before = store.dump()
  const result = await call()
  expect(Buffer.compare(Buffer.from(store.dump()), Buffer.from(before))).toBe(0)
  return result
}

describe('creating and updating', () => {
  test('$isoTimestamps applies to answers of one entity, lists and failures', async () => {
    const now = async () => (await get(rest, '/rest/Employee[1]')).body.__TIMESTAMP
    const iso = '&$isoTimestamps=true'
    const { body } = await update({ __KEY: 1, salary: 61_000 }, iso)
    expect(body.__TIMESTAMP).toBe(await now())
    const stale = await update({ __KEY: 1, __STAMP: 1, salary: 1 }, iso)
    expect([stale.status, stale.body.__TIMESTAMP]).toEqual([409, await now()])
    const list = await update([{ __KEY: 1, salary: 62_000 }], iso)
    expect(list.body.__ENTITIES[0].__TIMESTAMP).toBe(await now())
    expect((await update({ __KEY: 1, salary: 1 })).body.__TIMESTAMP).toMatch(/^!!/)
    expect((await update({ __KEY: 1 }, '&$isoTimestamps=maybe')).status).toBe(400)
  })

  test('a creation answers the stored entity, with deferred relations last', async () => {
    const { status, body } = await update({
      firstName: 'Mary',
      lastName: 'Shelley',
      employer: '2',
      ID: null,
      birthDate: '30!8!1797',
    })
    expect(status).toBe(200)
    expect(Object.keys(body).slice(0, 5)).toEqual([
      '__STATUS',
      '__KEY',
      '__STAMP',
      'uri',
      '__TIMESTAMP',
    ])
    expect(Object.keys(body).at(-1)).toBe('employer')
    expect(body).toMatchObject({
      __STATUS: { success: true },
      __KEY: '5',
      __STAMP: 1,
      uri: '/rest/Employee[5]',
      __TIMESTAMP: '!!2024-01-31!!',
      ID: 5,
      firstName: 'Mary',
      salary: null,
      birthDate: '!!1797-08-30!!',
      employerID: 2,
      employer: { __deferred: { uri: '/rest/Company[2]', __KEY: '2' } },
      employerName: 'Apple',
    })
    expect((await get(rest, body.uri)).body.lastName).toBe('Shelley')
  })

  test('POST and PUT without $method update; the key may be in the address', async () => {
    expect((await post(rest, '/rest/Employee', { __KEY: 1, salary: 1 })).body.salary).toBe(1)
    expect((await post(rest, '/rest/Employee(1)', { salary: 2 })).body).toMatchObject({
      salary: 2,
      __STAMP: 4,
    })
    expect((await send(rest, 'PUT', '/rest/Employee[1]', { salary: 3 })).body.salary).toBe(3)
    expect((await post(rest, '/rest/Employee:email(ada@x.org)', { salary: 4 })).body.__KEY).toBe(
      '1',
    )
    expectError(
      await unchanged(() => post(rest, '/rest/Employee(1)', { __KEY: '2', salary: 9 })),
      400,
      9102,
      1517,
    )
    expectError(await unchanged(() => post(rest, '/rest/Employee(1)', [{ salary: 9 }])), 400, 9102)
  })

  test('a stamp is compared if it is sent, and rises by one', async () => {
    const { body } = await update({ __KEY: '1', __STAMP: 2, salary: 51_000 })
    expect(body).toMatchObject({ __STAMP: 3, salary: 51_000, firstName: 'Ada' })
    expect((await update({ __KEY: '1', salary: 52_000 })).body.__STAMP).toBe(4)
  })

  test('a stale stamp answers 409 with the stored entity', async () => {
    const reply = await unchanged(() => update({ __KEY: '1', __STAMP: 1, salary: 1 }))
    expect(reply.status).toBe(409)
    expect(reply.body).toMatchObject({
      __STATUS: { status: 2, statusText: 'Stamp has changed', success: false },
      __KEY: '1',
      __STAMP: 2,
      __TIMESTAMP: '!!2024-01-31!!',
      salary: 50_000,
    })
    expect(errCodes(reply)).toEqual([1263, 1046, 1517])
    expect(reply.body.__ERROR[1].message).toContain('of database hr')
    for (const stamp of [0, -1])
      expect((await update({ __KEY: '1', __STAMP: stamp })).status).toBe(409)
    for (const stamp of ['x', {}, [2], 1.5, true])
      expect((await update({ __KEY: '1', __STAMP: stamp })).status).toBe(400)
  })

  test('an update that changes nothing succeeds and keeps the stamp', async () => {
    const reply = await unchanged(() =>
      update({
        __KEY: '1',
        __STAMP: 2,
        salary: 50_000,
        ID: 1,
        fullName: 'Ada Byron',
        employerName: 'Adobe',
      }),
    )
    expect([reply.status, reply.body.__STAMP]).toEqual([200, 2])
  })

  test('an entity can be sent back as it was read, without a change', async () => {
    const read = (await get(rest, '/rest/Employee(1)')).body
    expect((await unchanged(() => update(read))).status).toBe(200)
    expect((await update({ ...read, salary: 7 })).body).toMatchObject({ salary: 7, __STAMP: 3 })
    const company = (await get(rest, '/rest/Company(1)?$expand=employees')).body
    expect(
      (await unchanged(() => post(rest, '/rest/Company?$method=update', company))).status,
    ).toBe(200)
  })

  test('if a relation and its foreign key are sent, the changed one counts', async () => {
    const read = (await get(rest, '/rest/Employee(1)')).body
    expect((await update({ ...read, employerID: 2 })).body.employer.__deferred.__KEY).toBe('2')
    const again = (await get(rest, '/rest/Employee(1)')).body
    expect((await update({ ...again, employer: { __KEY: '3' } })).body.employerID).toBe(3)
  })

  test('a relation is written as null, a key, or anything with its __KEY', async () => {
    for (const [employer, key] of [
      ['2', '2'],
      [1, '1'],
      [{ __KEY: '3' }, '3'],
      [{ __deferred: { uri: 'x', __KEY: '2' } }, '2'],
      [{ __KEY: { ID: 1 } }, '1'],
    ])
      expect((await update({ __KEY: '1', employer })).body.employer.__deferred.__KEY).toBe(key)
    expect((await update({ __KEY: '1', employer: null })).body.employer).toBeNull()
    expectError(await unchanged(() => update({ __KEY: '1', employer: 99 })), 422, 9033, 1517)
    for (const employer of [[1], { x: 1 }, 'abc', true])
      expect((await unchanged(() => update({ __KEY: '1', employer }))).status).toBe(400)
  })

  test('__KEY may be an object of the key attribute, and an unknown one is 1542', async () => {
    expect((await update({ __KEY: { ID: 1 }, salary: 5 })).body.__KEY).toBe('1')
    expectError(await unchanged(() => update({ __KEY: '98712764', salary: 5 })), 404, 1542)
    for (const key of [{}, [1], true, { __proto__: 1 }, 'abc', { ID: null }])
      expect((await unchanged(() => update({ __KEY: key, salary: 5 }))).status).toBe(400)
  })

  test('names of the protocol are never attributes; unknown and hidden names get the same error', async () => {
    const body = {
      __KEY: '1',
      __DATACLASS: 'Company',
      __STATUS: 1,
      __ERROR: [],
      uri: 'x',
      __TIMESTAMP: 'x',
      salary: 8,
    }
    expect((await update(body)).status).toBe(200)
    const unknown = await unchanged(() => post(rest, '/rest/Company', { __KEY: '1', nosuch: 1 }))
    const hidden = await unchanged(() =>
      post(rest, '/rest/Company', { __KEY: '1', secretRating: 1 }),
    )
    expectError(unknown, 400, 1500, 1517)
    expect(hidden.text.replaceAll('secretRating', 'nosuch')).toBe(unknown.text)
    expectError(await unchanged(() => update({ __KEY: '1', constructor: 1 })), 400, 1500, 1517)
  })

  test('computed values and aliases may only repeat stored values', async () => {
    expectError(await unchanged(() => update({ __KEY: '1', fullName: 'X' })), 400, 1516, 1517)
    expectError(await unchanged(() => update({ __KEY: '1', ID: 9 })), 400, 1516, 1517)
    expect((await update({ lastName: 'New', fullName: null, employerName: null })).status).toBe(200)
  })

  test('refusals have their status, the error stack and the number of __STATUS', async () => {
    const cases: readonly (readonly [object, number, readonly number[], number | undefined])[] = [
      [{ salary: -1 }, 422, [1568, 1570, 1534], 7],
      [{ salary: 99_000 }, 422, [1569, 1570, 1534], 7],
      [{ lastName: 'Refused' }, 422, [10001, 1570, 1534], 8],
      [{ email: 'ada@x.org' }, 409, [9030, 1534], 4],
      [{ ID: 1 }, 409, [1545, 1534], 4],
      [{ salary: 'much' }, 400, [9032, 1534], undefined],
      [{ lastName: 5 }, 400, [9032, 1534], undefined],
      [{ active: 'yes' }, 400, [9032, 1534], undefined],
      [{ birthDate: '2024-13-45' }, 400, [9032, 1534], undefined],
      [{ notes: 'text' }, 400, [9032, 1534], undefined],
      [{ photo: 'text' }, 400, [9032, 1534], undefined],
      [{ photo: { __deferred: { uri: 'file:///etc/passwd' } } }, 400, [9032, 1534], undefined],
      [{ cv: 'http://169.254.169.254/' }, 400, [9032, 1534], undefined],
    ]
    for (const [body, status, codes, state] of cases) {
      const reply = await unchanged(() => update(body))
      expect([body, reply.status, errCodes(reply), reply.body.__STATUS?.status]).toEqual([
        body,
        status,
        codes,
        state,
      ])
    }
    expectError(
      await unchanged(() => post(rest, '/rest/Company', { city: 'x' })),
      422,
      9031,
      1570,
      1534,
    )
  })

  test('a failed update answers the stored entity', async () => {
    const reply = await unchanged(() => update({ __KEY: '1', salary: -1, firstName: 'X' }))
    expect(reply.body).toMatchObject({
      __STATUS: { success: false },
      __KEY: '1',
      __STAMP: 2,
      firstName: 'Ada',
      salary: 50_000,
    })
  })

  test('$expand applies to the answer', async () => {
    const { body } = await update({ __KEY: '1', firstName: 'Arnaud' }, '&$expand=employer')
    expect(body.employer).toMatchObject({
      __KEY: '1',
      name: 'Adobe',
      employees: { __deferred: expect.anything() },
    })
  })

  test('an object of the greatest depth that the engine stores is accepted in every form of body', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
    const notes = nested(64) as { a: unknown }
    store.Employee.update(2, { notes })
    const read = (await get(rest, '/rest/Employee(2)?$attributes=notes')).body
    for (const body of [read, [read], { __ENTITIES: [read] }])
      expect((await update(body)).status).toBe(200)
    for (const entity of [
      { __KEY: '2', notes: nested(65) },
      { __KEY: '2', notes: { a: [[nested(62)]] } },
    ])
      for (const body of [entity, [entity], { __ENTITIES: [entity] }])
        expect((await unchanged(() => update(body))).status).toBe(400)
    expect(store.Employee.get(2)?.notes).toEqual(notes)
  })

  test('object attributes are stored whole', async () => {
    expect((await update({ __KEY: '2', notes: { foo: 'bar' } })).body).toMatchObject({
      notes: { foo: 'bar' },
      __STAMP: 2,
    })
    expect((await update({ __KEY: '2', notes: { foo: 'bar', baz: 1136 } })).body).toMatchObject({
      notes: { foo: 'bar', baz: 1136 },
      __STAMP: 3,
    })
    expect((await update({ __KEY: '2', notes: null })).body.notes).toBeNull()
  })

  test('a write with If-Match requires the current ETag', async () => {
    const guarded = (ifMatch: string) =>
      send(rest, 'PUT', '/rest/Employee(1)', { salary: 9 }, { 'if-match': ifMatch })
    expectError(await unchanged(() => guarded('"1"')), 412, 9110)
    expectError(await unchanged(() => guarded('nonsense')), 412, 9110)
    expect((await guarded('"2"')).status).toBe(200)
    expect((await guarded('*')).status).toBe(200)
    expectError(
      await unchanged(() =>
        send(rest, 'DELETE', '/rest/Employee(1)', undefined, { 'if-match': '"99"' }),
      ),
      412,
      9110,
    )
  })

  test('$method=insert only creates', async () => {
    expect(
      (await post(rest, '/rest/Employee?$method=insert', { lastName: 'New' })).body.__KEY,
    ).toBe('5')
    expectError(
      await unchanged(() =>
        post(rest, '/rest/Employee?$method=insert', { __KEY: '1', lastName: 'X' }),
      ),
      400,
      9109,
      1534,
    )
    expectError(
      await unchanged(() => post(rest, '/rest/Employee(1)?$method=insert', { lastName: 'X' })),
      400,
      9109,
      1534,
    )
  })

  test('$refresh computes and stores nothing', async () => {
    const created = await unchanged(() =>
      update({ firstName: 'A', lastName: 'B' }, '&$refresh=true'),
    )
    expect(created.body).toMatchObject({ __STAMP: 0, ID: null, fullName: 'A B' })
    expect(Object.hasOwn(created.body, '__KEY')).toBe(false)
    const changed = await unchanged(() =>
      update({ __KEY: '1', firstName: 'Zoe' }, '&$refresh=true'),
    )
    expect(changed.body).toMatchObject({ __KEY: '1', __STAMP: 2, fullName: 'Zoe Byron' })
  })
})

describe('a new entity that was not stored', () => {
  const isAddressed = (item: object) => JSON.stringify(item).includes('/rest/')

  test('has neither a key nor an address; members with an address are null', async () => {
    const unstored = [
      (await unchanged(() => post(rest, '/rest/Company?$refresh=true', { name: 'New' }))).body,
      (
        await unchanged(() =>
          post(rest, '/rest/Company?$refresh=true&$expand=employees', { name: 'New' }),
        )
      ).body,
      (
        await unchanged(() =>
          post(rest, '/rest/Company?$atomic=true', [{ name: 'New' }, { name: null }]),
        )
      ).body.__ENTITIES[0],
    ]
    for (const item of unstored) {
      expect(item).toMatchObject({ __STAMP: 0, ID: null, name: 'New', employees: null })
      expect([Object.hasOwn(item, '__KEY'), Object.hasOwn(item, 'uri'), isAddressed(item)]).toEqual(
        [false, false, false],
      )
    }
  })

  test('has the address of a related stored entity, but none of its own image', async () => {
    const bytes = new Uint8Array([1, 2, 3])
    const Album = defineDataClass('Album', {
      ID: attribute.uuid({ key: true }),
      cover: attribute.image({ default: { mediaType: 'image/png', bytes } }),
      parent: attribute.relatedEntity('Album'),
    })
    const albums = createDataStore({ name: 'albums', dataClasses: [Album] })
    const key = albums.Album.insert({ ID: 'A'.repeat(32) }).ID
    const handler = createRestHandler(albums)
    const { body } = await post(handler, '/rest/Album?$refresh=true', { parent: key })
    expect(body).toMatchObject({ ID: null, cover: null, parent: { __deferred: { __KEY: key } } })
    expect((await get(handler, `/rest/Album(${key})`)).body.cover.__deferred.uri).toContain(
      `/rest/Album[${key}]/cover`,
    )
  })
})

describe('batches', () => {
  test('an array is answered with one item per input, also for one', async () => {
    const { status, body } = await update([{ __KEY: '1', salary: 1 }, { lastName: 'New' }])
    expect([status, Object.keys(body)]).toEqual([200, ['__ENTITIES']])
    expect(
      body.__ENTITIES.map((e: { __KEY: string; __STAMP: number }) => [e.__KEY, e.__STAMP]),
    ).toEqual([
      ['1', 3],
      ['5', 1],
    ])
    expect((await update([{ __KEY: '1', salary: 2 }])).body.__ENTITIES).toHaveLength(1)
    expect((await update([])).body).toEqual({ __ENTITIES: [] })
    expect(
      (await update({ __ENTITIES: [{ __KEY: '1', salary: 3 }] })).body.__ENTITIES[0].salary,
    ).toBe(3)
  })

  test('without $atomic the valid items are saved: 207', async () => {
    const { status, body } = await update([
      { __KEY: '1', __STAMP: 1, salary: 1 },
      { __KEY: '2', __STAMP: 1, salary: 2 },
      { __KEY: '99', salary: 3 },
      { nosuch: 1 },
    ])
    expect([status, Object.hasOwn(body, '__ERROR')]).toEqual([207, false])
    expect(body.__ENTITIES.map(itemCodes)).toEqual([[1263, 1046, 1517], [], [1542], [1500, 1534]])
    expect(body.__ENTITIES[0]).toMatchObject({
      __STATUS: { status: 2 },
      __STAMP: 2,
      salary: 50_000,
    })
    expect(body.__ENTITIES[1]).toMatchObject({
      __STATUS: { success: true },
      __KEY: '2',
      __STAMP: 2,
      salary: 2,
    })
    expect(body.__ENTITIES[2].__KEY).toBe('99')
    expect([store.Employee.get(1)?.salary, store.Employee.get(2)?.salary]).toEqual([50_000, 2])
  })

  test('a deletion that fails in part reports errors by item, as an update does', async () => {
    const items = [{ __KEY: '99' }, { __KEY: '1' }]
    const updated = await update(items)
    const removed = await post(rest, '/rest/Employee?$method=delete', items)
    for (const { status, body } of [updated, removed]) {
      expect([status, Object.keys(body)]).toEqual([207, ['__ENTITIES']])
      expect(body.__ENTITIES.map(itemCodes)).toEqual([[1542], []])
    }
  })

  test('if all items fail, the status is that of the first', async () => {
    const reply = await unchanged(() =>
      update([{ __KEY: '1', __STAMP: 1, salary: 1 }, { __KEY: '99' }]),
    )
    expectError(reply, 409, 1263, 1046, 1517, 1542)
    expect(reply.body.__ENTITIES).toHaveLength(2)
  })

  test('a later item sees the changes of earlier ones, such as a unique value set free', async () => {
    const swap = [
      { __KEY: '1', email: 'tmp@x.org' },
      { __KEY: '2', email: 'ada@x.org' },
      { __KEY: '1', email: 'grace@x.org' },
    ]
    const { status } = await update(swap, '&$atomic=true')
    expect(status).toBe(200)
    expect([store.Employee.get(1)?.email, store.Employee.get(2)?.email]).toEqual([
      'grace@x.org',
      'ada@x.org',
    ])
  })

  test('$atomic saves all in one commit', async () => {
    const stamp = store.globalStamp
    const { status, body } = await update(
      [{ __KEY: '1', salary: 1 }, { lastName: 'New' }],
      '&$atomic=true',
    )
    expect([status, store.globalStamp]).toEqual([200, stamp + 1])
    expect(body.__ENTITIES[1]).toMatchObject({
      __STATUS: { success: true },
      __KEY: '5',
      __STAMP: 1,
    })
    const single = await post(rest, '/rest/Company?$atomic=true', { __KEY: 1, name: 'Harry' })
    expect(single.body).toMatchObject({ name: 'Harry', __STAMP: 2 })
  })

  test.each([
    ['stale', { __KEY: '2', __STAMP: 9, salary: 1 }, 409, [1263, 1046, 1517]],
    ['unknown key', { __KEY: '999' }, 404, [1542]],
    ['validation', { __KEY: '2', salary: 99_000 }, 422, [1569, 1570, 1517]],
    ['unique', { lastName: 'X', email: 'ada@x.org' }, 409, [9030, 1534]],
    ['unique inside the batch', { lastName: 'X', email: 'new@x.org' }, 409, [9030, 1534]],
    ['wrong type', { __KEY: '2', salary: 'x' }, 400, [9032, 1517]],
    ['unknown attribute', { nosuch: 1 }, 400, [1500, 1534]],
    ['missing relation', { __KEY: '2', employer: 99 }, 422, [9033, 1517]],
  ])(
    'a failed $atomic batch (%s) saves nothing and answers all items',
    async (_name, bad, status, codes) => {
      for (const query of ['&$atomic=true', '&$atOnce=true', '&$atonce=1']) {
        const good = [
          { __KEY: '1', salary: 45_000 },
          { lastName: 'New', email: 'new@x.org' },
        ]
        const reply = await unchanged(() =>
          update([...good, bad, { __KEY: '3', salary: 5 }], query),
        )
        expectError(reply, status, ...codes)
        expect(reply.body.__ENTITIES.map(itemCodes)).toEqual([[], [], codes, []])
        expect(reply.body.__ENTITIES[0]).toMatchObject({
          __STATUS: { success: true },
          __KEY: '1',
          __STAMP: 2,
          salary: 45_000,
        })
        // An entity that was not created has no key, and the sequence has not advanced.
        expect(reply.body.__ENTITIES[1]).toMatchObject({ __STAMP: 0, ID: null, lastName: 'New' })
        expect(Object.hasOwn(reply.body.__ENTITIES[1], '__KEY')).toBe(false)
      }
      expect((await update({ lastName: 'Next' })).body.__KEY).toBe('5')
    },
  )

  test('$method=insert&$atOnce creates both or none', async () => {
    const insert = (body: unknown) => post(rest, '/rest/Company?$method=insert&$atOnce=true', body)
    expect(
      (await insert([{ name: 'A' }, { name: 'B' }])).body.__ENTITIES.map(
        (e: { __KEY: string }) => e.__KEY,
      ),
    ).toEqual(['5', '6'])
    expectError(
      await unchanged(() => insert([{ name: 'C' }, { name: null }])),
      422,
      9031,
      1570,
      1534,
    )
  })

  test('with $filter, entities outside it are 1542', async () => {
    const reply = await unchanged(() =>
      update(
        [
          { __KEY: '1', salary: 1 },
          { __KEY: '3', salary: 1 },
        ],
        '&$atomic=true&$filter="employer.ID=1"&$orderby=lastName',
      ),
    )
    expectError(reply, 404, 1542)
    expect(
      (await update([{ __KEY: '1', salary: 1 }], '&$atomic=true&$filter="employer.ID=1"')).status,
    ).toBe(200)
  })

  test('entities that refer to each other can be created in one batch with given keys', async () => {
    const { status } = await post(rest, '/rest/Employee?$atomic=true', [
      { ID: 50, lastName: 'A' },
      { __KEY: '50', lastName: 'B' },
    ])
    expect(status).toBe(200)
    expect(store.Employee.get(50)?.lastName).toBe('B')
  })

  test('a large atomic batch with a wrong last item stores nothing', async () => {
    const many = [...Array.from({ length: 500 }, (_, n) => ({ lastName: `n${n}` })), { salary: -1 }]
    expect((await unchanged(() => update(many, '&$atomic=true'))).status).toBe(422)
  })
})

describe('deleting', () => {
  test('by key, with POST or DELETE', async () => {
    expect((await post(rest, '/rest/Employee(1)/?$method=delete')).body).toEqual({ ok: true })
    expectError(await get(rest, '/rest/Employee(1)'), 404, 1543)
    expect((await send(rest, 'DELETE', '/rest/Employee[2]')).body).toEqual({ ok: true })
    expectError(await send(rest, 'DELETE', '/rest/Employee[2]'), 404, 1543)
    expect((await send(rest, 'DELETE', '/rest/Employee:email(ann@x.org)')).body).toEqual({
      ok: true,
    })
    expect(store.Employee.count).toBe(1)
  })

  test('by filter, also when nothing matches', async () => {
    expect((await post(rest, '/rest/Employee?$filter="ID>99"&$method=delete')).body).toEqual({
      ok: true,
    })
    expect(
      (await post(rest, '/rest/Employee?$filter="salary>:1"&$params=[35000]&$method=delete')).body,
    ).toEqual({
      ok: true,
    })
    expect(store.Employee.all().keys()).toEqual([3, 4])
  })

  test('by the keys of a body, narrowed by a filter', async () => {
    expect(
      (
        await post(rest, '/rest/Employee?$method=delete', [
          { __KEY: '1' },
          { __KEY: 2, __STAMP: 1 },
        ])
      ).body,
    ).toEqual({ ok: true })
    const outside = await unchanged(() =>
      post(rest, '/rest/Employee?$method=delete&$filter="ID=4"', [{ __KEY: '3' }]),
    )
    expectError(outside, 404, 1542)
    expect((await send(rest, 'DELETE', '/rest/Employee', { __KEY: '3' })).body).toEqual({
      ok: true,
    })
    expect(store.Employee.count).toBe(1)
  })

  test('requires a key, a filter or a body', async () => {
    for (const call of [
      () => post(rest, '/rest/Employee?$method=delete'),
      () => post(rest, '/rest/Employee?$method=delete', {}),
      () => send(rest, 'DELETE', '/rest/Employee'),
      () => send(rest, 'DELETE', '/rest/Employee?$filter='),
      () => send(rest, 'DELETE', '/rest/Employee?$filter="  "'),
    ])
      expectError(await unchanged(call), 400, 1813)
  })

  test('with an invalid filter deletes nothing', async () => {
    for (const filter of [
      'lastName =',
      'nosuch = 1',
      'salary > :1',
      'salary > abc',
      '((ID=1',
      'ID ~ 1',
      'process.exit(1)',
    ]) {
      const reply = await unchanged(() =>
        send(rest, 'DELETE', `/rest/Employee?$filter="${filter}"`),
      )
      expect([filter, reply.status]).toEqual([filter, 400])
    }
  })

  test('without $atomic removes the entities that can be removed: 207', async () => {
    const { status, body } = await post(rest, '/rest/Employee?$method=delete', [
      { __KEY: '1' },
      { __KEY: '99' },
      { __KEY: '2', __STAMP: 7 },
    ])
    expect(status).toBe(207)
    expect(body.__ENTITIES.map(itemCodes)).toEqual([[], [1542], [1263, 1518]])
    expect(body.__ENTITIES[0]).toEqual({ __STATUS: { success: true }, __KEY: '1' })
    expect(body.__ENTITIES[2]).toMatchObject({ __KEY: '2', lastName: 'Hopper', __STAMP: 1 })
    expect(Object.keys(body)).toEqual(['__ENTITIES'])
    expect(store.Employee.all().keys()).toEqual([2, 3, 4])
  })

  test('$atomic deletes all or nothing, by body and by filter', async () => {
    expectError(
      await unchanged(() =>
        post(rest, '/rest/Employee?$method=delete&$atomic=true', [{ __KEY: '1' }, { __KEY: '99' }]),
      ),
      404,
      1542,
    )
    expectError(
      await unchanged(() =>
        post(rest, '/rest/Company?$method=delete&$atomic=true&$filter="ID>=1"'),
      ),
      409,
      9034,
      1518,
    )
    expect(
      (
        await post(rest, '/rest/Employee?$method=delete&$atomic=true', [
          { __KEY: '1' },
          { __KEY: '2' },
        ])
      ).body,
    ).toEqual({ ok: true })
  })

  test('a restricted deletion is 409; by filter the others still go', async () => {
    expectError(await unchanged(() => send(rest, 'DELETE', '/rest/Company(1)')), 409, 9034, 1518)
    const { status, body } = await post(rest, '/rest/Company?$method=delete&$filter="ID>=1"')
    expect(status).toBe(207)
    expect(body.__ENTITIES.map((e: { __KEY: string }) => e.__KEY)).toEqual(['1', '2', '3', '4'])
    expect(store.Company.all().keys()).toEqual([1, 2])
  })
})
