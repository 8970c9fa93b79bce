import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { expectError, get, post, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

describe('__ENTITIES as one object', () => {
  test('saves that entity and answers as a body of one entity', async () => {
    const made = await post(rest, '/rest/Company', { __ENTITIES: { name: 'New', city: 'Rome' } })
    expect([made.status, made.body.name, made.body.__STATUS]).toEqual([
      200,
      'New',
      { success: true },
    ])
    const one = await post(rest, '/rest/Company?$method=update', {
      __ENTITIES: { __KEY: '1', __STAMP: 1, city: 'Nice' },
    })
    expect([one.status, one.body.city, store.Company.get(1)?.city]).toEqual([200, 'Nice', 'Nice'])
    const addressed = await post(rest, '/rest/Company(2)', { __ENTITIES: { city: 'Oslo' } })
    expect([addressed.status, addressed.body.__KEY]).toEqual([200, '2'])
    expect(
      (await send(rest, 'POST', '/rest/Company?$method=delete', { __ENTITIES: { __KEY: '4' } }))
        .status,
    ).toBe(200)
    expect(store.Company.all().keys()).toEqual([1, 2, 3, 5])
  })
})

const wrong = [
  ...[
    '"text"',
    '5',
    'true',
    'null',
    '[1]',
    '["x"]',
    '[null]',
    '[[]]',
    '[[{"name":"x"}]]',
    '[{"name":"x"},[]]',
  ],
  ...[1, 'x', true, null, {}, [1], [[]], [null], ['x']].map((value) =>
    JSON.stringify({ __ENTITIES: value }),
  ),
  '[{"__ENTITIES":[{"name":"x"}]}]',
  '[{"__ENTITIES":{"name":"x"}}]',
  '{"__ENTITIES":{"__ENTITIES":[{"name":"x"}]}}',
  '{"__ENTITIES":[{"name":"x"}],"name":"y"}',
  '{"__deferred":{"uri":"/rest/Company[1]","__KEY":"1"}}',
  ...['[]', '{}', '{"ID":[]}', '{"x":1}', 'true', '""', '"x"', '1.5', '{"ID":{"ID":1}}'].map(
    (key) => `{"__KEY":${key},"name":"x"}`,
  ),
  ...['"1"', '[]', '{}', 'true', '1.5', '"x"'].map(
    (stamp) => `{"__KEY":"1","__STAMP":${stamp},"name":"x"}`,
  ),
  '{"__ENTITY":{"name":"x"}}',
  ...['[]', '{}', '["1"]', '{"__deferred":{}}', '{"__deferred":null}', 'true', '{"__KEY":[]}'].map(
    (owner) => `{"name":"x","owner":${owner}}`,
  ),
  ...['{}', '[]', '5', '{"__deferred":null}', '{"__ENTITIES":{}}'].map(
    (many) => `{"name":"x","employees":${many}}`,
  ),
]

test.each(wrong)('%s is refused, and nothing is stored', async (body) => {
  const before = store.globalStamp
  const writes = [
    '/rest/Company',
    '/rest/Company?$method=insert',
    '/rest/Company?$atomic=true',
    '/rest/Company(1)',
  ]
  for (const url of [...writes, '/rest/Company?$refresh=true', '/rest/Company?$method=delete']) {
    const reply = await post(rest, url, body)
    // A deletion reads only keys and stamps. A key that no entity can have is not found.
    const isRead = !url.includes('delete') || !/"(?:owner|employees)"/.test(body)
    const statuses = body.includes('"__KEY":') ? [400, 404] : [400]
    if (isRead || reply.status >= 400)
      expect([url, statuses]).toEqual([url, expect.arrayContaining([reply.status])])
    expect([url, store.globalStamp]).toEqual([url, before])
  }
})

const memberName = fc.constantFrom(
  ...[
    '__ENTITIES',
    '__ENTITY',
    '__KEY',
    '__STAMP',
    '__DATACLASS',
    '__COUNT',
    '__ERROR',
    '__deferred',
    '__ISNEW',
  ],
  ...['name', 'city', 'revenue', 'owner', 'employees', 'uri', '__nope', 'nope'],
)
const { shape } = fc.letrec((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, 1, 7, '1', 'x', 'Adobe'),
    fc.array(tie('shape'), { maxLength: 3 }),
    fc.dictionary(memberName, tie('shape'), { maxKeys: 4 }),
  ),
}))

/** The entities of a body; null for a body of a wrong shape. */
function entitiesOf(body: unknown): readonly object[] | null {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
  const isEntity = (value: unknown): value is object =>
    isObject(value) &&
    !Array.isArray(value) &&
    ['__ENTITIES', '__ENTITY', '__deferred'].every(
      (name) => !isObject((value as Record<string, unknown>)[name]),
    )
  const listed =
    typeof body === 'object' && body !== null && '__ENTITIES' in body ? body.__ENTITIES : body
  const all = Array.isArray(listed) ? listed : [listed]
  return all.every(isEntity) ? all : null
}

test('a body of a wrong shape is refused and stores nothing', async () => {
  const saved: number[] = []
  await fc.assert(
    fc.asyncProperty(
      shape,
      fc.constantFrom(
        '',
        '(1)',
        '?$method=insert',
        '?$atomic=true',
        '?$method=delete',
        '?$refresh=true',
      ),
      async (body, suffix) => {
        const { globalStamp } = store
        const reply = await post(rest, `/rest/Company${suffix}`, JSON.stringify(body))
        const entities = entitiesOf(body)
        expect([200, 207, 400, 404, 409, 422]).toContain(reply.status)
        if (reply.status >= 400) expect(store.globalStamp).toBe(globalStamp)
        else {
          expect(entities).not.toBeNull()
          // Each entity was read: of every one that was saved, what it said is stored.
          const items = reply.body.__ENTITIES ?? [reply.body]
          if (suffix !== '?$method=delete')
            for (const [at, entity] of entities!.entries())
              if (items[at].__STATUS.success && 'name' in entity)
                expect(items[at].name).toBe(entity.name)
          saved.push(reply.status)
        }
      },
    ),
    runs(2000, 2000),
  )
  expect(saved.length).toBeGreaterThan(20)
})

describe('__ISNEW', () => {
  test.each([true, false, null, 1])('%j is ignored in every entity of a body', async (isNew) => {
    const more = { __ISNEW: isNew }
    const count = store.Company.count
    expect((await post(rest, '/rest/Company', { name: 'A', ...more })).status).toBe(200)
    expect(
      (
        await post(rest, '/rest/Company', [
          { name: 'B', ...more },
          { __KEY: '1', city: 'C', ...more },
        ])
      ).status,
    ).toBe(200)
    expect(
      (await post(rest, '/rest/Company', { __ENTITIES: [{ name: 'D', ...more }], ...more })).status,
    ).toBe(200)
    expect((await post(rest, '/rest/Company?$refresh=true', { name: 'E', ...more })).status).toBe(
      200,
    )
    expect((await post(rest, '/rest/Company(1)', { city: 'F', ...more })).body.city).toBe('F')
    const employer = { __KEY: '2', ...more }
    expect(
      (await post(rest, '/rest/Employee', { __KEY: '1', employer, ...more })).body.employerID,
    ).toBe(2)
    const parameter = { __ENTITY: true, __DATACLASS: 'Employee', __KEY: '1', ...more }
    expect((await post(rest, '/rest/Employee(1)/greet', [parameter])).status).toBe(200)
    expect(
      (await post(rest, '/rest/Company?$method=delete', [{ __KEY: '4', ...more }])).status,
    ).toBe(200)
    expect((await send(rest, 'DELETE', '/rest/Company(3)', more)).status).toBe(200)
    expect(store.Company.count).toBe(count + 1)
  })

  test('other names that begin with __ are still refused', async () => {
    expectError(
      await post(rest, '/rest/Company', { __ENTITIES: { name: 'x' }, __ISNWE: true }),
      400,
      9102,
    )
    expect((await get(rest, '/rest/Company')).body.__COUNT).toBe(4)
  })
})
