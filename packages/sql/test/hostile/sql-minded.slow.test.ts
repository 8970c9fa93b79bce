import type { RestInput } from '@entia/rest'
import { describe, expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { createOddNames, LONG_NAME } from './sql-minded-model.ts'
import { TwoEngines } from './two-engines.ts'

/** Texts that would become part of a statement if statements were concatenated from texts. */
const TEXTS = [
  ...["'", "''", "o'clock", '"', '""', '`', '$1', '$2', '$$', '$x$', '--', '/*', '*/', ';', '\\'],
  ...["'; DROP TABLE user; --", "' OR '1'='1", "' UNION SELECT version(), 2 --", "\\'; SELECT 1"],
  ...["E'\\x00'", "U&'\\0041'", '::text', 'NULL', 'null', '%', '_', '%%', '\\%', '\\_', '100%_\\'],
  ...['a%', '@', '*', '@@', '*%*', '@_', '.*', '^a', '[a-z]+', '(a|b)', '\\d', '$', '^', '(?i)x'],
  ...['\u0001', '\u007f', '\u200b', '\ufeff', '\ufffd', '\uffff', '😀', 'e\u0301', 'İ', 'ß', 'ﬁ'],
  ...['pg_sleep(9)', '{1,2}', '{"a":1}', '[1]', "{'", '\t', '\n', '\r\n', ' ', '\u00a0'],
]
const NUMBERS = [
  ...['1e400', '-1e400', '1e308', '5e-324', '1.5', '-0', '2147483648', '-2147483649', '1e18'],
  ...['9007199254740993', '9223372036854775808', '-9223372036854775809', `1${'0'.repeat(400)}`],
  ...['0.1', '1e-7', '18014398509481985', 'NaN', 'Infinity', '-Infinity', '0x10', '1_000', ''],
]
const DATES = [
  ...['275760-09-13', '+275760-09-13T00:00:00Z', '+275760-09-14', '-271821-04-20', '0000-01-01'],
  ...[
    '-000001-01-01',
    '9999-12-31',
    '10000-01-01',
    '2024-02-30',
    '1e400',
    'infinity',
    'now',
    'epoch',
  ],
]
const JSON_VALUES = [
  ...['1e400', '1e308', '"\\ud800"', '{"a":"\\ud800"}', '[]'],
  ...['{"":1}', '{"$1":1}', '{"a\'b":"c\\"d"}', '"', '{', '[1e-400]', '{"a":18446744073709551616}'],
  ...[`${'['.repeat(60)}${']'.repeat(60)}`, `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`],
  ...[`${'['.repeat(7000)}${']'.repeat(7000)}`, `"${'x'.repeat(2000)}"`],
]
const PATHS = [
  ...[
    'select',
    'SELECT',
    'Select',
    '"select"',
    'ctid',
    'xmin',
    'tableoid',
    'cmax',
    '_rec',
    '_stamp',
  ],
  ...[
    '_ts',
    'select$',
    't0',
    't0.select',
    'excluded',
    'excluded.select',
    '*',
    'count(*)',
    '1',
    'true',
  ],
  ...[
    '(select)',
    'select::text',
    "select'",
    'select;',
    'select--',
    `${LONG_NAME}a`,
    `${LONG_NAME}b`,
    LONG_NAME,
  ],
  ...[
    `${LONG_NAME.slice(0, 63)}`,
    'table',
    'table.relname',
    'table.oid',
    'table.users.select',
    '$1',
    '\0',
  ],
  ...["notes.a'b", 'notes.a"b', 'notes.$1', 'notes.$1[].--', 'notes.%', 'notes.\\', 'notes.\0'],
  ...['__proto__', 'notes.__proto__', 'pg_class.oid', 'information_schema.tables', 'random()', ''],
]
const CLASSES = [
  ...[
    'user',
    'pg_class',
    'entia_store',
    'entia_commit',
    'information_schema',
    `${LONG_NAME}a`,
    `${LONG_NAME}b`,
  ],
  ...[
    'User',
    'pg_user',
    'pg_tables',
    'entia_session',
    'entia_lock',
    'entia_set',
    'odd.user',
    LONG_NAME,
  ],
  ...[
    '"user"',
    'user;',
    "user'--",
    'user$',
    `${LONG_NAME.slice(0, 63)}`,
    'pg_catalog.pg_class',
    'public.user',
  ],
]
const at = (path: string, query: { readonly [name: string]: string } = {}): string => {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`)
  return `/rest/${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())
const get = (path: string, query?: { readonly [name: string]: string }): RestInput => ({
  method: 'GET',
  url: at(path, query),
})
const post = (
  path: string,
  body: string,
  query?: { readonly [name: string]: string },
): RestInput => ({
  method: 'POST',
  url: at(path, query),
  body,
})
const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n)

/** Requests by their subject. */
const REQUESTS: ReadonlyMap<string, readonly RestInput[]> = new Map([
  [
    'texts in keys, filters, values and names',
    TEXTS.flatMap((text) => [
      get(`user(${encoded(text)})`),
      get(`user:unique(${encoded(text)})`),
      ...['=', '!=', '===', '<', '>=', ' begin ', '#', ' %% '].map((sign) =>
        get('user', { $filter: `select${sign}${quoted(text)}`, $attributes: 'order' }),
      ),
      get('user', { $filter: `select begin ${text}` }),
      get('user', { $filter: 'select = :1 or t0 begin :1', $params: JSON.stringify([text]) }),
      get('user', { $filter: "notes.a'b = :1", $params: JSON.stringify([text]) }),
      get('user', { $filter: `notes.${text} = 1` }),
      get('user', { $orderby: text }),
      get(`user/${encoded(text)}`),
      get('user', { $groupby: text }),
      post('user', JSON.stringify({ __KEY: text, select: text }), { $method: 'update' }),
      post('user', JSON.stringify({ order: `new${text}`, unique: text, notes: { [text]: text } })),
      post('user', JSON.stringify({ __KEY: `new${text}`, [text]: text })),
      get('user', { $filter: 'notes[:1] = :1', $params: JSON.stringify([text]) }),
      post(`user(new${encoded(text)})`, '', { $method: 'delete' }),
    ]),
  ],
  [
    'numbers',
    NUMBERS.flatMap((number) => [
      get(`pg_class(${encoded(number)})`),
      get(`user[${encoded(number)}]`),
      ...['xmin', 'tableoid', 'big', 'table', "notes.a'b"].flatMap((path) =>
        ['=', '!=', '>', '<=', ' in '].map((sign) =>
          get('user', { $filter: `${path}${sign}${sign === ' in ' ? `[${number}]` : number}` }),
        ),
      ),
      get('user', { $filter: 'big > :1 or xmin = :1', $params: `[${number}]` }),
      get('user', { $top: number }),
      get('user', { $skip: number }),
      ...['xmin', 'tableoid', 'big', 'table'].map((name) =>
        post('user', `{"__KEY":"plain","${name}":${number}}`),
      ),
      post('pg_class', `{"__KEY":${number},"relname":"x"}`, { $method: 'update' }),
      post('user', `{"__KEY":"plain","__STAMP":${number},"select":"x"}`, { $method: 'update' }),
    ]),
  ],
  [
    'dates',
    DATES.flatMap((date) => [
      ...['when', 'day'].flatMap((name) => [
        get('user', { $filter: `${name} > ${date}` }),
        get('user', { $filter: `${name} = :1`, $params: JSON.stringify([date]) }),
        post('user', JSON.stringify({ __KEY: 'plain', [name]: date })),
      ]),
    ]),
  ],
  [
    'objects',
    JSON_VALUES.flatMap((value) => [
      post('user', `{"__KEY":"plain","notes":${value}}`),
      post('user', `{"__KEY":"plain","notes":{"in":${value}}}`),
      post('user', `{"__KEY":"plain","select":${value}}`),
      get('user', { $filter: "notes.a'b = :1", $params: `[${value}]`.slice(0, 4000) }),
    ]),
  ],
  [
    'names of attributes',
    PATHS.flatMap((path) => [
      get('user', { $attributes: path }),
      get('user', { $orderby: `${path} desc` }),
      get('user', { $filter: `${path} = 'x'` }),
      get('user', { $filter: `${path} is null` }),
      get('user', { $groupby: path, $aggregates: 'count' }),
      get('user', { $groupby: 'select', $aggregates: `${path}.sum` }),
      get(`user/${encoded(path)}`, { $distinct: 'true' }),
      get(`user/${encoded(path)}`, { $compute: '$all' }),
      get(`user(plain)/${encoded(path)}`),
      get('user', { $expand: path }),
      post('user', JSON.stringify({ __KEY: 'plain', [path]: 'x' })),
      post('user', JSON.stringify({ order: 'fresh', [path]: null })),
      post('user(fresh)', '', { $method: 'delete' }),
    ]),
  ],
  [
    'names of dataclasses',
    CLASSES.flatMap((name) => [
      get(encoded(name)),
      get(`${encoded(name)}(1)`),
      get(`$catalog/${encoded(name)}`),
      get(encoded(name), { $filter: "v begin 'of'", $orderby: 'v' }),
      get(`${encoded(name)}/v`, { $distinct: 'true' }),
      get(encoded(name), { $groupby: 'v' }),
      post(encoded(name), '{"v":"new"}'),
      post(encoded(name), '{"__KEY":"2","v":"changed"}'),
      get(`${encoded(name)}(2)`, { $lock: 'true' }),
      post(`${encoded(name)}(2)`, '', { $method: 'delete' }),
      get(`${encoded(name)}/$entityset/${'A'.repeat(32)}`),
      get(`${encoded(name)}/$entityset/${encoded("' OR 1=1 --")}`),
    ]),
  ],
  [
    'long lists and long texts',
    [
      get('user', { $filter: 'xmin in :1', $params: JSON.stringify([range(500)]) }),
      get('user', { $filter: 'big in :1', $params: `[[${range(200).join('.5,')}.5]]` }),
      get('user', { $filter: 'select in :1', $params: JSON.stringify([TEXTS]) }),
      get('user', { $filter: `select = '${'@x'.repeat(2000)}'` }),
      get('user', { $filter: `select begin '${'%'.repeat(8000)}'` }),
      get('user', {
        $orderby: range(60)
          .map(() => 'select')
          .join(','),
      }),
      get('user', { $groupby: PATHS.join(',') }),
      get('user', { $attributes: 'table.users.table.users.select' }),
      post('user', JSON.stringify(range(300).map((n) => ({ __KEY: `${n}'`, select: '$1' })))),
    ],
  ],
])

describeDatabases('texts of requests never become SQL', { on: 'one' }, (database) => {
  describe.each([...REQUESTS])('%s', (_subject, requests) => {
    const engines = new TwoEngines(database, createOddNames)

    test('each is answered as in memory', async () => {
      const statuses = new Set<number>()
      for (const request of requests) statuses.add((await engines.expectSame(request)).status)
      expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400]))
    })
  })
})
