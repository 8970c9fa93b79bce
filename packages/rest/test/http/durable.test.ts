import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { get, post, send } from './send.ts'

test('an answer to a change waits until the change is kept, one to a read does not', async () => {
  const store = createHr()
  let keep: () => void = () => undefined
  let asked = 0
  const durable = () => {
    asked++
    return new Promise<void>((resolve) => (keep = resolve))
  }
  const rest = createRestHandler(store, { durable })
  expect((await get(rest, '/rest/Employee')).status).toBe(200)
  expect(asked).toBe(0)
  let isAnswered = false
  const answer = post(rest, '/rest/Company', { name: 'New' }).finally(() => (isAnswered = true))
  while (asked === 0) await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  expect([isAnswered, store.Company.query('name = New').count]).toEqual([false, 1])
  keep()
  expect((await answer).status).toBe(200)
})

test('a change that cannot be kept is answered with 500, and the host is told', async () => {
  const told: unknown[] = []
  const failure = new Error('no space left on device')
  const rest = createRestHandler(createHr(), {
    durable: () => Promise.reject(failure),
    onError: (error) => told.push(error),
  })
  const answer = await send(rest, 'DELETE', '/rest/Employee(4)')
  expect(answer.status).toBe(500)
  expect(answer.text).not.toContain('space')
  expect(told).toEqual([failure])
})

test('an answer to a change that failed at its end waits too', async () => {
  const Note = defineDataClass('Note', { ID: attribute.long({ key: true, autoSequence: true }) })
  const store = createDataStore({
    name: 'notes',
    dataClasses: [Note],
    functions: {
      write: {
        exposed: true,
        run: () => {
          store.dataClass('Note').insert({})
          throw new Error('too late')
        },
      },
    },
  }) as AnyDataStore
  const kept: number[] = []
  const rest = createRestHandler(store, { durable: async () => void kept.push(store.dataClass('Note').all().count) })
  expect((await post(rest, '/rest/$catalog/write')).status).toBe(500)
  expect(kept).toEqual([1])
})

test('a change that comes after the journal was closed is not answered as kept', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-'))
  try {
    const store = createHr()
    const journal = await openJournal(store, folder)
    const told: unknown[] = []
    const rest = createRestHandler(store, {
      durable: () => journal.flush(),
      onError: (error) => told.push(error),
    })
    expect((await post(rest, '/rest/Company', { name: 'Kept' })).status).toBe(200)
    await journal.close()
    expect((await post(rest, '/rest/Company', { name: 'Lost' })).status).toBe(500)
    expect(told).toEqual([expect.objectContaining({ code: 'journalFailed' })])
    expect((await get(rest, '/rest/Company')).status).toBe(200)
  } finally {
    await rm(folder, { recursive: true })
  }
})
