import type { AnyDataStore } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../../../replica/src/index.ts'
import {
  expected,
  held,
  type Opened,
  opened,
  type Server,
  server,
  write,
} from '../../../replica/test/steps.ts'
import { until } from '../../../replica/test/waiting.ts'
import { describeDatabases, run, type TestDatabase } from '../database.ts'
import { type Child, startChild } from '../races/child.ts'
import { backUp, restore } from './database-backup.ts'
import {
  Moments,
  noted,
  openOffice,
  type SavedMarks,
  type SqlOffice,
  writeTo,
} from './replica-office.ts'

/** Number of kills; `ENTIA_KILLS=200` plays more. */
const KILLS = Number(process.env.ENTIA_KILLS ?? 5)
/** The shapes of the replicas, by their numbers. */
const KINDS = [0, 1, 2]
const WRITES = 12

/** The commits of a database between two restores. */
interface Timeline {
  readonly id: string
  readonly moments: Moments
  readonly saved: SavedMarks
  readonly writer: SqlOffice
}
interface Sent {
  readonly mark: string
  readonly round: number
  /** With the last timeline when the replica got it. */
  readonly outcome: Promise<{ readonly kind: string; readonly in: Timeline }>
}
interface Backup {
  readonly globalStamp: number
  readonly timeline: Timeline
}

const draw = (most: number): number => Math.floor(Math.random() * most)
const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

function placeIn(one: Opened): { readonly instance: string; readonly globalStamp: number } {
  const places = (one.replica.store as never as AnyDataStore).dataClass('ReplicaPlace')
  return (places.get('place') as never as { at: ReturnType<typeof placeIn> }).at
}

async function beginTimeline(
  { open }: TestDatabase,
  schema: string,
  base: (Backup & { readonly begun: number }) | null,
): Promise<Timeline> {
  const writer = await openOffice(open(), schema, {}, null)
  const since = base?.begun ?? 0
  const saved: Timeline['saved'] = new Map()
  if (base !== null)
    for (const [mark, stamps] of base.timeline.saved) {
      const kept = stamps.filter((stamp) => stamp <= base.globalStamp)
      if (kept.length > 0) saved.set(mark, kept)
    }
  const contents = base?.timeline.moments.at(base.globalStamp)
  const changes = noted(writer.store.changes({ since }), saved)
  return { id: writer.store.id, moments: new Moments(changes, since, contents), saved, writer }
}

describeDatabases('takeovers', { connections: 'several', on: 'one' }, (database) => {
  test('each batch is applied once or is a problem, and each moment is one of the database', {
    timeout: 60_000 + KILLS * 20_000,
  }, async () => {
    const { connectionString, newSchema, pool } = database
    const [schema, copy] = [newSchema(), newSchema()]
    let more = 0
    const start = () =>
      startChild(new URL('takeover-process.ts', import.meta.url), {
        connectionString,
        schema,
        more,
      })
    let timeline = await beginTimeline(database, schema, null)
    const timelines = [timeline]
    let serving: Child = await start()
    let port: number = await serving.tell({})
    const fetchFrom = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      const { method, headers, signal } = request
      const body = method === 'GET' ? null : await request.text()
      return fetch(`http://127.0.0.1:${port}${pathname}`, { method, headers, signal, body })
    }
    const all = await Promise.all(
      KINDS.map((kind) => opened({ rest: { fetch: fetchFrom } } as never, kind)),
    )
    const seen: { readonly one: Opened; readonly at: object; readonly shown: unknown }[] = []
    for (const one of all) {
      let last = ''
      one.replica.subscribe(() => {
        if (one.replica.state === 'loading' || one.replica.waiting.count > 0) return
        const at = placeIn(one)
        if (JSON.stringify(at) === last) return
        last = JSON.stringify(at)
        seen.push({ one, at, shown: held(one) })
      })
    }
    let marks = 0
    const sent: Sent[] = []
    const change = async (one: Opened, round: number): Promise<void> => {
      const mark = `mine ${++marks}`
      const [each] = fc.sample(server, 1) as [Server]
      const { number, outcome } = await one.replica.transact((tx) => write(tx as never, each, mark))
      const settled = outcome.then(({ kind }: Outcome) => ({ kind, in: timeline }))
      if (number > 0 && (each.kind === 'hire' || each.kind === 'change'))
        sent.push({ mark, round, outcome: settled })
    }
    /** Every commit of the database is noted. */
    const untilNow = async () => {
      const { rows } = await run(pool, `SELECT stamp FROM "${schema}".entia_store`)
      await until(() => timeline.moments.has(Number(rows[0]![0])))
      return timeline.moments.at(Number(rows[0]![0]))
    }
    let backup: Backup | null = null
    for (let round = 0; round < KILLS; round++) {
      const isRestored = backup !== null && (round % 5 === 2 || draw(5) === 0)
      const isMigrated = round % 5 === 3 && more < 20
      let next = isMigrated ? null : start()
      for (let at = 0; at < WRITES; at++) {
        await change(all[draw(all.length)]!, round)
        if (draw(3) === 0) await writeTo(timeline.writer, fc.sample(server, 2))
        if (draw(4) === 0) await wait(draw(30))
        if (at === 6 && (backup === null || draw(3) === 0)) {
          const globalStamp = await backUp(pool, schema, copy)
          await until(() => timeline.moments.has(globalStamp))
          backup = { globalStamp, timeline }
        }
      }
      // Some of their batches are at the server, some are not.
      for (const one of all) void change(one, round)
      await wait(draw(30))
      process.kill(serving.pid, 'SIGKILL')
      for (const one of all) await change(one, round)
      if (isRestored) {
        await untilNow()
        await timeline.writer.store.close()
        await timeline.moments.ended()
        const begun = await restore(pool, schema, copy)
        timeline = await beginTimeline(database, schema, { ...(backup as Backup), begun })
        timelines.push(timeline)
      }
      if (isMigrated) more++
      next ??= start()
      serving = await next
      port = await serving.tell({})
      if (draw(2) === 0) continue
      for (const { replica } of all) await replica.current()
    }
    for (const { replica } of all) {
      await replica.current()
      for (const { number } of [...replica.problems]) await replica.solve(number, 'theirs')
      await replica.current()
    }
    const now = await untilNow()
    for (const one of all) {
      const wanted = JSON.stringify(expected(now, one))
      await until(() => one.errors.length > 0 || JSON.stringify(held(one)) === wanted)
      expect(one.errors).toEqual([])
      one.replica.store.verify()
    }
    for (const { one, at, shown } of seen) {
      const { instance, globalStamp } = at as ReturnType<typeof placeIn>
      const { moments } = timelines.find(({ id }) => id === instance)!
      await until(() => moments.has(globalStamp))
      expect({ at, shown }).toEqual({ at, shown: expected(moments.at(globalStamp), one) })
    }
    for (const { mark, round, outcome } of sent) {
      const { kind, in: decided } = await outcome
      const first = decided.saved.get(mark)?.length ?? 0
      const last = timeline.saved.get(mark)?.length ?? 0
      const counts = { mark, round, kind, first, last }
      expect(counts).toEqual(
        kind === 'applied'
          ? { ...counts, first: 1, last: expect.toSatisfy((count) => count <= 1) }
          : { ...counts, last: 0 },
      )
    }
    for (const { replica } of all) await replica.close()
    await serving.end()
    await timeline.writer.store.close()
    await timeline.moments.ended()
  })
})
