import { expect, test } from 'vitest'
import {
  keysOf,
  refusalOf,
  type ServedContacts,
  serveContacts,
} from '../../../rest/test/interop/serve-contacts.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

/** The calls of a client, and all their results. */
type Scenario = (served: ServedContacts, got: (what: unknown) => void) => Promise<void>

/** An entity or a value as the client holds it; what is deferred has an address only. */
const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member) => (name.startsWith('_dataClass') ? undefined : member)),
  )

const scenarios: readonly (readonly [title: string, Scenario])[] = [
  [
    'finds entities by key, with relations on request',
    async (served, got) => {
      const { Employee, Place } = await served.client().getCatalog()
      for (const key of [1, 7, 1000]) got(shown(await Employee!.find(key, { select: 'employer' })))
      got(shown(await Place!.query({ orderBy: 'name' })))
      got(await refusalOf(Employee!.find(5000)))
    },
  ],
  [
    'queries, orders and pages through an entity set',
    async (served, got) => {
      const { Employee } = await served.client().getCatalog()
      const filter = 'salary > :1 and employer.name = :2'
      const params = [100, 'A*'] as unknown as string[]
      got(shown(await Employee!.query({ filter, params, orderBy: 'lastName, ID', pageSize: 5 })))
      const all = await Employee!.query({ orderBy: 'salary desc, ID', pageSize: 20 })
      for (const step of ['nextPage', 'nextPage', 'prevPage', 'more'] as const) {
        await all[step]()
        got([all._first, all._sent, all._count, keysOf(all)])
      }
      got(await refusalOf(Employee!.query({ filter: "lastName = 'open" })))
    },
  ],
  [
    'creates, changes and deletes',
    async (served, got) => {
      const { Product, Employee, Company } = await served.client().getCatalog()
      const lamp = Product!.create({ name: 'Lamp', price: 12.5 })
      got(shown(await lamp.save()))
      const [mine, theirs] = [await Product!.find(3), await Product!.find(3)]
      mine.price = 1
      theirs.price = 2
      got(shown(await mine.save()))
      got(await refusalOf(theirs.save()))
      got(await refusalOf(Product!.create({ name: 'Forbidden' }).save()))
      const employee = await Employee!.find(7)
      Object.assign(employee, { birthDate: new Date('2000-02-29T23:59:59.999Z'), isActive: null })
      employee.employer = await Company!.find(5)
      got(shown(await employee.save()))
      got(await refusalOf((await Company!.find(5)).delete()))
      await lamp.delete()
      got(await refusalOf(Product!.find(26)))
      got(shown(await Product!.query({ orderBy: 'ID' })))
    },
  ],
  [
    'follows relations both ways',
    async (served, got) => {
      const { Company } = await served.client().getCatalog()
      const company = await Company!.find(2, { select: 'staff' })
      got(shown(company))
      await company.staff.fetch({ filter: 'salary > 10', orderBy: 'ID desc', pageSize: 3 })
      got(shown(company.staff))
    },
  ],
  [
    'calls functions of dataclasses, entities and collections',
    async (served, got) => {
      const { Employee } = await served.client().getCatalog()
      got(await Employee!.listed(1, "O'Brien; --", null, { a: [true] }))
      got(shown(await Employee!.newest()))
      got(shown(await Employee!.bestPaid(3)))
      got(await refusalOf(Employee!.closed()))
      const first = await Employee!.find(1)
      got([
        await first.greet('Hello'),
        shown(await first.raise(5)),
        shown(await first.colleagues()),
      ])
      const people = await Employee!.query({ filter: 'ID <= 10' })
      got([await people.payroll(), shown(await people.paidOver(100))])
    },
  ],
  [
    'logs in and out',
    async (served, got) => {
      const client = served.client()
      const { Employee } = await client.getCatalog()
      got(await client.directory.login('bar', 'wrong'))
      got(await client.directory.login('bar', 'bar'))
      got([await client.directory.getCurrentUser(), await Employee!.askedBy()])
      got([await client.directory.logout(), await client.directory.getCurrentUser()])
    },
  ],
]

describeDatabases('a client of another vendor', { on: 'one' }, ({ pool, newSchema }) => {
  test.each(scenarios)(
    '%s, with the same result as from a store in memory',
    async (_title, run) => {
      const ofMemory = await transcriptOf(run, await serveContacts())
      const copy = await serveContacts({}, (store) => openCopy(store, pool, newSchema()))
      expect(await transcriptOf(run, copy)).toEqual(ofMemory)
      expect(ofMemory.length).toBeGreaterThan(2)
    },
  )
})

/** All results and requests of the client. */
async function transcriptOf(run: Scenario, served: ServedContacts): Promise<readonly unknown[]> {
  const got: unknown[] = []
  try {
    await run(served, (what) => got.push(what))
  } finally {
    await served.close()
  }
  const ids = new Map<string, string>()
  const text = JSON.stringify([...got, ...served.requests]).replace(/[0-9A-F]{32}/g, (id) => {
    const known = ids.get(id) ?? `id ${ids.size}`
    ids.set(id, known)
    return known
  })
  return JSON.parse(text.replaceAll(served.origin, 'origin'))
}
