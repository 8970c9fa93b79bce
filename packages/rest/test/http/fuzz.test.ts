import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { send } from './send.ts'

const word = fc.constantFrom(
  ...[
    'ID',
    'name',
    'lastName',
    'salary',
    'birthDate',
    'active',
    'notes',
    'notes.tags',
    'notes.level.n',
    'photo',
    'employer',
  ],
  ...[
    'employer.name',
    'employerID',
    'employees',
    'employees.salary',
    'fullName',
    'employerName',
    'secretRating',
    'nosuch',
    '*',
  ],
  ...['__proto__', '', 'employees.employer.employees.lastName', 'employer.*'],
)
const value = fc.constantFrom(
  '1',
  '0',
  '-1',
  'null',
  'true',
  "'Ada'",
  'a*',
  '@',
  ':1',
  '2024-01-31',
  "''",
  'abc',
  '1e999',
  '40000',
  "'\\u0027'",
)
const comparison = fc
  .tuple(
    word,
    fc.constantFrom(
      '=',
      '!=',
      '>',
      '<=',
      '===',
      '#',
      ' begin ',
      ' in ',
      ' is ',
      ' is not ',
      ' % ',
      '',
    ),
    value,
  )
  .map((parts) => parts.join(''))
const filter = fc
  .tuple(
    comparison,
    fc.constantFrom('', ' and ', ' or ', ' except ', ' not ', ') and (', ' order by '),
    comparison,
  )
  .map(([a, joint, b]) => (joint === '' ? a : `${a}${joint}${b}`))

const parameter = fc.oneof(
  filter.map((text) => `$filter=${encodeURIComponent(`"${text}"`)}`),
  fc.constantFrom(
    '$params=[1]',
    '$params=["Ada"]',
    '$params={"a":1}',
    '$params=[null]',
    '$params=[["a",1]]',
  ),
  fc
    .tuple(word, fc.constantFrom('', ' desc', ' sideways'))
    .map(([path, way]) => `$orderby=${path}${way}`),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((paths) => `$attributes=${paths.join(',')}`),
  word.map((path) => `$expand=${path}`),
  fc.constantFrom(
    '$top=0',
    '$top=2',
    '$top=-1',
    '$skip=1',
    '$skip=-1',
    '$limit=2',
    '$asArray=true',
    '$queryplan=true',
  ),
  fc.constantFrom(
    '$compute=$all',
    '$compute=count',
    '$compute=sum',
    '$compute=min',
    '$distinct=true',
    '$refresh=true',
  ),
  fc.constantFrom(
    '$method=delete',
    '$method=update',
    '$method=insert',
    '$atomic=true',
    '$format=json',
    '$version=3',
    'x=1',
  ),
)
const path = fc
  .tuple(
    fc.constantFrom(
      ...'Employee Employee Employee Employee Company Company Company Setting Secret $catalog'.split(
        ' ',
      ),
    ),
    fc.constantFrom(
      '',
      '',
      '',
      '',
      '(1)',
      '(1)',
      '[2]',
      '(99)',
      '(abc)',
      '("a/b")',
      ':name(Adobe)',
      ':lastName(Zola)',
    ),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant('') },
      fc.array(word, { minLength: 1, maxLength: 2 }).map((names) => `/${names.join(',')}`),
    ),
  )
  .map((parts) => `/rest/${parts.join('')}`)

const jsonValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    1,
    -1,
    0.5,
    'x',
    '1',
    '2024-01-31',
    '!!2024-01-31!!',
    true,
    [],
    {},
    { __KEY: '1' },
    { tags: [1] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
const entity = fc.dictionary(
  fc.constantFrom(
    '__KEY',
    '__STAMP',
    'ID',
    'name',
    'lastName',
    'email',
    'salary',
    'birthDate',
    'notes',
    'employer',
    'employerID',
    'photo',
    'fullName',
    'employees',
    'uri',
    'nosuch',
  ),
  jsonValue,
  { maxKeys: 4 },
)
const body = fc.oneof(
  fc.constant(undefined),
  entity,
  fc.array(entity, { maxLength: 3 }),
  fc.constantFrom('x', '[', 'null'),
)

const request = fc.record({
  method: fc.constantFrom(
    'GET',
    'GET',
    'GET',
    'POST',
    'POST',
    'PUT',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'PATCH',
  ),
  url: fc
    .tuple(path, fc.array(parameter, { maxLength: 3 }))
    .map(([address, parameters]) =>
      parameters.length === 0 ? address : `${address}?${parameters.join('&')}`,
    ),
  body,
})

test('every request gets a status below 500 and a body of that status, and a refused one changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (requests) => {
      const store = createHr()
      const failures: unknown[] = []
      const rest = createRestHandler(store, { onError: (error) => failures.push(error) })
      for (const { method, url, body } of requests) {
        const before = Buffer.from(store.dump())
        const reply = await send(rest, method, url, body)
        expect(failures).toEqual([])
        expect(reply.status).toBeLessThan(500)
        const isChanged = Buffer.compare(Buffer.from(store.dump()), before) !== 0
        if (reply.status >= 400) expect([reply.status, isChanged]).toEqual([reply.status, false])
        if (['GET', 'HEAD', 'OPTIONS'].includes(method)) expect(isChanged).toBe(false)
        if (reply.status >= 400 && method !== 'HEAD')
          expect(reply.body.__ERROR.length).toBeGreaterThan(0)
        store.verify()
      }
    }),
    runs(300),
  )
})
