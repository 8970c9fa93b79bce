import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases } from '../database.ts'

describeDatabases('after-hooks', {}, (database) => {
  test('an after-hook sees the committed entity, and its writes are stored', async () => {
    const seen: string[] = []
    const errors: unknown[] = []
    const Account = defineDataClass(
      'Account',
      {
        ID: attribute.long({ key: true, autoSequence: true }),
        balance: attribute.long({ notNull: true }),
        saves: attribute.long({ notNull: true, default: 0 }),
      },
      {
        hooks: {
          afterSave({ ID, balance }, { before, store }) {
            const tables = store as never
            seen.push(`${ID} ${balance} ${before?.balance ?? null} ${read(tables, ID)}`)
            if (balance < 100) write(tables, ID, balance)
          },
        },
      },
    )
    const Note = defineDataClass('Note', {
      ID: attribute.long({ key: true, autoSequence: true }),
      text: attribute.string(),
    })
    interface Tables {
      Account: {
        get(key: number): { balance: number; saves: number } | undefined
        update(key: number, values: object): void
      }
      Note: { insert(values: object): void }
    }
    const read = (store: never, ID: number) => (store as Tables).Account.get(ID)?.balance
    const write = (store: never, ID: number, balance: number): void => {
      const { Account, Note } = store as Tables
      Account.update(ID, { balance: balance + 100, saves: Account.get(ID)!.saves + 1 })
      Note.insert({ text: `${ID} had ${balance}` })
    }
    const options = {
      name: 'hooks',
      dataClasses: [Account, Note],
      database: database.open(),
      schema: database.newSchema(),
      onError: (error: unknown) => errors.push(error),
    }
    await migrateDatabase(options)
    const rest = createRestHandler(await openSqlStore(options))
    const ask = async (method: string, path: string, body?: unknown) => {
      const url = `/rest/${path}`
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await rest.handle({ method, url, headers: { host: 'localhost' }, ...text })
      return { status: answer.status, body: JSON.parse(String(answer.body)) }
    }
    expect((await ask('POST', 'Account', { balance: 5 })).status).toBe(200)
    expect(errors).toEqual([])
    // A hook runs again for what it reads step by step.
    expect([...new Set(seen)]).toEqual(['1 5 null 5', '1 105 5 105'])
    expect((await ask('GET', 'Account(1)')).body).toMatchObject({ balance: 105, saves: 1 })
    expect((await ask('POST', 'Account', { __KEY: '1', balance: 7 })).status).toBe(200)
    expect((await ask('GET', 'Account(1)')).body).toMatchObject({ balance: 107, saves: 2 })
    const notes = await ask('GET', 'Note?$orderby=ID')
    expect(notes.body.__ENTITIES.map(({ text }: { text: string }) => text)).toEqual([
      '1 had 5',
      '1 had 7',
    ])
  })
})
