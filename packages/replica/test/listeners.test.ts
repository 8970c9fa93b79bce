import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { replicate } from '../src/index.ts'
import { CLASSES, createOffice, linkTo, PAUSES } from './office.ts'
import { countMarks, opened, run, type Server, server, step, untilSame, write } from './steps.ts'

// Hooks and listeners run within the call that commits, before it has returned.

type Reaction = { readonly from: 'commit' | 'live' | 'state' } & (
  | { readonly kind: 'transact' | 'nested' | 'direct'; readonly write: Server }
  | { readonly kind: 'solve'; readonly choice: 'mine' | 'theirs' }
  | { readonly kind: 'throw' }
)
const THROWN = new Error('the listener throws')
const from = fc.constantFrom('commit' as const, 'live' as const, 'state' as const)
const reaction: fc.Arbitrary<Reaction> = fc.oneof(
  fc.record({
    from,
    kind: fc.constantFrom('transact' as const, 'nested' as const, 'direct' as const),
    write: server,
  }),
  fc.record({
    from,
    kind: fc.constant('solve' as const),
    choice: fc.constantFrom('mine' as const, 'theirs' as const),
  }),
  fc.record({ from, kind: fc.constant('throw' as const) }),
)

test(
  'what listeners write through a replica is applied once or a problem, what they write otherwise is refused',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(server, { maxLength: 4 }),
        fc.array(step(true), { minLength: 1, maxLength: 10 }),
        fc.array(reaction, { maxLength: 8 }),
        async (before, steps, reactions) => {
          const office = createOffice()
          for (const each of before) office.store.transact((tx) => write(tx as never, each, ''))
          const all = [await opened(office, 0), await opened(office, 0)]
          const saved = new Map<string, number>()
          countMarks(office, saved)
          const sent: { readonly text: string; readonly outcome: Promise<{ kind: string }> }[] = []
          const wrong: unknown[] = []
          const solving: Promise<unknown>[] = []
          let number = 0
          const transact = async ({ replica }: (typeof all)[0], each: Server): Promise<void> => {
            const text = `mine ${++number}`
            try {
              const { outcome } = await replica.transact((tx) => write(tx as never, each, text))
              if (each.kind === 'hire') sent.push({ text, outcome })
            } catch (error) {
              wrong.push(error)
            }
          }
          let isOver = false
          for (const one of all) {
            const { replica } = one
            const left = [...reactions]
            const react = (from: Reaction['from']): void => {
              if (isOver || left[0]?.from !== from) return
              const next = left.shift()!
              if (next.kind === 'transact') void transact(one, next.write)
              else if (next.kind === 'direct') {
                const { globalStamp } = replica.store
                try {
                  write(replica.store as never, next.write, 'direct')
                } catch (error) {
                  if ((error as { code?: string }).code !== 'notByTransact') wrong.push(error)
                }
                if (replica.store.globalStamp !== globalStamp) wrong.push('a direct write')
              } else if (next.kind === 'nested')
                void replica
                  .transact(
                    () =>
                      void replica
                        .transact(() => 1)
                        .then(
                          () => wrong.push(1),
                          () => {},
                        ),
                  )
                  .catch((error: unknown) => wrong.push(error))
              else if (next.kind === 'solve')
                for (const { number } of [...replica.problems])
                  solving.push(
                    replica.solve(number, next.choice).catch((error) => wrong.push(error)),
                  )
              else throw THROWN
            }
            let last = 0
            replica.store.on('commit', ({ globalStamp }) => {
              if (globalStamp <= last) wrong.push(`commit ${globalStamp} after ${last}`)
              last = globalStamp
              react('commit')
            })
            replica.store.Employee.all().live(() => react('live'))
            replica.subscribe(() => react('state'))
          }
          for (const each of steps)
            if (each.kind === 'local') await transact(all[each.replica]!, each.write)
            else await run(office, all, each)
          isOver = true
          for (const one of all) one.connect()
          for (let round = 0; round < 3; round++)
            for (const { replica } of all) {
              await replica.current()
              for (const { number } of [...replica.problems]) await replica.solve(number, 'theirs')
            }
          expect(wrong).toEqual([])
          for (const { errors } of all)
            expect(errors.splice(0).filter((error) => error !== THROWN)).toEqual([])
          for (const one of all) {
            await one.replica.current()
            await untilSame(office.store, one)
            one.replica.store.verify()
          }
          for (const { text, outcome } of sent)
            expect([text, saved.get(text) ?? 0]).toEqual([
              text,
              (await outcome).kind === 'applied' ? 1 : 0,
            ])
          for (const { replica } of all) await replica.close()
        },
      ),
      { ...runs(30) },
    )
  },
)

test('a hook writes through the replica or not at all, and the changes are sent in their order', async () => {
  const saved: string[] = []
  let react = (_: string): void => {}
  const Note = defineDataClass(
    'Note',
    { ID: attribute.string({ key: true }), text: attribute.string() },
    { hooks: { afterSave: ({ text }) => react(String(text)) } },
  )
  const store = createDataStore({ name: 'notes', dataClasses: [Note, ReplicaState] })
  store.Note.insert({ ID: 'n', text: 'a' })
  const link = linkTo(createRestHandler(store, { replicas: true }))
  const replica = await replicate(link.db, {
    dataClasses: [Note],
    shapes: { Note: true },
    pauses: PAUSES,
  })
  link.cut()
  const errors: unknown[] = []
  replica.store.on('error', (error) => errors.push((error as { code?: string }).code))
  react = (text) => {
    react = () => {}
    void replica.transact((tx) => tx.Note.update('n', { text: `${text}c` }))
    replica.store.Note.update('n', { text: 'lost' })
  }
  await replica.transact((tx) => tx.Note.update('n', { text: 'b' }))
  expect([replica.store.Note.get('n')?.text, replica.waiting.count, errors]).toEqual([
    'bc',
    2,
    ['hookFailed'],
  ])
  react = (text) => saved.push(text)
  link.connect()
  await replica.current()
  expect([saved, replica.problems.count, store.Note.get('n')?.text]).toEqual([['b', 'bc'], 0, 'bc'])
  await replica.close()
})

test('a function that is called back twice or no longer, or that throws, does not change what others get', async () => {
  const office = createOffice()
  const errors: unknown[] = []
  const replica = await replicate(office.db, {
    dataClasses: CLASSES,
    shapes: { Company: true },
    pauses: PAUSES,
    onError: (error) => errors.push(error),
  })
  const calls: string[] = []
  const twice = (): void => void calls.push('twice')
  const stops = [
    replica.subscribe(() => {
      if (calls.push('first') === 1) stops[2]?.()
      throw THROWN
    }),
    replica.subscribe(twice),
    replica.subscribe(() => calls.push('removed')),
    replica.subscribe(twice),
  ]
  office.cut()
  await replica.transact((tx) => tx.Company.insert({ name: 'Acme' }))
  expect(calls.slice(0, 3)).toEqual(['first', 'twice', 'twice'])
  stops[1]?.()
  calls.length = 0
  await replica.transact((tx) => tx.Company.insert({ name: 'Globex' }))
  expect(calls.slice(0, 2)).toEqual(['first', 'twice'])
  expect(new Set(errors.filter((error) => error instanceof Error))).toContain(THROWN)
  await replica.close()
})
