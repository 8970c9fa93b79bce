import { openDump } from '@entia/core'
import { openBrowserJournal } from '@entia/core/browser'
import { createRestHandler, ReplicaState, type RestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import { patience, runs } from '../../core/test/runs.ts'
import type { ReplicateOptions } from '../src/index.ts'
import { CLASSES, createOffice } from './office.ts'
import { countMarks, type Opened, opened, run, server, step, untilSame, write } from './steps.ts'
import { until } from './waiting.ts'

// A server that is put back to a backup: what replicas have seen may be ahead of it, and it may not
// know them, or know again those that it had forgotten.

const SERVER = ['backup', 'restore', 'restore', 'expire', 'reload', 'delay', 'arrive'] as const
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: step(true) },
    { weight: 4, arbitrary: fc.constantFrom(...SERVER) },
  ),
  { maxLength: 24 },
)

/** A server whose process ends with each restore. */
function createServer() {
  let { store, rest } = createOffice()
  let saved = new Map<string, number>()
  countMarks({ store }, saved)
  let backup = { dump: store.dump(), saved: new Map(saved) }
  let isUp = true
  /** Whether the next answer to batches arrives late, and those that are late. */
  let isLate = false
  let late: (() => void)[] = []
  const fetch: RestHandler['fetch'] = async (request) => {
    const process = rest
    const response = isUp ? await process.fetch(request) : null
    if (response !== null && isLate && !request.url.endsWith('$replica')) {
      isLate = false
      await new Promise<void>((arrive) => late.push(arrive))
      return response
    }
    if (response !== null && isUp && process === rest) return response
    throw new TypeError('The process has ended.')
  }
  return {
    get store() {
      return store
    },
    get rest() {
      return rest
    },
    /** How often each mark of a replica was saved, as far as the server has not lost it. */
    get saved() {
      return saved
    },
    asRest: { fetch } as RestHandler,
    delay() {
      isLate = true
    },
    arrive() {
      isLate = false
      for (const arrive of late) arrive()
      late = []
    },
    backUp() {
      backup = { dump: store.dump(), saved: new Map(saved) }
    },
    end() {
      isUp = false
      rest.endStreams()
    },
    restore() {
      const dataClasses = [...CLASSES, ReplicaState] as const
      store = openDump(backup.dump, { name: 'office', dataClasses })
      saved = new Map(backup.saved)
      countMarks({ store }, saved)
      rest = createRestHandler(store, { replicas: true })
      isUp = true
    },
  }
}

/** Histories take milliseconds: a replica that does not become current would stop all others. */
async function untilCurrent({ replica, errors }: Opened): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    const state = () => ({ state: replica.state, waiting: [...replica.waiting], errors })
    setTimeout(() => reject(new Error(JSON.stringify(state()))), 30_000).unref()
  })
  await Promise.race([replica.current(), late])
}

interface Sent {
  readonly text: string
  readonly replica: number
  readonly number: number
}

test(
  'what waits when a server is restored is applied once or is a problem, and nothing twice',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(server, { maxLength: 6 }),
        fc.tuple(fc.nat(3), fc.nat(3)),
        steps,
        async (before, kinds, steps) => {
          const office = createServer()
          for (const each of before) office.store.transact((tx) => write(tx as never, each, ''))
          office.backUp()
          const browser = new MemoryBrowser()
          // One is kept on its device.
          const keep: ReplicateOptions['keep'] = (store, tab) =>
            openBrowserJournal(store, 'hr', tab, browser.openTab().ports)
          const all = [
            await opened({ rest: office.asRest }, kinds[0], { keep }),
            await opened({ rest: office.asRest }, kinds[1]),
          ]
          const sent: Sent[] = []
          /** What may be lost: it had arrived when the server was restored. */
          let isLost: (each: Sent) => boolean = () => false
          const isWaiting = ({ replica, number }: Sent): boolean =>
            all[replica]!.replica.waiting.keys().includes(number)
          for (const each of steps) {
            if (each === 'backup') office.backUp()
            else if (each === 'delay') office.delay()
            else if (each === 'arrive') office.arrive()
            else if (each === 'expire') {
              await office.rest.expireReplicas({ days: 0 })
              // What is applied again is saved again.
              office.store.Employee.all().remove()
            } else if (each === 'reload') {
              const [first] = all as [Opened]
              await first.replica.close()
              expect(first.errors).toEqual([])
              all[0] = await opened({ rest: office.asRest }, kinds[0], {
                isUp: first.wire.isUp,
                keep,
              })
            } else if (each === 'restore') {
              office.end()
              const isDown = ({ replica }: Opened): boolean =>
                replica.state !== 'current' && replica.state !== 'behind'
              await until(() => all.every(isDown))
              const settled = new Set(sent.filter((one) => !isWaiting(one)))
              isLost = (one) => settled.has(one)
              office.restore()
            } else if (each.kind !== 'local') await run(office, all, each)
            else {
              const text = `mine ${sent.length}`
              const { number } = await all[each.replica]!.replica.transact((tx) =>
                write(tx as never, each.write, text),
              )
              const hasMark = each.write.kind === 'hire' || each.write.kind === 'change'
              if (hasMark && number > 0) sent.push({ text, replica: each.replica, number })
            }
          }
          for (const one of all) one.connect()
          office.arrive()
          for (const one of all) await untilCurrent(one)
          for (const one of sent) {
            const { text, replica, number } = one
            const times = office.saved.get(text) ?? 0
            const problem = all[replica]!.replica.problem(number)
            expect({ text, times: Math.min(times, 2) }).not.toEqual({ text, times: 2 })
            if (problem === undefined)
              expect({ text, is: times === 1 || isLost(one) }).toEqual({ text, is: true })
            else if (problem.errors[0]?.code !== 'replicaExpired')
              expect({ text, times }).toEqual({ text, times: 0 })
          }
          for (const one of all) {
            const { replica } = one
            for (const { number } of [...replica.problems]) await replica.solve(number, 'theirs')
            await untilCurrent(one)
          }
          for (const one of all) {
            await untilSame(office.store, one)
            one.replica.store.verify()
            await one.replica.close()
          }
        },
      ),
      { ...runs(60) },
    )
  },
)

test('an answer of before the server was restored says nothing of what it has now', async () => {
  while (!(await hasLateAnswer())) {}
})

/** False if the stream was faster than the answer. */
async function hasLateAnswer(): Promise<boolean> {
  const office = createServer()
  const one = await opened({ rest: office.asRest }, 0)
  const { replica } = one
  office.delay()
  await replica.transact((tx) => tx.Employee.insert({ name: 'Ann' }))
  const isThere = () => office.store.Employee.query('name = Ann').count === 1
  await until(isThere)
  office.end()
  await until(() => replica.state === 'offline')
  const isLate = replica.waiting.count === 1
  office.restore()
  await until(() => replica.state === 'current')
  office.arrive()
  if (isLate) {
    for (const name of ['Bob', 'Cid', 'Eve']) {
      office.store.Employee.insert({ name })
      await until(() => replica.store.Employee.query('name = :1', [name]).count === 1)
    }
    await replica.current()
    await until(isThere)
  }
  await replica.close()
  return isLate
}
