import { type AnyDataStore, type CommitNotice, createDataStore, isEntiaError } from '@entia/core'
import { createRestHandler, ReplicaState, type RestOptions } from '@entia/rest'
import { CLASSES } from '../../../replica/test/office.ts'
import { type Server, type Tables, write } from '../../../replica/test/steps.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase, openSqlStore } from '../../src/store/open-sql-store.ts'
import type { SqlMirrorOptions } from '../../src/store/sql-options.ts'

const MIRROR = { dataClasses: ['Company', 'Employee'] } as const

/** A process that serves the office of the tests of replicas from a database. */
export async function openOffice(
  database: SqlPool,
  schema: string,
  rest: Partial<RestOptions> = {},
  mirror: SqlMirrorOptions | null = MIRROR,
) {
  const options = {
    name: 'office',
    dataClasses: [...CLASSES, ReplicaState],
    database,
    schema,
    ...(mirror === null ? {} : { mirror }),
  } as const
  await migrateDatabase(options as never)
  const store = await openSqlStore(options)
  await store.mirror?.filled()
  return { store, rest: createRestHandler(store, { replicas: true, ...rest }) }
}
export type SqlOffice = Awaited<ReturnType<typeof openOffice>>

/** Makes changes in one transaction of a process, again if another one is in its way. */
export async function writeTo(office: SqlOffice, changes: readonly Server[]): Promise<void> {
  for (;;)
    try {
      return await writeOnce(office, changes)
    } catch (error) {
      if (!isEntiaError(error) || error.code !== ('transactionConflict' as string)) throw error
    }
}

async function writeOnce({ store }: SqlOffice, changes: readonly Server[]): Promise<void> {
  await store.transact(async (tx) => {
    const companies = (await tx.Company.all().toArray()).map(({ ID }) => ID)
    const employees = (await tx.Employee.all().toArray()).map(({ ID }) => ID)
    for (const change of changes) {
      const keys = { Company: companies, Employee: employees }
      const calls: Promise<unknown>[] = []
      const table = (name: 'Company' | 'Employee') => ({
        all: () => ({ keys: () => keys[name] }),
        insert: (values: object) => calls.push(tx[name].insert(values as never)),
        update: (key: string, values: object) => calls.push(tx[name].update(key, values as never)),
        remove: (key: string) => {
          keys[name].splice(keys[name].indexOf(key), 1)
          calls.push(tx[name].remove(key))
        },
      })
      write({ Company: table('Company'), Employee: table('Employee') } as never, change, 'server')
      await Promise.all(calls)
    }
  })
}

/** All moments of a database, from its change table: another way than that of a mirror. */
export class Moments {
  readonly #store = createDataStore({
    name: 'moments',
    dataClasses: [...CLASSES],
    history: { commits: 100_000 },
  })
  /** Global stamps of the store here, by those of the database. */
  readonly #at = new Map<number, number>([[0, 0]])
  readonly #ended: Promise<void>

  constructor(changes: AsyncIterable<CommitNotice>) {
    this.#ended = this.#follow(changes)
  }

  has(globalStamp: number): boolean {
    return this.#at.has(globalStamp)
  }
  /** The database as of a global stamp. */
  at(globalStamp: number): Tables {
    return this.#store.at(this.#at.get(globalStamp)!) as never
  }
  ended(): Promise<void> {
    return this.#ended
  }

  async #follow(changes: AsyncIterable<CommitNotice>): Promise<void> {
    for await (const { globalStamp, changes: list } of changes) {
      const own = list.filter(({ dataClass }) => MIRROR.dataClasses.includes(dataClass as never))
      if (own.length > 0)
        this.#store.transact((tx) => {
          const tables = tx as never as AnyDataStore
          const table = (name: string) => tables.dataClass(name)
          for (const { dataClass, key, kind, after } of own)
            if (kind === 'insert') table(dataClass).insert({ ...without(after), ID: key })
          for (const { dataClass, key, kind, after } of own)
            if (kind !== 'remove') table(dataClass).update(key, after as never)
          for (const { dataClass, key, kind } of own)
            if (kind === 'remove') table(dataClass).remove(key)
        })
      this.#at.set(globalStamp, this.#store.globalStamp)
    }
  }
}

/** Without relations: their targets may come later. */
const without = (values: { readonly [name: string]: unknown } | null): object =>
  Object.fromEntries(
    Object.entries(values ?? {}).filter(([name]) => name !== 'employer' && name !== 'manager'),
  )
