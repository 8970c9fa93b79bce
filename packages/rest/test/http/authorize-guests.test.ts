import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import type { Browser } from './browser.ts'
import { BY_HEADER, type Rules, serveDesk } from './permitted-desk.ts'
import { errCodes, expectError, type Reply } from './send.ts'

const actions = ['read', 'create', 'update', 'delete', 'lock']
const attributes = ['title', 'rank', 'folder', 'folderID', 'photo', 'secret', 'code']
const rules = [
  ...actions.map((action) => `${action} Doc`),
  ...attributes.flatMap((name) => [`update Doc.${name}`, `create Doc.${name}`, `read Doc.${name}`]),
  ...[
    'read Folder',
    'describe Folder',
    'call Doc/titles',
    'call Doc/find',
    'call -/ping',
    'call -/Press.print',
  ],
]

/** Questions that a filter may answer. */
const rows = [...actions.map((action) => `${action} Doc`), 'read Folder']

type Asked = readonly [method: string, url: string, body?: unknown]
const values = fc.record(
  {
    title: fc.constantFrom('alpha', 'new'),
    rank: fc.constantFrom(1, 9, 1000),
    folder: fc.constantFrom(1, 2, null, 77),
    folderID: fc.constantFrom(1, 2),
    secret: fc.constantFrom('hush alpha', 'told'),
    photo: fc.constant(null),
    nope: fc.constant(1),
  },
  { requiredKeys: [] },
)
const item = fc
  .tuple(fc.option(fc.integer({ min: 1, max: 5 })), values)
  .map(([key, more]) => (key === null ? more : { __KEY: `${key}`, ...more }))
const key = fc.integer({ min: 1, max: 5 })
const name = fc.constantFrom(...attributes, 'folder.name', 'nope')
const request: fc.Arbitrary<Asked> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.oneof(item, fc.array(item, { maxLength: 3 })),
        fc.constantFrom(
          '',
          '?$atomic=true',
          '?$refresh=true',
          '?$method=insert',
          '?$method=update',
        ),
      )
      .map(([body, suffix]): Asked => ['POST', `/rest/Doc${suffix}`, body]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, values).map(([at, body]): Asked => ['PUT', `/rest/Doc(${at})`, body]),
  },
  fc.tuple(key, name).map(([at, attribute]): Asked => ['GET', `/rest/Doc(${at})/${attribute}`]),
  fc.tuple(key, name).map(([at, attribute]): Asked => ['DELETE', `/rest/Doc(${at})/${attribute}`]),
  fc
    .tuple(
      name,
      fc.constantFrom(
        '$attributes=N',
        '$expand=N',
        '$filter="N is null"',
        '$orderby=N',
        '$distinct=true&$attributes=N',
        '$compute=count&$attributes=N',
        '$live=true&$attributes=N',
        '$format=dashboard&$attributes=N',
        '$method=entityset&$orderby=N',
      ),
    )
    .map(
      ([attribute, parameter]): Asked => ['GET', `/rest/Doc?${parameter.replace('N', attribute)}`],
    ),
  key.map((at): Asked => ['DELETE', `/rest/Doc(${at})`]),
  fc.constantFrom<Asked>(
    ['DELETE', '/rest/Doc?$filter="ID < 3"'],
    ['POST', '/rest/Doc?$method=delete', [{ __KEY: '1' }, { __KEY: '9' }]],
    ['GET', '/rest/Doc(1)?$lock=false'],
    ['GET', '/rest/Doc/titles'],
    ['POST', '/rest/Doc/find', [1]],
    ['POST', '/rest/$catalog/ping', []],
    ['POST', '/rest/$singleton/Press/print', []],
    ['GET', '/rest/Doc(1)/folder'],
    ['GET', '/rest/Doc(1)/photo?$expand=photo&$rawPict=true'],
    ['GET', '/rest/Doc(1)?$lock=true'],
    ['GET', '/rest/Doc?$method=entityset'],
    ['GET', '/rest/Doc?$compute=$all&$attributes=rank'],
    ['GET', '/rest/Doc(1)/mentions?$method=subentityset&$expand=mentions'],
    ['POST', '/rest/Doc/aboutTitle', []],
    ['POST', '/rest/Doc(4)/aboutTitle', []],
    ['POST', '/rest/Doc/everything', []],
    ['POST', '/rest/Doc/titleOf', [{ __DATACLASS: 'Doc', __ENTITY: true, __KEY: '3' }]],
    ['POST', '/rest/Doc/ids', [{ __DATASET: 'none' }]],
    ['GET', '/rest/$info/privileges'],
    ['GET', '/rest/Folder(1)/docs'],
    ['GET', '/rest/$catalog/$all'],
    ['GET', '/rest/Doc/nope'],
    ['GET', '/rest/Nope'],
  ),
)

const DENIED = [1557, 1558, 1559, 1560, 1561, 1608]

/** The error for a guest, by the error for a user. */
function forGuest({ status, text, body }: Reply): readonly [number, string] {
  const asGuest = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.flatMap((each) =>
        DENIED.includes((each as { errCode?: number })?.errCode ?? 0)
          ? [asGuest(each), LOGIN]
          : [asGuest(each)],
      )
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([member, inner]) => [member, asGuest(inner)]),
    )
  }
  return [
    status === 403 ? 401 : status,
    text.startsWith('{') ? JSON.stringify(asGuest(body)) : text,
  ]
}
const LOGIN = { message: 'login', componentSignature: 'entia', errCode: 9120 }

/** The answer without the messages of outer errors, which repeat the inner ones. */
const inShort = ([status, text]: readonly [number, string]): readonly [number, string] => [
  status,
  text
    .replace(/("message":")(?:[^"\\]|\\.)*"/g, '$1"')
    .replace(/"__GlobalStamp":\d+|[0-9A-F]{32}/gi, ''),
]

test(
  'a guest gets 401 where a user gets 403, and the same answer otherwise',
  async () => {
    const often = runs(200)
    const reported = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(rules, { maxLength: 8 }),
        fc.subarray(rows, { maxLength: 3 }),
        fc.array(request, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (refused, filtered, asked, isIdentified) => {
          const rule: Rules = Object.fromEntries([
            ...filtered.map((question) => [question, 'ID < 3']),
            ...refused.map((question) => [question, false]),
          ])
          const options = isIdentified ? BY_HEADER : {}
          const [one, two] = [serveDesk(rule, options), serveDesk(rule, options)]
          const user = await one.as('ann')
          const ask = (browser: Browser, [method, url, body]: Asked): Promise<Reply> =>
            browser.send(method, url, body)
          for (const each of asked) {
            const [known, guest] = [await ask(user, each), await ask(two.guest, each)]
            reported.set(guest.status, (reported.get(guest.status) ?? 0) + 1)
            // A lock belongs to a session, which a guest of such a host does not have.
            if (isIdentified && each[1].includes('$lock=true') && known.body.result === true) {
              expect([each, guest.status, errCodes(guest)]).toEqual([each, 401, [9120]])
              continue
            }
            expect([each, ...inShort([guest.status, guest.text])]).toEqual([
              each,
              ...inShort(forGuest(known)),
            ])
            // A refusal of the dataclass takes precedence over that of an attribute.
            const [method] = each
            const codes = JSON.stringify(known.body ?? {})
            if (
              refused.includes('read Doc') &&
              each[1].startsWith('/rest/Doc') &&
              !/titles|find|aboutTitle|everything|titleOf|ids/.test(each[1])
            )
              expect([each, known.status]).toEqual([each, 403])
            if (method === 'PUT' && refused.includes('update Doc'))
              expect(codes).not.toContain('1608')
            if (each[1].includes('insert') && refused.includes('create Doc'))
              expect(codes).not.toContain('1608')
          }
        },
      ),
      often,
    )
    // A few runs do not cover all of them.
    for (const status of often.numRuns < 100 ? [] : [200, 401, 404])
      expect(reported.get(status)).toBeGreaterThan(often.numRuns / 20)
  },
  patience.timeout,
)

test('writing a forbidden attribute as a guest is 401 with the login address, alone and in a batch', async () => {
  const { guest, store } = serveDesk({ 'update Doc.rank': false, 'create Doc.rank': false })
  const reply = await guest.post('/rest/Doc(1)', { rank: 9 })
  expectError(reply, 401, 1608, 9120, 1517)
  expect(reply.body.__STATUS).toMatchObject({ status: 1, success: false })
  expectError(await guest.post('/rest/Doc', { rank: 9 }), 401, 1608, 9120, 1534)
  const batch = await guest.post('/rest/Doc', [
    { __KEY: '1', rank: 9 },
    { __KEY: '1', title: 'x' },
  ])
  expect([batch.status, errCodes({ body: batch.body.__ENTITIES[0] })]).toEqual([
    207,
    [1608, 9120, 1517],
  ])
  expect(store.Doc.get(1)?.rank).toBe(1)
})

test('a refusal of the dataclass takes precedence over that of an attribute', async () => {
  const { as } = serveDesk({
    'update Doc': false,
    'update Doc.rank': false,
    'create Doc': false,
    'create Doc.rank': false,
  })
  const ann = await as('ann')
  expectError(await ann.post('/rest/Doc(1)', { rank: 9 }), 403, 1558, 1517)
  expectError(await ann.post('/rest/Doc(1)', { rank: 9, nope: 1 }), 403, 1558, 1517)
  expectError(await ann.post('/rest/Doc', { rank: 9 }), 403, 1559, 1534)
  const { as: reader } = serveDesk({ 'read Doc': false, 'read Doc.secret': false })
  const ben = await reader('ben')
  for (const url of [
    '/rest/Doc/secret',
    '/rest/Doc(1)/secret',
    '/rest/Doc?$attributes=secret',
    '/rest/Doc:secret(x)',
    '/rest/Doc?$filter="secret = 1"',
  ])
    expectError(await ben.get(url), 403, 1557)
})
