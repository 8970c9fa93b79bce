import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler, type RestHandler } from '@entia/rest'
import { expect } from 'vitest'
import { send } from '../../../rest/test/http/send.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import type { SqlStore, SqlStoreOptions } from '../../src/store/sql-options.ts'

const Owner = defineDataClass('Owner', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  accounts: attribute.relatedEntities('Account', 'owner'),
})
const Account = defineDataClass('Account', {
  ID: attribute.long({ key: true, autoSequence: true }),
  balance: attribute.long({ indexed: true }),
  opened: attribute.date(),
  photo: attribute.image(),
  owner: attribute.relatedEntity('Owner'),
  isRich: attribute.computed('bool', {
    get: ({ balance }: { balance: number | null }) => (balance ?? 0) > 1000,
  }),
})

/** Options of a store of accounts. */
export const bankOptions = (
  database: SqlPool,
  schema: string,
  more: Partial<SqlStoreOptions> = {},
): SqlStoreOptions => ({
  name: 'bank',
  dataClasses: [Owner, Account],
  database,
  schema,
  sharing: { cacheMilliseconds: 0 },
  ...more,
})

export interface Bank {
  readonly store: SqlStore
  readonly rest: RestHandler
  /** Saves entities in one commit. */
  save(dataClass: 'Owner' | 'Account', ...entities: object[]): Promise<void>
  remove(dataClass: 'Owner' | 'Account', key: number): Promise<void>
}

/** A process that serves the accounts of a schema. */
export async function openBank(
  database: SqlPool,
  schema: string,
  more: Partial<SqlStoreOptions> = {},
): Promise<Bank> {
  const options = bankOptions(database, schema, more)
  await migrateDatabase(options)
  const store = await openSqlStore(options)
  const rest = createRestHandler(store, { live: true })
  // A transaction that lost against others says so, and may be sent again.
  const post = async (url: string, body?: unknown, tries = 20): Promise<void> => {
    const { status, text } = await send(rest, 'POST', url, body)
    if (status === 503 && text.includes('9124') && tries > 0) return post(url, body, tries - 1)
    expect([status < 300, text]).toEqual([true, expect.anything()])
  }
  return {
    store,
    rest,
    save: (dataClass, ...entities) =>
      post(`/rest/${dataClass}?$method=update&$atomic=true`, entities),
    remove: (dataClass, key) => post(`/rest/${dataClass}(${key})?$method=delete`),
  }
}
