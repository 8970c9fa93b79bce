import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import {
  expected,
  held,
  type Opened,
  opened,
  placeOf,
  type Server,
  step,
  write,
} from '../../../replica/test/steps.ts'
import { until } from '../../../replica/test/waiting.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { describeDatabases, run } from '../database.ts'
import { createCopy, fill, Moments, openOffice, type SqlOffice, writeTo } from './replica-office.ts'

/** What some callers may see. */
const RULE = "salary > 0 and employer.city === 'Paris'"

describeDatabases('histories of replicas', { connections: 'several', on: 'one' }, (database) => {
  const { newSchema, open } = database

  test.each([
    ['all entities', null],
    ['entities of a row filter', RULE],
  ] as const)('each complete moment is one of the database: %s', async (_what, rule) => {
    const schema = newSchema()
    const pool = open()
    const authorize = ({ dataClass }: { readonly dataClass: string | null }) =>
      dataClass === 'Employee' && rule !== null ? { filter: rule } : true
    const rest = rule === null ? {} : { authorize }
    const processes = [
      await openOffice(open(), schema, rest),
      await openOffice(open(), schema, rest),
    ] as const
    const moments = new Moments(processes[0].store.changes({ since: 0 }))
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.nat(3), fc.nat(3)),
        fc.array(fc.tuple(step(true), fc.nat(1)), { maxLength: 12 }),
        async (kinds, steps) => {
          await history(
            processes,
            { pool, schema },
            (at, one) => seenAt(moments, at, one, rule),
            kinds,
            steps,
          )
        },
      ),
      { ...runs(12), endOnFailure: true },
    )
    for (const { store } of processes) await store.close()
    await moments.ended()
  })
})

type Steps = readonly (readonly [
  typeof step extends (b: boolean) => fc.Arbitrary<infer S> ? S : never,
  number,
])[]

/** What a caller sees in the shapes of a replica, read directly. */
async function seenAt(
  moments: Moments,
  globalStamp: number,
  one: Opened,
  rule: string | null,
): Promise<unknown> {
  await until(() => moments.has(globalStamp))
  const now = moments.at(globalStamp)
  if (rule === null) return expected(now, one)
  // The same store, whose other entities are not there.
  const seen = createCopy()
  fill(seen, now.Company.all(), now.Employee.query(rule))
  return expected(seen as never, one)
}

/** Two replicas go from process to process. */
async function history(
  processes: readonly [SqlOffice, SqlOffice],
  { pool, schema }: { readonly pool: SqlPool; readonly schema: string },
  seenAt: (globalStamp: number, one: Opened) => Promise<unknown>,
  kinds: readonly [number, number],
  steps: Steps,
): Promise<void> {
  const all = [await openedAt(processes, kinds[0]), await openedAt(processes, kinds[1])]
  const seen: { readonly stamp: number; readonly one: Opened; readonly shown: unknown }[] = []
  const stops = all.map((one) => {
    let last = -1
    const look = (): void => {
      const stamp = placeOf(one)
      if (stamp === last || one.replica.waiting.count > 0) return
      last = stamp
      seen.push({ stamp, one, shown: held(one) })
    }
    look()
    return one.replica.subscribe(look)
  })
  for (const [each, at] of steps) {
    const one = 'replica' in each ? all[each.replica]! : all[0]!
    switch (each.kind) {
      case 'server':
        await writeTo(processes[at]!, each.writes)
        break
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, each.turns * 40))
        break
      case 'wire':
        one.cut()
        one.go(at)
        if (each.isUp) one.connect()
        break
      case 'lose':
        one.wire.lost++
        break
      case 'local':
        await one.replica.transact((tx) => write(tx as never, each.write as Server, 'mine'))
    }
  }
  for (const one of all) {
    one.connect()
    await one.replica.current()
    for (const { number } of [...one.replica.problems]) await one.replica.solve(number, 'theirs')
    await one.replica.current()
  }
  const now = Number((await run(pool, `SELECT stamp FROM "${schema}".entia_store`)).rows[0]![0])
  for (const one of all) {
    const wanted = JSON.stringify(await seenAt(now, one))
    await until(() => one.errors.length > 0 || JSON.stringify(held(one)) === wanted)
    expect(one.errors).toEqual([])
    one.replica.store.verify()
  }
  for (const stop of stops) stop()
  for (const { stamp, one, shown } of seen)
    expect({ stamp, shown }).toEqual({ stamp, shown: await seenAt(stamp, one) })
  for (const { replica } of all) await replica.close()
}

/** A replica of several processes, of which one answers at a time. */
async function openedAt(processes: readonly [SqlOffice, SqlOffice], kind: number) {
  let serving = 0
  const rest = { fetch: (request: Request) => processes[serving]!.rest.fetch(request) }
  const one = await opened({ rest } as never, kind)
  const go = (at: number): void => {
    serving = at
  }
  return { ...one, go }
}
