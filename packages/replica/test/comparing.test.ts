import { openDump } from '@entia/core'
import { createRestHandler, ReplicaState, type RestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { CLASSES, createOffice } from './office.ts'
import {
  countMarks,
  expected,
  held,
  opened,
  run,
  SHAPES,
  type Step,
  server,
  step,
  untilSame,
  write,
} from './steps.ts'
import { until } from './waiting.ts'

type Store = ReturnType<typeof createOffice>['store']

/** A server whose history reaches back over few commits, and which can be replaced by another. */
function replaceable(commits: number) {
  /** What each kind of replica must hold, by instance of the server and global stamp. */
  const moments = new Map<string, unknown>()
  const options = { name: 'office', dataClasses: [...CLASSES, ReplicaState], history: { commits } }
  let store: Store
  let rest: RestHandler
  const begin = (next: Store): void => {
    store = next
    rest = createRestHandler(store, { replicas: true })
    const note = (): void => {
      const { id, globalStamp } = next
      for (const kind of SHAPES)
        moments.set(momentOf(id, globalStamp, kind), expected(next as never, { kind }))
    }
    note()
    next.on('commit', note)
  }
  begin(createOffice({}, commits).store)
  return {
    rest: { fetch: (request: Request) => rest.fetch(request) } as RestHandler,
    get store() {
      return store
    },
    dump: () => store.dump(),
    replace(dump: Uint8Array) {
      begin(openDump(dump, options) as never)
    },
    momentOf: (id: string, globalStamp: number, kind: object) =>
      moments.get(momentOf(id, globalStamp, kind)),
  }
}
const momentOf = (id: string, globalStamp: number, kind: object): string =>
  `${id} ${globalStamp} ${SHAPES.indexOf(kind as never)}`

type Replaced = Step | { readonly kind: 'restart' } | { readonly kind: 'save' | 'restore' }
const steps = (hasWrites: boolean) =>
  fc.array(
    fc.oneof(
      { weight: 18, arbitrary: step(hasWrites) as fc.Arbitrary<Replaced> },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('save' as const, 'restore') }) },
    ),
    { maxLength: 14 },
  )

type Place = { readonly at: { readonly globalStamp: number; readonly instance: string } }
const placeOf = ({ replica }: Awaited<ReturnType<typeof opened>>): Place['at'] =>
  (
    (replica.store as never as { dataClass(n: string): { get(k: string): Place } })
      .dataClass('ReplicaPlace')
      .get('place') as Place
  ).at

test(
  'a replica that comes back beyond the history, or to another server, holds what that server has',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 1, 3),
        fc.array(server, { maxLength: 20 }),
        fc.tuple(fc.nat(3), fc.nat(3)),
        steps(false),
        async (commits, before, kinds, all) => {
          const office = replaceable(commits)
          for (const each of before) office.store.transact((tx) => write(tx as never, each, ''))
          const replicas = [await opened(office, kinds[0]), await opened(office, kinds[1])]
          for (const one of replicas) {
            const check = (): void => {
              const { globalStamp, instance } = placeOf(one)
              if (one.replica.state === 'offline') return
              try {
                expect(held(one)).toEqual(office.momentOf(instance, globalStamp, one.kind))
                one.replica.store.verify()
              } catch (error) {
                one.errors.push(error)
              }
            }
            check()
            one.replica.subscribe(check)
          }
          let saved = office.dump()
          const replace = (dump: Uint8Array): void => {
            const wasUp = replicas.map(({ wire }) => wire.isUp)
            for (const one of replicas) one.cut()
            office.replace(dump)
            for (const [at, one] of replicas.entries()) if (wasUp[at]) one.connect()
          }
          for (const each of all)
            if (each.kind === 'save') saved = office.dump()
            else if (each.kind === 'restart') replace(office.dump())
            else if (each.kind === 'restore') replace(saved)
            else await run(office, replicas, each as Step)
          for (const one of replicas) {
            one.connect()
            await until(
              () =>
                one.errors.length > 0 ||
                (one.replica.state === 'current' && placeOf(one).instance === office.store.id),
            )
            await untilSame(office.store, one)
            await one.replica.close()
          }
        },
      ),
      runs(60),
    )
  },
)

test(
  'each batch is applied once or is a problem, also if the server starts again meanwhile',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(server, { maxLength: 6 }),
        fc.tuple(fc.nat(3), fc.nat(3)),
        steps(true),
        async (before, kinds, all) => {
          const office = replaceable(1)
          for (const each of before) office.store.transact((tx) => write(tx as never, each, ''))
          const replicas = [await opened(office, kinds[0]), await opened(office, kinds[1])]
          const sent: { readonly text: string; readonly outcome: Promise<{ kind: string }> }[] = []
          /** How often each mark was saved. */
          const saved = new Map<string, number>()
          countMarks(office, saved)
          let number = 0
          for (const each of all)
            if (each.kind === 'local') {
              const text = `mine ${++number}`
              const { outcome } = await replicas[each.replica]!.replica.transact((tx) =>
                write(tx as never, each.write, text),
              )
              if (each.write.kind === 'hire') sent.push({ text, outcome })
            } else if (each.kind === 'restart') {
              const wasUp = replicas.map(({ wire }) => wire.isUp)
              for (const one of replicas) one.cut()
              office.replace(office.dump())
              countMarks(office, saved)
              for (const [at, one] of replicas.entries()) if (wasUp[at]) one.connect()
            } else if (each.kind !== 'save' && each.kind !== 'restore')
              await run(office, replicas, each as Step)
          for (const one of replicas) one.connect()
          for (const { replica } of replicas) {
            await replica.current()
            for (const { number } of [...replica.problems]) await replica.solve(number, 'theirs')
          }
          for (const { text, outcome } of sent)
            expect(saved.get(text) ?? 0).toBe((await outcome).kind === 'applied' ? 1 : 0)
          for (const one of replicas) {
            await one.replica.current()
            await untilSame(office.store, one)
            await one.replica.close()
          }
        },
      ),
      runs(60),
    )
  },
)
