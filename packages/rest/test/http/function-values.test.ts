import { createMedia, isEntity } from '@entia/core'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, outgoing, type RestHandler } from '../../src/index.ts'
import { createSchools, type Sent, thrown } from './schools.ts'
import { expectError, get, post, result, send } from './send.ts'

let store: ReturnType<typeof createSchools>['store']
let seen: unknown[]
let rest: RestHandler
let reported: unknown[]
beforeEach(() => {
  ;({ store, seen } = createSchools())
  reported = []
  rest = createRestHandler(store, { onError: (error) => reported.push(error) })
})

const makeSet = async (query = ''): Promise<string> =>
  (await get(rest, `/rest/Students?$method=entityset${query}`)).body.__ENTITYSET

describe('parameters', () => {
  test('an array is the list of parameters; any other value is one parameter', async () => {
    const echo = (body?: unknown, headers?: { readonly [name: string]: string }) =>
      result(send(rest, 'POST', '/rest/$catalog/echo', body, headers))
    expect(await echo(['a', 1, null, { b: [true] }])).toEqual(['a', 1, null, { b: [true] }])
    expect(await echo({ one: 1 })).toEqual([{ one: 1 }])
    expect(await echo('"text"')).toEqual(['text'])
    expect(await echo('null')).toEqual([null])
    expect(await echo()).toEqual([])
    expect(await echo('[]')).toEqual([])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await echo('["O%27Brien %28x%29"]', form)).toEqual(["O'Brien (x)"])
  })

  test('any JSON value reaches the function and is answered unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }),
        async (values) => {
          const sent = JSON.stringify(values)
          fc.pre(!/"(__proto__|constructor|prototype)":/.test(sent))
          expect(await result(post(rest, '/rest/$catalog/echo', sent))).toEqual(JSON.parse(sent))
        },
      ),
    )
  })

  test('invalid JSON, too many levels or values, and names that reach a prototype are refused', async () => {
    expectError(await post(rest, '/rest/$catalog/echo', '{'), 400, 9102)
    expectError(
      await post(rest, '/rest/$catalog/echo', `[1,${'['.repeat(66)}${']'.repeat(66)}]`),
      400,
      9111,
    )
    expectError(
      await post(rest, '/rest/$catalog/echo', `[${'['.repeat(90)}${']'.repeat(90)}]`),
      400,
      9102,
    )
    expectError(await post(rest, '/rest/$catalog/echo', `[${'0,'.repeat(256)}0]`), 400, 9055)
    for (const name of ['__proto__', 'constructor', 'prototype'])
      expectError(await post(rest, '/rest/$catalog/echo', `[1,{"a":{"${name}":{}}}]`), 400, 9111)
    const reply = await post(rest, '/rest/$catalog/echo', '[1,1e999]')
    expectError(reply, 400, 9111)
    expect(reply.body.__ERROR[0].message).toContain('Parameter 2 of function "echo"')
  })

  test('an entity without a key is passed as a plain object of checked values, and is not saved', async () => {
    const sent = {
      __DATACLASS: 'Students',
      __ENTITY: true,
      firstname: 'Dan',
      born: '!!2001-02-03!!',
      notes: { a: 1 },
      ID: null,
      school: { __KEY: 2 },
      second: 1,
    }
    expect(await result(post(rest, '/rest/Students/look', [sent]))).toBe(1)
    const [student] = seen as Sent[]
    expect(isEntity(student)).toBe(false)
    expect(Object.keys(student)).toEqual([
      'firstname',
      'born',
      'notes',
      'school',
      'schoolID',
      'second',
    ])
    expect([student.born, student.notes, student.schoolID]).toEqual(['2001-02-03', { a: 1 }, 2])
    expect([student.school.name, student.second.name]).toEqual(['South', 'North'])
    expect(store.Students.count).toBe(3)
  })

  test('an entity with a key is passed as the stored entity with the sent values, and is not saved', async () => {
    const sent = {
      __DATACLASS: 'Students',
      __ENTITY: true,
      __KEY: '1',
      __STAMP: 1,
      lastname: 'Ng',
      school: '2',
      second: 2,
    }
    await post(rest, '/rest/Students/look', [sent])
    const [student] = seen as Sent[]
    expect(isEntity(student)).toBe(true)
    expect([student.key, student.stamp, student.firstname, student.lastname]).toEqual([
      1,
      1,
      'Ada',
      'Ng',
    ])
    expect([student.school.name, student.schoolID, student.second.name]).toEqual([
      'South',
      2,
      'South',
    ])
    expect(store.Students.get(1)).toMatchObject({ lastname: 'Lee', schoolID: 1, stamp: 1 })
  })

  test('an entity as it was read can be sent back', async () => {
    const read = (await get(rest, '/rest/Students(1)')).body
    await result(post(rest, '/rest/Students/look', [{ ...read, __ENTITY: true, shout: 'Oz!' }]))
    expect((seen as Sent[])[0].shout).toBe('Oz!')
    const pushed = await post(rest, '/rest/Students/pushData', [
      { ...read, __ENTITY: true, shout: 'Oz!' },
    ])
    expect([pushed.status, pushed.body.shout]).toEqual([200, 'Oz!'])
  })

  test('an entity can contain an uploaded image', async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    const id = store.uploads.put(createMedia('image/png', png))
    await post(rest, '/rest/Students/pushData', [
      { __DATACLASS: 'Students', __ENTITY: true, photo: { ID: id } },
    ])
    expect(store.Students.get(4)?.photo?.bytes()).toEqual(png)
  })

  test('a selection is passed as the whole entity set, by id or by address', async () => {
    const set = await makeSet('&$filter="ID%20<%203"&$top=1')
    const id = set.split('/').at(-1)
    for (const dataSet of [id, set])
      expect(
        await result(
          post(rest, '/rest/Students/setFinalExam', [
            { __ENTITIES: true, __DATASET: dataSet },
            'Passed',
          ]),
        ),
      ).toEqual([1, 2])
    expect(store.Students.all().select('exam')).toEqual([
      { exam: 'Passed' },
      { exam: 'Passed' },
      { exam: null },
    ])
  })

  test.each<readonly [string, unknown, number, readonly number[]]>([
    ['an unknown dataclass', { __DATACLASS: 'Nosuch', __ENTITY: true }, 400, [1800, 9111]],
    ['a hidden dataclass', { __DATACLASS: 'Vault', __ENTITY: true }, 400, [1800, 9111]],
    ['no dataclass', { __ENTITY: true, firstname: 'x' }, 400, [9111]],
    [
      'an unknown attribute',
      { __DATACLASS: 'Students', __ENTITY: true, nosuch: 1 },
      400,
      [1500, 9111],
    ],
    [
      'a hidden attribute',
      { __DATACLASS: 'Students', __ENTITY: true, secret: 'x' },
      400,
      [1500, 9111],
    ],
    [
      'a value of a wrong type',
      { __DATACLASS: 'Students', __ENTITY: true, lastname: 7 },
      400,
      [9032, 9111],
    ],
    [
      'an unknown name of the protocol',
      { __DATACLASS: 'Students', __ENTITY: true, __STMP: 7 },
      400,
      [9102, 9111],
    ],
    ['an unknown key', { __DATACLASS: 'Students', __ENTITY: true, __KEY: 99 }, 404, [1542, 9111]],
    ['a malformed key', { __DATACLASS: 'Students', __ENTITY: true, __KEY: 'x' }, 400, [1541, 9111]],
    [
      'a stale stamp',
      { __DATACLASS: 'Students', __ENTITY: true, __KEY: 1, __STAMP: 7 },
      409,
      [1263, 9111],
    ],
    [
      'a relation to nothing',
      { __DATACLASS: 'Students', __ENTITY: true, school: 9 },
      422,
      [9033, 9111],
    ],
    ['an unknown set', { __ENTITIES: true, __DATASET: 'F'.repeat(32) }, 404, [1802, 9111]],
    ['no set', { __ENTITIES: true }, 400, [9111]],
  ])(
    '%s is refused with its place, and the function is not called',
    async (_, parameter, status, codes) => {
      const reply = await post(rest, '/rest/Students/look', ['first', parameter])
      expectError(reply, status, ...codes)
      expect(reply.body.__ERROR.at(-1).message).toContain('Parameter 2 of function "look"')
      expect([seen, reported]).toEqual([[], []])
    },
  )

  test('a set of another dataclass is refused, and one of a hidden dataclass is unknown', async () => {
    const set = await makeSet()
    const wrong = set.replace('Students', 'Schools')
    expectError(
      await post(rest, '/rest/Students/look', [{ __ENTITIES: true, __DATASET: wrong }]),
      404,
      1803,
      9111,
    )
    const hidden = store.entitySets.create(store.Vault.all())
    expectError(
      await post(rest, '/rest/Students/look', [{ __ENTITIES: true, __DATASET: hidden }]),
      404,
      1802,
      9111,
    )
  })

  test('pushData of the documentation creates, updates and relates entities', async () => {
    const student = { __DATACLASS: 'Students', __ENTITY: true, firstname: 'Ann', lastname: 'Brown' }
    const created = await post(rest, '/rest/Students/pushData', [student])
    expect(created.status).toBe(200)
    expect(created.body).toMatchObject({
      __entityModel: 'Students',
      __DATACLASS: 'Students',
      __KEY: '4',
      __STAMP: 1,
      lastname: 'BROWN',
      school: null,
    })
    expect(created.body).not.toHaveProperty('result')
    const renamed = { ...student, __KEY: '4', lastname: 'Brownie' }
    expect((await post(rest, '/rest/Students/pushData', [renamed])).body).toMatchObject({
      __KEY: '4',
      __STAMP: 2,
      firstname: 'Ann',
      lastname: 'BROWNIE',
    })
    const placed = { ...student, __KEY: 4, school: { __KEY: 2 }, second: { __KEY: 1 } }
    expect((await post(rest, '/rest/Students/pushData', [placed])).body).toMatchObject({
      __STAMP: 3,
      school: { __deferred: { uri: '/rest/Schools[2]', __KEY: '2' } },
      second: { __deferred: { __KEY: '1' } },
    })
  })
})

describe('results', () => {
  const evaluated = (what: string, query = '') =>
    post(rest, `/rest/$catalog/evaluate${query}`, [what])

  test('values and promises of values are answered as the result', async () => {
    for (const [what, expected] of [
      ['undefined', null],
      ['null', null],
      ['zero', 0],
      ['promise', 'later'],
      ['no entity', null],
      [
        'object',
        {
          a: [1, null, { b: 'x' }],
          holes: [null, null],
          at: '1970-01-01T00:00:00.000Z',
          point: { x: 1 },
        },
      ],
    ] as const)
      expect(await result(evaluated(what))).toEqual(expected)
  })

  test('an entity is answered as a read answers it', async () => {
    const read = await get(rest, '/rest/Students(2)')
    expect((await post(rest, '/rest/Students(2)/me')).body).toEqual(read.body)
    expect((await evaluated('async entity')).body).toEqual(read.body)
    expect(
      (await post(rest, '/rest/Students(2)/me?$attributes=firstname,school.name')).body,
    ).toEqual((await get(rest, '/rest/Students(2)?$attributes=firstname,school.name')).body)
    expect(read.text).not.toContain('hush')
  })

  test('a selection is answered as a page, and kept on request', async () => {
    const page = '$skip=1&$top=1&$attributes=firstname'
    expect((await post(rest, `/rest/Students/itself?${page}`)).body).toEqual(
      (await get(rest, `/rest/Students?${page}`)).body,
    )
    const kept = (await post(rest, `/rest/Students/itself?${page}&$method=entityset`)).body
    expect(kept).toMatchObject({ __COUNT: 3, __SENT: 1, __FIRST: 1 })
    expect((await get(rest, kept.__ENTITYSET)).body.__COUNT).toBe(3)
    for (let n = 4; n <= 120; n++) store.Students.insert({ firstname: `s${n}` })
    expect((await post(rest, '/rest/Students/itself')).body).toMatchObject({
      __COUNT: 120,
      __SENT: 100,
    })
  })

  test('entities and selections inside a result have the form of reads', async () => {
    const inside = (await result(evaluated('inside'))) as Sent
    expect(inside.one).toEqual((await get(rest, '/rest/Students(1)')).body)
    expect(inside.all[0]).toEqual((await get(rest, '/rest/Students?$filter="ID%20<%203"')).body)
    expect(JSON.stringify(inside)).not.toContain('hush')
  })

  test('requested attributes that the result does not have are refused', async () => {
    expectError(await post(rest, '/rest/Students(2)/me?$attributes=nosuch'), 404, 1500, 1804)
    expect(reported).toEqual([])
  })

  test.each([
    ['vault', 'The result', 'Vault'],
    ['vault inside', 'The result[0].v', 'Vault'],
    ['function', 'The result.deep[0]', 'function'],
    ['bigint', 'The result', 'bigint'],
    ['NaN', 'The result[0]', 'NaN'],
    ['cycle', 'The result.self.inner', 'holds itself'],
    ['map', 'The result.m', 'collection'],
    ['photo', 'The result.nested', 'promise'],
  ])(
    'a result that is not JSON (%s) is 500: only the host gets the place',
    async (what, place, why) => {
      const reply = await evaluated(what)
      expectError(reply, 500, 9010)
      expect(reply.text).not.toContain('Vault')
      const [error] = reported as [Error]
      expect([reported.length, error.message.startsWith(`${place} `)]).toEqual([1, true])
      expect(error.message).toContain(why)
    },
  )

  test('a custom reply is sent unchanged', async () => {
    const csv = await rest.handle({
      method: 'POST',
      url: '/rest/$catalog/evaluate',
      body: '["csv"]',
    })
    expect([csv.status, csv.headers['content-type'], csv.body]).toEqual([
      201,
      'text/csv; charset=utf-8',
      'a;b\n',
    ])
    expect(csv.headers['x-content-type-options']).toBe('nosniff')
    const bytes = await rest.handle({
      method: 'POST',
      url: '/rest/$catalog/evaluate',
      body: '["bytes"]',
    })
    expect([bytes.headers['content-type'], bytes.body]).toEqual([
      'application/octet-stream',
      new Uint8Array([1, 2, 255]),
    ])
  })

  test('a custom reply cannot break a header or omit its body', () => {
    for (const mediaType of ['text/html\r\nset-cookie: a=b', 'text', 'text/html; charset="x"', ''])
      expect(() => outgoing('x', { mediaType })).toThrow('media type')
    for (const status of [100, 199, 204, 304, 600, 200.5])
      expect(() => outgoing('x', { status })).toThrow('status')
    expect(() => outgoing(7 as unknown as string)).toThrow('body')
  })
})

describe('errors of a function', () => {
  const evaluated = (what: string) => post(rest, '/rest/$catalog/evaluate', [what])

  test.each(['throw', 'reject'])(
    'is 500 without its message, and the host is notified (%s)',
    async (what) => {
      const reply = await evaluated(what)
      expectError(reply, 500, 9010)
      expect(reply.text).not.toContain('secret')
      expect(reported).toEqual([thrown])
    },
  )

  test('undefined is reported as an error, too', async () => {
    expectError(await evaluated('throw nothing'), 500, 9010)
    expect((reported as [Error])[0].message).toContain('undefined')
  })

  test('are answered with their own number if they refuse the call', async () => {
    const reply = await evaluated('refuse')
    expectError(reply, 422, 10_042)
    expect(reply.body.__ERROR[0]).toMatchObject({
      message: 'closed on Sundays',
      componentSignature: 'app',
    })
    expectError(await evaluated('missing'), 404, 1542)
    expectError(await evaluated('refused'), 422, 10_001, 1570)
    expect(reported).toEqual([])
  })

  test('are answered with 500 if the number is reserved or the function has a defect', async () => {
    for (const what of ['refuse low', 'own mistake']) {
      const reply = await evaluated(what)
      expectError(reply, 500, 9010)
      expect(reply.text).not.toContain('secret')
    }
    expect(reported.length).toBe(2)
  })

  test('do not name anything hidden', async () => {
    const reply = await evaluated('hidden fault')
    expect([reply.status, reply.text.includes('Vault')]).toEqual([409, false])
  })
})
