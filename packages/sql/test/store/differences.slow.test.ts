import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases } from '../database.ts'

/** How often code of the application ran. */
const runs = new Map<string, number>()
const count = (name: string): void => void runs.set(name, (runs.get(name) ?? 0) + 1)

const Person = defineDataClass(
  'Person',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ indexed: true, maxLength: 4000 }),
    rank: attribute.long(),
    loud: attribute.computed('string', { get: ({ name }) => name?.toUpperCase() ?? null }),
  },
  {
    hooks: {
      beforeSave: (draft, { store }) => {
        count('beforeSave')
        if (draft.name === 'asks') draft.rank = store.dataClass('Person').query('rank > 0').count
      },
      afterSave: () => count('afterSave'),
    },
    functions: {
      twoThenAsk: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }) => {
          dataClass.insert({ name: 'one' })
          dataClass.insert({ name: 'two' })
          return dataClass.query('name in :1', [['one', 'two']]).count
        },
      },
      waits: {
        on: 'dataClass',
        exposed: true,
        run: async ({ dataClass }) => {
          count('waits')
          await Promise.resolve()
          return dataClass.query('rank = 7').count
        },
      },
      throwsAtTheEnd: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass, store }) => {
          dataClass.insert({ name: 'stays' })
          store.transact((tx) => {
            tx.dataClass('Person').insert({ name: 'goes' })
            throw new Error('Nothing of the transaction is stored.')
          })
        },
      },
      asksTooOften: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }) => {
          let found = 0
          for (let i = 0; i < 20; i++) found = dataClass.query('rank = :1', [found + i]).count
          return found
        },
      },
    },
  },
)

/** The table "What is different" of the guide, as far as it is about this process. */
describeDatabases('docs/how-to/outgrowing-one-machine.md', { on: 'one' }, (database) => {
  let handler: ReturnType<typeof createRestHandler>
  beforeAll(async () => {
    const options = {
      name: 'differences',
      dataClasses: [Person],
      database: database.pool,
      schema: database.newSchema(),
      reading: { maxResidualRows: 3 },
    }
    await migrateDatabase(options)
    handler = createRestHandler(await openSqlStore(options), { onError: () => {} })
  })
  beforeEach(() => runs.clear())

  const ask = async (path: string, method = 'GET', body?: object) => {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const reply = await handler.fetch(new Request(`http://localhost/rest/Person${path}`, init))
    return { status: reply.status, body: await reply.text() }
  }

  test('a hook that queries runs twice, an after-hook once', async () => {
    expect((await ask('', 'POST', { name: 'plain' })).status).toBe(200)
    expect(Object.fromEntries(runs)).toEqual({ beforeSave: 1, afterSave: 1 })
    runs.clear()
    expect((await ask('', 'POST', { name: 'asks' })).status).toBe(200)
    expect(Object.fromEntries(runs)).toEqual({ beforeSave: 2, afterSave: 1 })
  })

  test('an async function runs again, too, and a function sees what it wrote', async () => {
    expect(await ask('/waits', 'POST')).toEqual({ status: 200, body: '{"result":0}' })
    expect(runs.get('waits')).toBe(2)
    expect(await ask('/twoThenAsk', 'POST')).toEqual({ status: 200, body: '{"result":2}' })
  })

  test('writes of a function outside a transaction are kept if it throws, as in memory', async () => {
    expect((await ask('/throwsAtTheEnd', 'POST')).status).toBe(500)
    const { body } = await ask('?$filter="name=stays or name=goes"&$attributes=name')
    expect(body.match(/"name":"\w+"/g)).toEqual(['"name":"stays"'])
  })

  test('new entities come after all others, also after deletions', async () => {
    await ask('(1)', 'DELETE')
    await ask('', 'POST', { name: 'last' })
    const { body } = await ask('?$attributes=name')
    expect(body.match(/"name":"\w+"/g)?.at(-1)).toBe('"name":"last"')
  })

  test('texts with U+0000, or too long for an index, are refused', async () => {
    const zero = await ask('', 'POST', { name: 'a\u0000b' })
    expect([zero.status, zero.body]).toEqual([400, expect.stringContaining('without U+0000')])
    expect((await ask('', 'POST', { name: 'x'.repeat(2600) })).status).toBe(200)
    expect((await ask('', 'POST', { name: 'x'.repeat(2601) })).status).toBe(400)
  })

  test('more entities or runs than a decision may take are refused by the option', async () => {
    for (const [path, method] of [
      ['?$filter="loud=LAST"', 'GET'],
      ['?$filter="ID>0"&$method=delete', 'DELETE'],
    ] as const) {
      const { status, body } = await ask(path, method)
      expect([path, status]).toEqual([path, 400])
      expect(body).toContain('entities of Person')
      expect(body).toContain('reading.maxResidualRows')
    }
    const { status, body } = await ask('/asksTooOften', 'POST')
    expect(status).toBe(400)
    expect(body).toContain('runs of the function')
  })
})
