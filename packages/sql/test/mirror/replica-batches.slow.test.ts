import { type AnyEntity, attribute, defineDataClass } from '@entia/core'
import type { BatchOutcome } from '@entia/core/internal'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../../../replica/src/index.ts'
import { CLASSES, linkTo, PAUSES } from '../../../replica/test/office.ts'
import { until } from '../../../replica/test/waiting.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run } from '../database.ts'
import { openOffice } from './replica-office.ts'

describeDatabases(
  'the batches of replicas of a database',
  { connections: 'several', on: 'one' },
  (database) => {
    const { newSchema, open } = database

    test.each([
      ['the process of the stream', 0],
      ['another process', 1],
    ])('a lost answer that %s gives again, after other commits, ends the batch', async (_, by) => {
      const schema = newSchema()
      const offices = [await openOffice(open(), schema), await openOffice(open(), schema)] as const
      let isLost = true
      const fetch = async (request: Request): Promise<Response> => {
        if (!request.url.endsWith('batches')) return offices[0].rest.fetch(request)
        const answer = await offices[by]!.rest.fetch(request)
        if (!isLost) return answer
        isLost = false
        // The moment of the batch arrives, and no later one follows by itself.
        await new Promise((resolve) => setTimeout(resolve, 500))
        // The shapes of the replica have no part in these.
        for (const name of ['Ann', 'Ben']) await offices[0].store.Employee.insert({ name })
        throw new TypeError('the answer is lost')
      }
      const one = await replicate(linkTo({ fetch } as never).db, {
        dataClasses: CLASSES,
        shapes: { Company: true },
        pauses: PAUSES,
      })
      await one.transact((tx) => tx.Company.insert({ name: 'Acme' }))
      await one.current()
      expect(one.waiting.count).toBe(0)
      await one.close()
      for (const { store } of offices) await store.close()
    })

    test.each([
      ['everybody has seen', true],
      ['only the process of the write has seen', false],
    ])(
      'a process that ran while commits were lost that %s serves the remaining ones',
      async (_, isPolled) => {
        const schema = newSchema()
        const office = await openOffice(open(), schema)
        const acme = await office.store.Company.insert({ name: 'Acme', city: 'Paris' })
        const one = await replicate(linkTo(office.rest).db, {
          dataClasses: CLASSES,
          shapes: { Company: true },
          pauses: PAUSES,
        })
        const city = (): string | null | undefined => one.store.Company.get(acme.ID)?.city
        await office.store.Company.update(acme.ID, { city: 'Rome' })
        await until(() => city() === 'Rome')
        if (isPolled) await new Promise((resolve) => setTimeout(resolve, 300))
        const $ = `"${schema}"`
        await run(
          open(),
          `WITH changes AS (DELETE FROM ${$}.entia_change WHERE stamp = 2 AND class = 'Company'),
            commits AS (DELETE FROM ${$}.entia_commit WHERE stamp = 2),
            rows AS (UPDATE ${$}."Company" SET city = 'Paris', _stamp = 1)
            UPDATE ${$}.entia_store SET stamp = 1`,
        )
        await until(() => city() === 'Paris')
        await one.close()
        await office.store.close()
      },
    )

    test('a process distinguishes replicas that another one has forgotten from new ones', async () => {
      const schema = newSchema()
      const [one, two] = [await openOffice(open(), schema), await openOffice(open(), schema)]
      let mustLose = false
      const fetch = async (request: Request): Promise<Response> => {
        if (!mustLose || !request.url.endsWith('batches')) return one.rest.fetch(request)
        const sent = new Request(request.url, { method: 'POST', body: await request.text() })
        // Neither the stream nor the answer says what became of it.
        link.cut()
        await one.rest.fetch(sent)
        await two.rest.expireReplicas({ days: 0 })
        mustLose = false
        throw new TypeError('the answer is lost')
      }
      const link = linkTo({ fetch } as never)
      const options = { dataClasses: CLASSES, shapes: { Company: true }, pauses: PAUSES } as const
      const first = await replicate(link.db, options)
      const found = async (name: string) => {
        const { outcome } = await first.transact((tx) => tx.Company.insert({ name }))
        return outcome
      }
      expect(await found('Acme')).toMatchObject({ kind: 'applied' })
      mustLose = true
      const lost = found('Bolt')
      await until(() => !mustLose)
      link.connect()
      const errors = [{ code: 'replicaExpired' }]
      expect(await lost).toMatchObject({ kind: 'problem', problem: { errors } })
      expect(await one.store.Company.query`name = Bolt`.count()).toBe(1)
      expect(await found('Cube')).toMatchObject({ kind: 'applied' })
      const second = await replicate(linkTo(two.rest).db, options)
      const { outcome } = await second.transact((tx) => tx.Company.insert({ name: 'Dome' }))
      expect(await outcome).toMatchObject({ kind: 'applied' })
      expect(await two.rest.expireReplicas({ days: 1 })).toBe(0)
      // More than one transaction removes.
      const met = '2026-01-01T00:00:00.000Z'
      for (const from of ['a', 'b', 'c'])
        await one.store.ReplicaState.saveAll(
          Array.from({ length: 400 }, (_, at) => ({ ID: `${from}${at}`, met })),
        )
      expect(await two.rest.expireReplicas({ days: 1 })).toBe(1200)
      expect(await two.rest.expireReplicas({ days: 0 })).toBe(2)
      for (const replica of [first, second]) await replica.close()
      for (const { store } of [one, two]) await store.close()
    })

    test('a mirror that switches itself off ends no process, and replicas say why they wait', async () => {
      const mirror = { dataClasses: ['Company', 'Employee'], maxEntities: 1 }
      const office = await openOffice(open(), newSchema(), {}, mirror)
      const warnings: string[] = []
      const warn = ({ message }: Error): void => void warnings.push(message)
      process.on('warning', warn)
      const one = await replicate(linkTo(office.rest).db, {
        dataClasses: CLASSES,
        shapes: { Company: true },
        pauses: PAUSES,
      })
      for (const name of ['Acme', 'Roma']) await office.store.Company.insert({ name })
      await until(() => String(one.error).includes('its mirror is being filled, or is off'))
      await until(() => warnings.length > 0)
      process.off('warning', warn)
      expect(warnings).toEqual([expect.stringMatching(/The mirror is off: .*mirror\.maxEntities/)])
      expect(await office.store.Company.all().count()).toBe(2)
      await one.close()
      await office.store.close()
    })

    test('a client that never says which outcomes have arrived is refused by name, and loses none', async () => {
      const office = await openOffice(open(), newSchema())
      const replica = 'abcdefghijklmnopqrstuvwxyz'
      const send = async (received: number, first: number, count: number, values: object) => {
        const item = { kind: 'insert', dataClass: 'Company', key: '7'.repeat(32), values }
        const batches = Array.from({ length: count }, (_, at) => ({
          number: first + at,
          items: [item],
        }))
        const request = new Request('http://office.test/rest/$replica/batches', {
          method: 'POST',
          body: JSON.stringify({ replica, received, batches }),
        })
        const answer = await office.rest.fetch(request)
        const { outcomes, __ERROR } = JSON.parse(await answer.text())
        return outcomes?.map(({ kind }: BatchOutcome) => kind) ?? __ERROR[0].message
      }
      const kept = async () => {
        const [state, ...others] = await office.store.ReplicaState.all().toArray()
        expect(others).toEqual([])
        return Object.keys(state!.outcomes!).length
      }
      const all = (count: number) => Array.from({ length: count }, () => 'refused')
      const wrong = { unknown: 1 }
      for (let first = 1; first <= 10_000; first += 100)
        expect(await send(0, first, 100, wrong)).toEqual(
          first < 200 ? all(100) : expect.stringMatching(/"received".* above 200/),
        )
      expect(await kept()).toBe(200)
      // It was cut off, and sends again what it has no outcomes of.
      expect(await send(0, 101, 100, wrong)).toEqual(all(100))
      expect(await send(200, 201, 100, wrong)).toEqual(all(100))
      expect(await kept()).toBe(100)
      const right = { name: 'Acme' }
      expect(await send(300, 301, 1, right)).toEqual(['applied'])
      expect(await send(300, 301, 1, right)).toEqual(['applied'])
      expect(await office.store.Company.all().count()).toBe(1)
      await office.store.close()
    })

    test('a function is called with entities, and may take longer than a request: then it is called once and refused', async () => {
      let calls = 0
      const Invoice = defineDataClass(
        'Invoice',
        { ID: attribute.string({ key: true }), paid: attribute.number() },
        {
          functions: {
            payAs: {
              on: 'entity',
              exposed: true,
              run: ({ entity, dataClass }, other: AnyEntity) => {
                const { paid } = other as AnyEntity & { readonly paid: number }
                dataClass.update(entity.ID, { paid })
                return { as: other.key, paid }
              },
            },
            payLater: {
              on: 'dataClass',
              exposed: true,
              run: async () => {
                calls++
                await new Promise((resolve) => setTimeout(resolve, 3000))
              },
            },
          },
        },
      )
      const options = {
        name: 'shop',
        dataClasses: [Invoice, ReplicaState],
        database: open(),
        schema: newSchema(),
        mirror: { dataClasses: ['Invoice'] },
        requests: { maxMilliseconds: 500 },
      } as const
      await migrateDatabase(options)
      const store = await openSqlStore(options)
      await store.mirror!.filled()
      const rest = createRestHandler(store, { replicas: { maxCallSeconds: 1 } })
      const desk = await replicate(linkTo(rest).db, {
        dataClasses: [Invoice],
        shapes: { Invoice: true },
        pauses: PAUSES,
      })
      for (const [ID, paid] of [
        ['a', 1],
        ['b', 7],
      ] as const)
        await desk.transact((tx) => tx.Invoice.insert({ ID, paid }))
      const pay = await desk.callOn('Invoice', 'a', 'payAs', desk.store.Invoice.get('b')!)
      expect(await pay.outcome).toMatchObject({ result: { as: 'b', paid: 7 } })
      expect((await store.Invoice.get('a'))?.paid).toBe(7)
      const { outcome } = await desk.call('Invoice', 'payLater')
      const late = await outcome
      expect(late.kind === 'problem' && late.problem.errors[0]!.code).toBe('functionTimedOut')
      expect(calls).toBe(1)
      await desk.close()
      await store.close()
    })
  },
)
