import { attribute, defineDataClass, EntiaError } from '@entia/core'
import { createRestHandler, ReplicaState, type RestOptions } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../../../replica/src/index.ts'
import { CLASSES, linkTo, PAUSES } from '../../../replica/test/office.ts'
import { opened } from '../../../replica/test/steps.ts'
import { until } from '../../../replica/test/waiting.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run } from '../database.ts'
import { openOffice } from './replica-office.ts'

/** The modes of the streams that a link has had. */
const modesOf = ({ wire }: ReturnType<typeof linkTo>): readonly string[] =>
  wire.lines.flatMap((text) =>
    text.startsWith('{') ? [(JSON.parse(text.split('\n')[0]!) as { mode: string }).mode] : [],
  )

const Order = defineDataClass('Order', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})
const Invoice = defineDataClass(
  'Invoice',
  {
    ID: attribute.string({ key: true }),
    amount: attribute.number({ notNull: true }),
    paid: attribute.number({ notNull: true, default: 0 }),
  },
  {
    functions: {
      pay: {
        on: 'entity',
        exposed: true,
        run: ({ entity, dataClass }, sum: number) => {
          const { ID, amount, paid } = entity
          if (paid + sum > amount)
            throw new EntiaError('functionRefused', { errCode: 10_001, message: 'Too much.' })
          dataClass.update(ID, { paid: paid + sum })
          return { left: amount - paid - sum }
        },
      },
      payLater: {
        on: 'entity',
        exposed: true,
        run: async ({ entity, dataClass }, milliseconds: number) => {
          await new Promise((resolve) => setTimeout(resolve, milliseconds))
          dataClass.update(entity.ID, { paid: 1 })
          return 'paid'
        },
      },
    },
  },
)

async function openShop(database: SqlPool, schema: string, rest: Partial<RestOptions> = {}) {
  const options = {
    name: 'shop',
    dataClasses: [Order, Invoice, ReplicaState],
    database,
    schema,
    mirror: { dataClasses: ['Order', 'Invoice'] },
  } as const
  await migrateDatabase(options)
  const store = await openSqlStore(options)
  await store.mirror!.filled()
  return { store, rest: createRestHandler(store, { replicas: true, ...rest }) }
}

describeDatabases('replicas of a database', { connections: 'several', on: 'one' }, (database) => {
  const { newSchema, open } = database

  test('follow the commits of all processes, and write through any of them', async () => {
    const schema = newSchema()
    const [first, second] = [await openOffice(open(), schema), await openOffice(open(), schema)]
    const acme = await first.store.Company.insert({ name: 'Acme', city: 'Paris' })
    const one = await opened(first, 1)
    await one.replica.current()
    expect(one.replica.store.Company.all().toArray()).toHaveLength(1)
    await second.store.Employee.insert({ name: 'Ann', salary: 5, employer: acme })
    await until(() => one.replica.store.Employee.all().count === 1)
    const { outcome } = await one.replica.transact((tx) => {
      const [ann] = tx.Employee.all().toArray()
      tx.Employee.update(ann!.ID, { salary: 7 })
    })
    expect((await outcome).kind).toBe('applied')
    await one.replica.current()
    const salaries = async () =>
      (await second.store.Employee.all().toArray()).map(({ salary }) => salary)
    await expect.poll(salaries).toEqual([7])
    expect(one.errors).toEqual([])
    await one.replica.close()
    await first.store.close()
    await second.store.close()
  })

  test('a moment follows a batch that has changed nothing of the shapes', async () => {
    const schema = newSchema()
    const [first, second] = [await openOffice(open(), schema), await openOffice(open(), schema)]
    // The stream is that of one process, the batches are decided by another.
    const fetch = (request: Request): Promise<Response> =>
      (request.url.endsWith('batches') ? second : first).rest.fetch(request)
    const one = await opened({ rest: { fetch } } as never, 1)
    await one.replica.transact((tx) => tx.Company.insert({ name: 'Roma', city: 'Rome' }))
    await one.replica.current()
    expect(one.replica.waiting.count).toBe(0)
    expect(one.replica.store.Company.all().count).toBe(0)
    await expect.poll(() => first.store.Company.all().count()).toBe(1)
    await one.replica.close()
    await first.store.close()
    await second.store.close()
  })

  test('one batch that is sent to two processes at once is applied once', async () => {
    const schema = newSchema()
    const processes = [await openOffice(open(), schema), await openOffice(open(), schema)]
    const body = (number: number) =>
      JSON.stringify({
        replica: 'r'.repeat(24),
        batches: [
          {
            number,
            items: [
              { kind: 'insert', dataClass: 'Company', key: '0'.repeat(31) + number, values: {} },
            ],
          },
        ],
      })
    for (let number = 1; number <= 5; number++) {
      const answers = await Promise.all(
        [...processes, ...processes].map(async ({ rest }) => {
          const request = new Request('http://office.test/rest/$replica/batches', {
            method: 'POST',
            body: body(number),
          })
          return (await rest.fetch(request)).json()
        }),
      )
      for (const answer of answers)
        expect(answer).toMatchObject({ outcomes: [{ number, kind: 'applied' }] })
    }
    await expect.poll(() => processes[0]!.store.Company.all().count()).toBe(5)
    for (const { store } of processes) await store.close()
  })

  test('continue in another process, and compare with one that was opened later', async () => {
    const schema = newSchema()
    const [first, second] = [await openOffice(open(), schema), await openOffice(open(), schema)]
    let serving = first
    const rest = { fetch: (request: Request) => serving.rest.fetch(request) }
    await first.store.Company.insert({ name: 'Acme', city: 'Paris' })
    const one = await opened({ rest } as never, 0)
    await one.replica.current()
    for (const next of [second, first]) {
      one.cut()
      await next.store.Company.insert({ name: 'meanwhile', city: 'Paris' })
      serving = next
      one.connect()
      await one.replica.current()
    }
    expect(modesOf(one)).toEqual(['whole', 'continue', 'continue'])
    one.cut()
    await first.store.Company.insert({ name: 'later', city: 'Paris' })
    const third = await openOffice(open(), schema)
    serving = third
    one.connect()
    await until(() => one.replica.store.Company.all().count === 4)
    expect(modesOf(one).slice(3)).toEqual(['marks', 'compare'])
    expect(one.errors).toEqual([])
    await one.replica.close()
    for (const { store } of [first, second, third]) await store.close()
  })

  test('compare after commits were lost, also where the position exists again', async () => {
    const schema = newSchema()
    const first = await openOffice(open(), schema)
    let serving = first
    const rest = { fetch: (request: Request) => serving.rest.fetch(request) }
    const acme = await first.store.Company.insert({ name: 'Acme', city: 'Paris' })
    const one = await opened({ rest } as never, 0)
    await first.store.Company.update(acme.ID, { city: 'Rome' })
    await until(() => one.replica.store.Company.get(acme.ID)?.city === 'Rome')
    one.cut()
    await first.store.close()
    // The database is restored to the moment before, and another commit takes the place.
    const db = open()
    const $ = `"${schema}"`
    await run(db, `DELETE FROM ${$}.entia_change WHERE stamp = 2 AND class = 'Company'`)
    await run(db, `DELETE FROM ${$}.entia_commit WHERE stamp = 2`)
    await run(db, `UPDATE ${$}.entia_store SET stamp = 1`)
    await run(db, `UPDATE ${$}."Company" SET city = 'Paris', _stamp = 1`)
    serving = await openOffice(open(), schema)
    await serving.store.Company.insert({ name: 'New', city: 'Oslo' })
    one.connect()
    const cities = (): readonly unknown[] =>
      one.replica.store.Company.all()
        .toArray()
        .map(({ city }) => city)
    await until(() => cities().length === 2)
    expect(new Set(cities())).toEqual(new Set(['Paris', 'Oslo']))
    expect(one.errors).toEqual([])
    await one.replica.close()
    await serving.store.close()
  })

  test('come back in a new epoch, and lose what the database has lost', async () => {
    const schema = newSchema()
    const office = await openOffice(open(), schema)
    const one = await opened(office, 0)
    await one.replica.transact((tx) => tx.Company.insert({ name: 'Acme' }))
    await one.replica.current()
    const db = open()
    await run(db, `DELETE FROM "${schema}"."Company"`)
    await run(db, `DELETE FROM "${schema}"."ReplicaState"`)
    await run(db, `SELECT "${schema}".entia_new_epoch()`)
    await until(() => one.replica.store.Company.all().count === 0)
    await office.store.Company.insert({ name: 'after' })
    await one.replica.transact((tx) => tx.Company.insert({ name: 'third' }))
    await one.replica.current()
    const names = (await office.store.Company.all().toArray()).map(({ name }) => name)
    expect(names).toEqual(['after', 'third'])
    expect(one.replica.store.Company.all().count).toBe(2)
    expect(one.errors).toEqual([])
    await one.replica.close()
    await office.store.close()
  })

  test('shapes that read a dataclass that is not mirrored are refused by name', async () => {
    const schema = newSchema()
    const mirror = { dataClasses: ['Company'] }
    const filter = { filter: "staff.name = 'Ann'" }
    const authorize = ({ dataClass }: { readonly dataClass: string | null }) =>
      dataClass === 'Company' ? filter : true
    const office = await openOffice(open(), schema, {}, mirror)
    const ruled = createRestHandler(office.store, { replicas: true, authorize })
    for (const [rest, shapes] of [
      [office.rest, { Employee: true }],
      [office.rest, { Company: { with: ['staff'] } }],
      [office.rest, { Company: { filter: 'staff.salary > 1' } }],
      [ruled, { Company: true }],
    ] as const)
      await expect(
        replicate(linkTo(rest).db, { dataClasses: CLASSES, shapes, pauses: PAUSES } as never),
      ).rejects.toThrow('Add "Employee" to the option mirror.dataClasses of the store.')
    const one = await replicate(linkTo(office.rest).db, {
      dataClasses: CLASSES,
      shapes: { Company: true },
      pauses: PAUSES,
    })
    await expect(one.reshape({ Employee: true })).rejects.toThrow('mirror.dataClasses')
    await one.close()
    await office.store.close()
  })

  test('without a mirror, streams are refused with the remedy', async () => {
    const office = await openOffice(open(), newSchema(), {}, null)
    const link = linkTo(office.rest)
    await expect(
      replicate(link.db, { dataClasses: CLASSES, shapes: { Company: true }, pauses: PAUSES }),
    ).rejects.toThrow('mirror.dataClasses')
    await office.store.close()
  })

  test.each(['$replica', 'Company?$live=true'])(
    'requests at the same time open no more streams than maxStreams: %s',
    async (address) => {
      const limits = { maxStreams: 2 }
      const office = await openOffice(open(), newSchema(), { replicas: limits, live: limits })
      const body = JSON.stringify({ replica: 'r'.repeat(24), shapes: { Company: true } })
      const more = address === '$replica' ? { method: 'POST', body } : {}
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          office.rest.fetch(new Request(`http://office.test/rest/${address}`, more)),
        ),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.sort()).toEqual([200, 200, 429, 429, 429])
      for (const answer of answers) await answer.body?.cancel()
      await office.store.close()
    },
  )

  test('shapes change, and permissions take away what they no longer show', async () => {
    let city = 'Paris'
    const authorize = ({ dataClass }: { readonly dataClass: string | null }) =>
      dataClass === 'Company' ? { filter: 'city = :1', parameters: [city] } : true
    const office = await openOffice(open(), newSchema(), { authorize })
    await office.store.Company.insert({ name: 'Acme', city: 'Paris' })
    await office.store.Company.insert({ name: 'Roma', city: 'Rome' })
    await office.store.Employee.insert({ name: 'Ann' })
    const one = await replicate(linkTo(office.rest).db, {
      dataClasses: CLASSES,
      shapes: { Company: true },
      pauses: PAUSES,
    })
    const names = (): readonly unknown[] =>
      one.store.Company.all()
        .toArray()
        .map(({ name }) => name)
    expect(names()).toEqual(['Acme'])
    city = 'Rome'
    office.rest.permissionsChanged()
    await until(() => names().length === 1 && names()[0] === 'Roma')
    await one.reshape({ Employee: true })
    expect(one.store.Employee.all().count).toBe(1)
    await one.close()
    await office.store.close()
  })

  test('keys are leased in the database: two processes give none twice', async () => {
    const schema = newSchema()
    const [first, second] = [await openShop(open(), schema), await openShop(open(), schema)]
    const tills = await Promise.all(
      [first, second, first].map(({ rest }) =>
        replicate(linkTo(rest).db, {
          dataClasses: [Order],
          shapes: { Order: true },
          lease: { Order: 10 },
          pauses: PAUSES,
        }),
      ),
    )
    for (const till of tills) await till.current()
    for (let at = 0; at < 12; at++)
      for (const till of tills) {
        await till.transact((tx) => tx.Order.insert({ text: `${at}` }))
        if (at % 4 === 3) await till.current()
      }
    await second.store.Order.insert({ text: 'server' })
    for (const till of tills) {
      await till.current()
      expect(till.problems.count).toBe(0)
      await until(() => till.store.Order.all().count === 37)
      await till.close()
    }
    for (const { store } of [first, second]) await store.close()
  })

  test('strict transactions do not conflict with earlier ones of the same replica, in any request', async () => {
    const shop = await openShop(open(), newSchema())
    await shop.store.Invoice.insert({ ID: 'i', amount: 0 })
    const link = linkTo(shop.rest)
    const replica = await replicate(link.db, {
      dataClasses: [Order, Invoice],
      shapes: { Invoice: true },
      pauses: PAUSES,
      strict: true,
    })
    link.cut()
    // A request has 100 of them, and a transaction of the database 50.
    const raises = []
    for (let amount = 1; amount <= 120; amount++)
      raises.push(await replica.transact((tx) => tx.Invoice.update('i', { amount }).ID))
    link.connect()
    for (const { outcome } of raises) expect((await outcome).kind).toBe('applied')
    expect((await shop.store.Invoice.get('i'))?.amount).toBe(120)
    await replica.close()
    await shop.store.close()
  })

  test('calls are decided in their order, once, and their time is bounded', async () => {
    const schema = newSchema()
    const maxCallSeconds = 1
    const shop = await openShop(open(), schema, { replicas: { maxCallSeconds } })
    const link = linkTo(shop.rest)
    const desk = await replicate(link.db, {
      dataClasses: [Invoice],
      shapes: { Invoice: true },
      pauses: PAUSES,
    })
    await desk.transact((tx) => tx.Invoice.insert({ ID: 'I-1', amount: 50 }))
    link.wire.lost = 2
    const paid = await (await desk.callOn('Invoice', 'I-1', 'pay', 20)).outcome
    expect(paid).toMatchObject({ kind: 'applied', result: { left: 30 } })
    const refused = await (await desk.callOn('Invoice', 'I-1', 'pay', 40)).outcome
    expect(refused.kind === 'problem' && refused.problem.errors[0]!.message).toBe('Too much.')
    await desk.transact((tx) => tx.Invoice.insert({ ID: 'I-2', amount: 5 }))
    const later = await (await desk.callOn('Invoice', 'I-2', 'payLater', 50)).outcome
    expect(later).toMatchObject({ kind: 'applied', result: 'paid' })
    await desk.transact((tx) => tx.Invoice.insert({ ID: 'I-3', amount: 5 }))
    const late = await (await desk.callOn('Invoice', 'I-3', 'payLater', 2500)).outcome
    expect(late.kind === 'problem' && late.problem.errors[0]!.code).toBe('functionTimedOut')
    for (const { number } of [...desk.problems]) await desk.solve(number, 'theirs')
    await desk.current()
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const rows = await shop.store.Invoice.all().orderBy('ID').toArray()
    expect(rows.map(({ paid }) => paid)).toEqual([20, 1, 0])
    await desk.close()
    await shop.store.close()
  })
})
