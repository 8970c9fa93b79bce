import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { createOffice } from './office.ts'
import {
  countMarks,
  expected,
  held,
  isUntouched,
  opened,
  placeOf,
  run,
  server,
  step,
  untilSame,
  write,
} from './steps.ts'
import { until } from './waiting.ts'

test(
  'at each complete moment a replica equals the past of the server, through its shapes',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(server, { maxLength: 6 }),
        fc.tuple(fc.nat(3), fc.nat(3)),
        fc.array(step(false), { maxLength: 12 }),
        async (before, kinds, steps) => {
          const office = createOffice()
          for (const each of before) office.store.transact((tx) => write(tx as never, each, ''))
          const all = [await opened(office, kinds[0]), await opened(office, kinds[1])]
          const stops = all.map((one) => {
            let last = -1
            const check = (): void => {
              const place: { readonly at: { readonly globalStamp: number } } = (
                one.replica.store as never as { dataClass(n: string): { get(k: string): never } }
              )
                .dataClass('ReplicaPlace')
                .get('place')
              const { globalStamp } = place.at
              if (globalStamp === last || one.replica.state === 'offline') return
              last = globalStamp
              try {
                const past = office.store.at(globalStamp)
                expect(held(one)).toEqual(expected(past as never, one))
                one.replica.store.verify()
              } catch (error) {
                one.errors.push(error)
              }
            }
            check()
            return one.replica.subscribe(check)
          })
          for (const each of steps) await run(office, all, each)
          for (const one of all) one.connect()
          for (const one of all) {
            await until(
              () =>
                one.errors.length > 0 ||
                placeOf(one) === office.store.globalStamp ||
                isUntouched(office, one),
            )
            expect(one.errors).toEqual([])
            await until(() => one.replica.state === 'current')
            expect(held(one)).toEqual(expected(office.store, one))
          }
          for (const stop of stops) stop()
          for (const { replica } of all) await replica.close()
        },
      ),
      { ...runs(30) },
    )
  },
)

test(
  'each batch is applied once or is a problem, whatever is lost on the way',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(server, { maxLength: 6 }),
        fc.tuple(fc.nat(3), fc.nat(3)),
        fc.array(step(true), { maxLength: 16 }),
        async (before, kinds, steps) => {
          const office = createOffice()
          for (const each of before) office.store.transact((tx) => write(tx as never, each, ''))
          /** How often each mark was saved. */
          const saved = new Map<string, number>()
          countMarks(office, saved)
          const all = [await opened(office, kinds[0]), await opened(office, kinds[1])]
          const sent: { readonly text: string; readonly outcome: Promise<{ kind: string }> }[] = []
          let number = 0
          for (const each of steps)
            if (each.kind === 'local') {
              const text = `mine ${++number}`
              const { outcome } = await all[each.replica]!.replica.transact((tx) =>
                write(tx as never, each.write, text),
              )
              if (each.write.kind === 'hire') sent.push({ text, outcome })
            } else await run(office, all, each)
          for (const one of all) one.connect()
          for (const { replica } of all) {
            await replica.current()
            for (const { number } of [...replica.problems]) await replica.solve(number, 'theirs')
          }
          for (const { text, outcome } of sent)
            expect(saved.get(text) ?? 0).toBe((await outcome).kind === 'applied' ? 1 : 0)
          for (const one of all) {
            await one.replica.current()
            await untilSame(office.store, one)
            one.replica.store.verify()
            await one.replica.close()
          }
        },
      ),
      { ...runs(30) },
    )
  },
)
