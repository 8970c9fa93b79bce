import { type AnyDataStore, type CommitNotice, createDataStore, isEntiaError } from '@entia/core'
import { createRestHandler, ReplicaState, type RestOptions } from '@entia/rest'
import { CLASSES } from '../../../replica/test/office.ts'
import { type Server, type Tables, write } from '../../../replica/test/steps.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import type { VolatileState } from '../../src/live/wake-ups.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import type { SqlMirrorOptions } from '../../src/store/sql-options.ts'

const MIRROR = { dataClasses: ['Company', 'Employee'] } as const

/** A process that serves the office of the tests of replicas from a database. */
export async function openOffice(
  database: SqlPool,
  schema: string,
  rest: Partial<RestOptions> = {},
  mirror: SqlMirrorOptions | null = MIRROR,
  classes: readonly [(typeof CLASSES)[0], (typeof CLASSES)[1]] = CLASSES,
  more: { readonly volatileState?: VolatileState } = {},
) {
  const options = {
    name: 'office',
    dataClasses: [...classes, ReplicaState],
    database,
    schema,
    ...(mirror === null ? {} : { mirror }),
    ...more,
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

/** The stamps of the commits that have saved each mark of `write`. */
export type SavedMarks = Map<string, number[]>

const textOf = (values: CommitNotice['changes'][number]['after']): string | undefined =>
  (values?.notes as { readonly text?: string } | null | undefined)?.text

/** Notes which marks commits save, before others see them. */
export async function* noted(changes: AsyncIterable<CommitNotice>, saved: SavedMarks) {
  for await (const notice of changes) {
    for (const { before, after } of notice.changes) {
      const text = textOf(after)
      if (text !== undefined && text !== textOf(before))
        saved.set(text, [...(saved.get(text) ?? []), notice.globalStamp])
    }
    yield notice
  }
}

/** A store in memory with the same dataclasses. */
export const createCopy = () =>
  createDataStore({ name: 'copy', dataClasses: [...CLASSES], history: { commits: 100_000 } })

/** All moments of a database, from its change table: another way than that of a mirror. */
export class Moments {
  readonly #store = createCopy()
  /** Global stamps of the store here, by those of the database. */
  readonly #at = new Map<number, number>()
  readonly #ended: Promise<void>

  /** With the contents of the database before the first change. */
  constructor(changes: AsyncIterable<CommitNotice>, globalStamp = 0, contents?: Tables) {
    if (contents !== undefined) fill(this.#store, contents.Company.all(), contents.Employee.all())
    this.#at.set(globalStamp, this.#store.globalStamp)
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
          // A process with a newer model writes more.
          const known = (name: string, after: CommitNotice['changes'][number]['after']) =>
            Object.fromEntries(
              Object.entries(after ?? {}).filter(([each]) =>
                this.#store.catalog.byName.get(name)?.attributes.has(each),
              ),
            )
          for (const { dataClass, key, kind, after } of own)
            if (kind === 'insert')
              table(dataClass).insert({ ...without(known(dataClass, after)), ID: key })
          for (const { dataClass, key, kind, after } of own)
            if (kind !== 'remove') table(dataClass).update(key, known(dataClass, after))
          for (const { dataClass, key, kind } of own)
            if (kind === 'remove') table(dataClass).remove(key)
        })
      this.#at.set(globalStamp, this.#store.globalStamp)
    }
  }
}

/** Inserts companies and employees of another store. Relations to others are left out. */
export function fill(
  store: ReturnType<typeof createCopy>,
  companies: Iterable<Row<'Company'>>,
  employees: Iterable<Row<'Employee'>>,
): void {
  const staff = [...employees]
  store.transact((tx) => {
    for (const { ID, name, city, revenue } of companies)
      tx.Company.insert({ ID, name, city, revenue })
    for (const { ID, name, salary, born, notes } of staff)
      tx.Employee.insert({ ID, name, salary, born, notes })
    for (const { ID, employer, manager } of staff)
      tx.Employee.update(ID, {
        employer: employer?.ID ?? null,
        manager: tx.Employee.get(manager?.ID ?? '')?.ID ?? null,
      })
  })
}
type Row<N extends 'Company' | 'Employee'> =
  ReturnType<Tables[N]['all']> extends Iterable<infer R> ? R : never

/** Without relations: their targets may come later. */
const without = (values: { readonly [name: string]: unknown }): object =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => name !== 'employer' && name !== 'manager'),
  )
