// A program over PostgreSQL, whose exports are all inferred: their types must have names that
// declarations can use.
import { connect } from '@entia/client'
import {
  type AsyncStore,
  attribute,
  createDataStore,
  defineDataClass,
  type LocalAsyncStore,
  type ModelOf,
} from '@entia/core'
import { asyncOf } from '@entia/core/async'
import { createRestHandler } from '@entia/rest'
import {
  copyStore,
  databaseOf,
  migrateDatabase,
  openSqlStore,
  type SqlPool,
  type SqlStoreOptions,
} from '@entia/sql'

declare const database: SqlPool

const Company = defineDataClass('Company', {
  code: attribute.string({ key: true }),
  city: attribute.string({ indexed: true }),
  logo: attribute.image(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass(
  'Employee',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    lastName: attribute.string({ notNull: true, indexed: true }),
    salary: attribute.number(),
    employer: attribute.relatedEntity('Company'),
  },
  {
    functions: {
      top: { on: 'selection', run: ({ selection }, count: number) => selection.page(0, count) },
      greet: { on: 'entity', run: ({ entity }, word: string) => `${word} ${entity.lastName}` },
    },
  },
)
export interface Hr extends ModelOf<[typeof Company, typeof Employee]> {}

export const store = await openSqlStore({
  name: 'hr',
  dataClasses: [Company, Employee],
  functions: { ping: { exposed: true, run: () => 3 } },
  singletons: {
    Factory: { build: { run: ({ store }, kind: string) => ({ kind, in: store.name }) } },
  },
  database,
})
export const open = () => openSqlStore({ name: 'hr', dataClasses: [Company, Employee], database })
export const rest = createRestHandler(store)
export const { id, catalog } = store

export const acme = await store.Company.insert({ code: 'A', city: 'Paris' })
export const ada = await store.Employee.get(1)
export const rich = store.Employee.query`salary > ${3} and employer.city = ${'Paris'}`
export const count = await rich.count()
export const cities = await rich.select('lastName, employer.city').toArray()
export const groups = await store.Company.all().groupBy('city', { count: true }).page(0, 10)
export const top = await rich.call('top', 3)
export const greeted = await store.Employee.callOn(1, 'greet', 'Hello')
export const pong = await store.call('ping')
export const built = await store.singleton('Factory').call('build', 'x')
export const logo = await acme.logo?.bytes()
export const loaded = await store.load('Employee', [{ lastName: 'Byron', employer: 'A' }])
export const asNobody = store.as(null)

export const raised = await store.transact(
  async (tx) => {
    const found = await tx.Employee.get(1)
    if (found === undefined) return null
    const outcome = await tx.Employee.update(found, { salary: (found.salary ?? 0) + 1 })
    return outcome.kind
  },
  { retries: 3, isolation: 'serializable' },
)
export async function* stamps(signal?: AbortSignal) {
  for await (const commit of store.changes({ since: 0, ...(signal && { signal }) }))
    yield commit.globalStamp
}

/** A program with one of these interfaces takes the store. */
export const asynchronous: AsyncStore<Hr> = store
export const local: LocalAsyncStore<Hr> = store

// The store in memory has the same types.
const memory = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
export const both = [asyncOf(memory), store].map((each) => each.Employee.all().sum('salary'))
export const copied = copyStore(memory, { database })
export const steps = databaseOf(memory, { database }).migrate({ dryRun: true })

// `satisfies` checks exported options and keeps their dataclasses.
const exported = {
  name: 'hr',
  dataClasses: [Company, Employee],
  database,
  reading: { maxResidualRows: 1 },
} satisfies SqlStoreOptions
const typed = await openSqlStore(exported)
export const salary: number | null | undefined = (await typed.Employee.get(1))?.salary
// @ts-expect-error: no such attribute
typed.Employee.all().orderBy('salry')

// A client takes the dataclasses from the type of the store that is served.
const client = connect<typeof store>('/rest')
export const earned = client.Employee.get(1).then((employee) => employee?.salary?.toFixed())
export const rang = client.call('ping')
// @ts-expect-error: no such attribute
client.Employee.all().orderBy('salry')
// @ts-expect-error: no such dataclass
client.Person

// Options that are exported keep their dataclasses only without an annotation.
const options: SqlStoreOptions = { name: 'hr', dataClasses: [Company, Employee], database }
export const untyped = await openSqlStore(options)
export const migrated = migrateDatabase(options)
export const anything = untyped.dataClass('Employee').all().count()

// @ts-expect-error: no such dataclass
store.Person
// @ts-expect-error: no such attribute
store.Employee.all().orderBy('salry')
// @ts-expect-error: the key of a company is a text
await store.Company.get(1)
// @ts-expect-error: a required value is missing
await store.Employee.insert({ salary: 3 })
// @ts-expect-error: no such function
await store.call('pong')
// @ts-expect-error: transactions do not nest
await store.transact(async (tx) => tx.transact(async () => 1))
// @ts-expect-error: commits begin after a stamp
store.changes({})
