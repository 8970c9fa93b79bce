import { beforeAll, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
let state: Buffer
beforeAll(() => {
  store = createHr()
  rest = createRestHandler(store)
  state = Buffer.from(store.dump())
})

type Input = readonly [
  method: string,
  url: string,
  body?: unknown,
  headers?: { readonly [name: string]: string },
]

/** Refused with 4xx and `__ERROR`; nothing about the store has changed, and it still answers. */
async function expectRefused([method, url, body, headers]: Input): Promise<void> {
  const reply = await send(rest, method, url, body, headers)
  expect(reply.status).toBeGreaterThanOrEqual(400)
  expect(reply.status).toBeLessThan(500)
  expect(reply.body.__ERROR.length).toBeGreaterThan(0)
  for (const { message, componentSignature, errCode } of reply.body.__ERROR) {
    expect([typeof message, typeof componentSignature, typeof errCode]).toEqual([
      'string',
      'string',
      'number',
    ])
    expect(message).not.toMatch(/\n\s+at |\/src\/|node_modules/)
  }
  // A batch answers every item; anything else is short.
  if (!Array.isArray(body)) expect(reply.text.length).toBeLessThan(65_536)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(Buffer.compare(Buffer.from(store.dump()), state)).toBe(0)
  expect((await send(rest, 'GET', '/rest/Company(1)')).status).toBe(200)
}

const filters = (...texts: readonly string[]): readonly Input[] =>
  texts.flatMap((text): readonly Input[] => [
    ['GET', `/rest/Employee?$filter=${encodeURIComponent(text)}`],
    ['POST', `/rest/Employee?$method=delete&$filter=${encodeURIComponent(text)}`],
  ])
const gets = (...urls: readonly string[]): readonly Input[] => urls.map((url) => ['GET', url])
const bodies = (...values: readonly unknown[]): readonly Input[] =>
  values.map((value) => [
    'POST',
    '/rest/Employee?$method=update',
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
const nested = (levels: number, inner: string) => '('.repeat(levels) + inner + ')'.repeat(levels)
const deepObject = (levels: number): string =>
  `{"__KEY":"1","notes":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`

const CASES: ReadonlyMap<string, readonly Input[]> = new Map([
  [
    'paths',
    gets(
      '/rest/NoSuch',
      '/rest/company',
      '/rest/__proto__',
      '/rest/constructor',
      '/rest/toString',
      '/rest/hasOwnProperty(1)',
      '/rest/../../../../etc/passwd',
      '/rest/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '/rest/%252e%252e',
      '/rest/Company%00',
      '/rest/%E0%A4%A',
      '/rest/%FF%FE',
      '/rest/Company(1',
      '/rest/Company[1',
      '/rest/Company(1)(2)',
      '/rest/Company(1)/nosuch/extra/deep',
      `/rest/${'a/'.repeat(2000)}`,
      '/rest/$catalog/NoSuch',
      '/rest/$catalog/__proto__',
      '/rest/$nosuch',
      '/rest/Company/$entityset/',
      '/rest/<script>alert(1)</script>',
      '/rest/Company/__proto__?$compute=count',
      '/rest/Company;jsessionid=1',
      '/rest/Secret',
      '/rest/Secret(1)',
      '/rest/$directory/login',
      '/rest/$info/nosuch',
      `/rest/Company?x=${'a'.repeat(20_000)}`,
      '',
      '/',
      '?',
      'x',
    ),
  ],
  [
    'keys',
    gets(
      ...[
        'abc',
        '-1',
        '0',
        '1.5',
        'NaN',
        'Infinity',
        '1e999',
        '',
        'null',
        'undefined',
        '__proto__',
        '1%00',
        "'1' OR '1'='1'",
        '9007199254740993',
        '1'.repeat(1000),
        '[object Object]',
        '1,2,3',
        '%F0%9F%98%80',
      ].map((key) => `/rest/Employee(${key})`),
      '/rest/Setting(constructor)',
      '/rest/Setting(__proto__)',
    ),
  ],
  [
    'filters',
    filters(
      'lastName =',
      "= 'x'",
      "lastName 'x'",
      "lastName = 'abc",
      'lastName = "abc',
      "((lastName='x'",
      "lastName='x'))",
      '~~~',
      'nosuch = 1',
      'LASTNAME = 1',
      'employer.nosuch = 1',
      'lastName.length > 0',
      "__proto__ = 'x'",
      "constructor = 'x'",
      'toString',
      'lastName.constructor.constructor = 1',
      'salary > :1',
      'salary > :0',
      'salary > :-1',
      'salary > :99999999999999999999',
      'lastName begin',
      "lastName = 'x' AND",
      'AND OR EXCEPT',
      "lastName = 'x'; DROP TABLE",
      "$where = 'this.a'",
      '|| process.exit(1)',
      'process.exit(1)',
      'eval(lastName)',
      '`$1` = 1',
      'last\u200bName = 1',
      "'",
      '([([([([',
      nested(5000, 'salary=1'),
      `${'('.repeat(25)}salary=1)`,
      `lastName = '${'a'.repeat(9000)}'`,
      `${'employer.employees.'.repeat(40)}salary > 1`,
      "lastName = '\\u00'",
      "lastName = '\\ud800'",
      "salary > 'abc'",
      'salary > abc',
      'birthDate > 2024-13-45',
      'active > 5',
      'photo = 1',
    ),
  ],
  [
    '$params',
    gets(
      ...[
        'abc',
        '["x"',
        '42',
        '[{"a":1}]',
        '[["x"]]',
        '{"__proto__":1}',
        '[1] trailing',
        `${'['.repeat(5000)}${']'.repeat(5000)}`,
        '[1e999]',
        '[null]',
        '{"1":"x"}',
        '\'["x"],["y"]\'',
        '[]',
      ].map(
        (params) => `/rest/Employee?$filter="salary > :1"&$params=${encodeURIComponent(params)}`,
      ),
    ),
  ],
  [
    'order, paging and shape',
    gets(
      ...[
        '$orderby=nosuch',
        '$orderby=lastName SIDEWAYS',
        '$orderby=lastName ASC DESC',
        '$orderby=__proto__',
        '$orderby=lastName,,salary',
        '$orderby=,lastName',
        '$orderby=lastName; DROP',
        '$orderby=lastName.length',
        '$orderby=constructor DESC',
        '$orderby=employer',
        '$orderby=photo',
        '$orderby=notes',
        '$orderby=employer.employees.salary',
        `$orderby=${Array.from({ length: 1000 }, () => 'lastName').join(',')}`,
        '$top=-1',
        '$top=abc',
        '$top=1.5',
        '$top=NaN',
        '$top=Infinity',
        '$top=1e999',
        '$top=__proto__',
        '$limit=-1',
        '$skip=abc',
        '$skip=1.5',
        '$top=1&$limit=2',
        '$timeout=-1',
        '$attributes=__proto__',
        '$attributes=constructor.prototype',
        '$attributes=nosuch',
        '$attributes=....',
        `$attributes=${','.repeat(2000)}`,
        `$attributes=${'employer.employees.'.repeat(30)}*`,
        `$attributes=${Array.from({ length: 500 }, (_, n) => `a${n}`).join(',')}`,
        '$attributes=lastName.*',
        '$expand=__proto__',
        '$expand=nosuch',
        '$expand=lastName',
        '$expand=employer.nosuch',
        '$compute=median',
        '$compute=__proto__',
        '$attributes=lastName&$compute=sum',
        '$attributes=employer&$compute=average',
        '$compute=sum',
        '$format=xml',
        '$format=__proto__',
        '$attributes=lastName,salary&$distinct=true',
        '$attributes=nosuch&$distinct=true',
        '$distinct=true',
        '$asArray=banana',
        '$queryplan=banana',
        '$nosuch=1',
        '$top=1&$top=1',
      ].map((query) => `/rest/Employee?${query}`),
    ),
  ],
  [
    'methods and verbs',
    [
      ...gets(
        '/rest/Employee?$method=nosuch',
        '/rest/Employee?$method=__proto__',
        '/rest/Employee(1)?$method=delete',
        '/rest/Employee?$filter="ID=1"&$method=delete',
        '/rest/Employee?$method=update',
        '/rest/Employee?$method=insert',
        '/rest/Employee?$method=release',
        '/rest/Employee?$atomic=banana',
        '/rest/Employee?$method=update&$lock=true',
      ),
      ['POST', '/rest/Employee?$method=nosuch', '{}'],
      ['POST', '/rest/Employee?$method=delete'],
      ['POST', '/rest/Employee(404)?$method=delete'],
      ['POST', '/rest/Employee?$method=update&$atomic=banana', '{"lastName":"x"}'],
      ['DELETE', '/rest/Employee'],
      ['DELETE', '/rest/Employee(404)'],
      ['DELETE', '/rest/Employee(1)?$method=update', '{"lastName":"x"}'],
      ['PATCH', '/rest/Employee(1)', '{"lastName":"x"}'],
      ['TRACE', '/rest/Employee(1)'],
      ['CONNECT', '/rest/Employee(1)'],
      ['BREW', '/rest/Employee(1)'],
      ['POST', '/rest/$catalog', '{}'],
      ['DELETE', '/rest/$catalog/Employee'],
      ['HEAD ', '/rest/Employee(1)'],
      [
        'GET',
        '/rest/Employee(1)?$method=delete',
        undefined,
        { 'x-http-method-override': 'DELETE' },
      ],
    ],
  ],
  [
    'bodies',
    [
      ...bodies(
        '',
        'not json',
        'null',
        '42',
        '"x"',
        'true',
        '[null]',
        '[[{}]]',
        '{"lastName":',
        '{"lastName":NaN}',
        "{'lastName':'x'}",
        '{"lastName":"x",}',
        '{"lastName":"x"}{"lastName":"y"}',
        '['.repeat(100_000),
        '['.repeat(100_000) + ']'.repeat(100_000),
        { lastName: { a: 1 } },
        { lastName: ['x'] },
        { lastName: 5 },
        { salary: 'x' },
        { salary: {} },
        '{"salary":1e999}',
        { active: 'x' },
        { birthDate: 'x' },
        { birthDate: '2024-13-45' },
        { birthDate: {} },
        { notes: 'x' },
        { employer: 99 },
        { employer: [1] },
        { employer: {} },
        { __KEY: '404', lastName: 'x' },
        { __KEY: {}, lastName: 'x' },
        { __KEY: [1], lastName: 'x' },
        { __KEY: '__proto__', lastName: 'x' },
        { __KEY: true, lastName: 'x' },
        ...[1, -1, 'x', {}].map((stamp) => ({ __KEY: '1', __STAMP: stamp, lastName: 'x' })),
        { lastName: 'x', email: 'ada@x.org' },
        { __KEY: '2', email: 'ada@x.org' },
        '{"__KEY":"1","notes":{"__proto__":{"polluted":true}}}',
        '{"__KEY":"1","notes":{"constructor":{"prototype":{"polluted":true}}}}',
        { __KEY: '1', 'notes.__proto__.x': 1 },
        '{"__KEY":"1","lastName":"\\ud800"}',
        '{"__KEY":"1","notes":{"a":"\\ud800"}}',
        deepObject(200),
        deepObject(8000),
        { __KEY: '1', fullName: 'x' },
        { __KEY: '1', ID: 5 },
        { __KEY: '1', photo: 'text' },
        { __KEY: '1', photo: { mediaType: 'image/png', bytes: [1, 2] } },
        { __KEY: '1', cv: { __deferred: { uri: 'file:///etc/passwd' } } },
        { __KEY: '1', constructor: 1 },
      ),
      ['POST', '/rest/Company', '{"__KEY":"1","secretRating":5}'],
      [
        'POST',
        '/rest/Employee',
        'a=1&b=2',
        { 'content-type': 'application/x-www-form-urlencoded' },
      ],
      ['POST', '/rest/Employee', '--x\r\n', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['POST', '/rest/Employee', '{"lastName":"x"}', { 'content-encoding': 'gzip' }],
      ['POST', '/rest/Employee', '{"lastName":"x"}', { 'content-length': '10000000000' }],
      ['POST', '/rest/Employee', `{"lastName":"${'x'.repeat(1_100_000)}"}`],
    ],
  ],
  [
    'atomic batches',
    [
      [{ lastName: 'A', email: 'ada@x.org' }],
      [{ __KEY: '404' }],
      [{ __KEY: '1', __STAMP: 1, salary: 1 }],
      [{ salary: 'x' }],
      [{ nosuch: 1 }],
      [
        { lastName: 'B', email: 'new@x.org' },
        { lastName: 'C', email: 'new@x.org' },
      ],
      [...Array.from({ length: 2000 }, (_, n) => ({ lastName: `n${n}` })), { salary: -1 }],
    ].map(
      (bad): Input => ['POST', '/rest/Employee?$atomic=true', [{ __KEY: '2', salary: 1 }, ...bad]],
    ),
  ],
])

for (const [name, inputs] of CASES) {
  describe(name, () => {
    test.each(
      inputs.map(
        (input) => [`${input[0]} ${input[1]} ${input[2] ?? ''}`.slice(0, 90), input] as const,
      ),
    )('%s', async (_title, input) => expectRefused(input))
  })
}

describe('odd but allowed', () => {
  test.each([
    '/rest//Company',
    'http://evil.example/rest/Company',
    `/rest/Employee?$filter=${encodeURIComponent(nested(25, 'salary=1'))}`,
    `/rest/Employee?$filter=${encodeURIComponent(Array.from({ length: 400 }, (_, n) => `ID=${n}`).join(' or '))}`,
    `/rest/Employee?$filter=${encodeURIComponent("lastName = '\\u0027 OR ID != \\u0027'")}`,
    '/rest/Employee?$filter=notes.__proto__.polluted = 1',
    '/rest/Employee?$filter=notes.constructor.name = 1',
    `/rest/Employee?$filter=${encodeURIComponent("lastName = '😀'")}`,
    '/rest/Employee?$filter="ID=:1"&$params=[99,2,3]',
  ])('%s', async (url) => {
    const reply = await send(rest, 'GET', url)
    expect(reply.status).toBe(200)
    if (url.includes('$filter') && !url.includes('or')) expect(reply.body.__COUNT).toBeLessThan(4)
  })
})
