// Rules of permission compare texts exactly over a database, as they do in memory.
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { type AuthorizeAnswer, createRestHandler } from '@entia/rest'
import { beforeAll, expect, test } from 'vitest'
import { get } from '../../../rest/test/http/send.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from './sql-host.ts'

const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ indexed: true }),
})
const Paper = defineDataClass('Paper', {
  ID: attribute.long({ key: true }),
  owner: attribute.string({ indexed: true }),
  code: attribute.string({ collation: 'exact' }),
  notes: attribute.object(),
  person: attribute.relatedEntity('Person'),
  label: attribute.computed('string', { get: (paper: { owner: string | null }) => paper.owner }),
})

const TEXTS = [
  'ann@x.y',
  'ann.lee@x.y',
  'Ann',
  'ann',
  'änn',
  '@',
  '*',
  '%',
  '_',
  '\\',
  '',
  'a@',
  '\uE000',
  'a\uE7FF',
  null,
]
/** No text in a database holds U+0000. */
const GIVEN = [...TEXTS, '\0', 'a\0b']
const PATHS = [
  'owner',
  'code',
  'notes.owner',
  'notes.list[]',
  'notes.list[].name',
  'person.name',
  'label',
]
const FILTERS = ['$ = :1', '$ === :1', '$ != :1', '$ in :1', 'not ($ = :1)', '$ % :1', '$ begin :1']
const OPTIONS = [
  {},
  { wildcards: true },
  { collation: 'folded' },
  { wildcards: true, collation: 'folded' },
] as const

describeDatabases('exact rules', { on: 'one' }, ({ pool, newSchema }) => {
  const memory = createDataStore({ name: 'papers', dataClasses: [Person, Paper] })
  memory.Person.load(TEXTS.map((name, at) => ({ ID: at + 1, name })))
  memory.Paper.load(
    TEXTS.map((owner, at) => ({
      ID: at + 1,
      owner,
      code: owner,
      notes: { owner, list: [owner, { name: owner }, at] },
      person: at + 1,
    })),
  )
  let rule: AuthorizeAnswer = true
  const authorize = ({
    dataClass,
    attribute,
    action,
  }: {
    dataClass: string | null
    attribute?: string
    action: string
  }) => (action === 'read' && dataClass === 'Paper' && attribute === undefined ? rule : true)
  const inMemory = createRestHandler(memory, { authorize })
  let overSql: ReturnType<typeof createRestHandler>
  beforeAll(async () => {
    overSql = createRestHandler(await openCopy(memory, pool, newSchema()), { authorize })
  })

  test('select the same papers by a list of numbers', async () => {
    for (const filter of ['ID in :1', 'not (ID in :1)', 'person.ID in :1', 'ID in [1, 3]']) {
      rule = filter.includes(':1') ? { filter, parameters: [[1, 3]] } : { filter }
      const [expected, found] = await Promise.all(
        [inMemory, overSql].map((rest) => get(rest, '/rest/Paper?$asArray=true&$attributes=ID')),
      )
      expect([rule, found?.text]).toEqual([rule, expected?.text])
      expect(found?.status).toBe(200)
    }
  })

  test.each(PATHS)('select the same papers by %s as in memory', async (path) => {
    for (const text of FILTERS)
      for (const given of GIVEN)
        for (const options of given === null ? [] : OPTIONS) {
          rule = {
            filter: text.replace('$', path),
            parameters: [text.includes(' in ') ? [given, 'Ann'] : given],
            ...options,
          }
          const [expected, found] = await Promise.all(
            [inMemory, overSql].map((rest) =>
              get(rest, '/rest/Paper?$asArray=true&$attributes=ID'),
            ),
          )
          expect([rule, found?.text]).toEqual([rule, expected?.text])
          expect(found?.status).toBe(200)
        }
  })
})
