import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../src/index.ts'
import { PAUSES } from './office.ts'
import { until } from './waiting.ts'

const Person = defineDataClass('Person', {
  ID: attribute.string({ key: true }),
  name: attribute.string(),
  pay: attribute.number(),
})

/** Lets pass, or holds until it is opened. */
function createGate() {
  let opened = Promise.resolve()
  let open: (() => void) | null = null
  return {
    hold(): void {
      if (open === null)
        opened = new Promise((resolve) => {
          open = resolve
        })
    },
    open(): void {
      open?.()
      open = null
    },
    pass: (): Promise<void> => opened,
  }
}

/** A replica whose lines, and whose answers to batches, can be held on their way. */
async function opened() {
  const store = createDataStore({ name: 'firm', dataClasses: [Person, ReplicaState] })
  store.Person.load([{ ID: 'p1', pay: 0 }])
  const rest = createRestHandler(store, { replicas: true })
  const [lines, answers] = [createGate(), createGate()]
  /** The numbers of the batches of each request. */
  const sent: (readonly number[])[] = []
  const db = connect('http://firm.test/rest', {
    async fetch(request) {
      const text = await request.clone().text()
      const response = await rest.fetch(request)
      if (request.url.endsWith('batches')) {
        const { batches } = JSON.parse(text) as { batches: readonly { number: number }[] }
        sent.push(batches.map(({ number }) => number))
        await answers.pass()
        return response
      }
      const held = new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          await lines.pass()
          controller.enqueue(chunk)
        },
      })
      void response.body?.pipeTo(held.writable).catch(() => {})
      return new Response(held.readable, response)
    },
  })
  const shapes = { Person: true } as const
  const replica = await replicate(db, { dataClasses: [Person], shapes, pauses: PAUSES })
  await replica.current()
  return { store, replica, lines, answers, sent }
}

test.each([
  ['before the first one is decided', 'waiting', 'update'],
  ['before its effects have arrived', 'applied', 'update'],
  ['after its effects have arrived', 'arrived', 'update'],
  ['before the insertion is decided', 'waiting', 'insert'],
  ['before the new entity has arrived', 'applied', 'insert'],
] as const)(
  'a strict transaction %s conflicts with changes of others only',
  async (_, made, kind) => {
    for (const isSaved of [false, true]) {
      const { store, replica, lines, answers, sent } = await opened()
      const key = kind === 'insert' ? 'x' : 'p1'
      const strictly = (pay: number) =>
        replica.transact((tx) => tx.Person.update(key, { pay }).ID, { strict: true })
      if (made !== 'arrived') lines.hold()
      if (made === 'waiting') answers.hold()
      const first =
        kind === 'insert'
          ? await replica.transact((tx) => tx.Person.insert({ ID: key, pay: 1 }).ID)
          : await strictly(1)
      await until(() => store.Person.get(key)?.pay === 1)
      if (made !== 'waiting') await first.outcome
      if (made === 'arrived') await replica.current()
      lines.hold()
      const own = made === 'waiting' ? [await strictly(2), await strictly(3)] : []
      if (isSaved) store.Person.update(key, { name: 'other' })
      answers.open()
      if (made !== 'waiting') own.push(await strictly(2), await strictly(3))
      expect((await first.outcome).kind).toBe('applied')
      for (const { outcome } of own)
        expect((await outcome).kind).toBe(isSaved ? 'problem' : 'applied')
      expect(sent[0]).toEqual([first.number])
      expect(store.Person.get(key)?.pay).toBe(isSaved ? 1 : 3)
      lines.open()
      await replica.current()
      expect(replica.store.Person.get(key)?.pay).toBe(isSaved ? 1 : 3)
      await replica.close()
    }
  },
)
