import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { Redis } from 'iovalkey'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow } from '../../rest/test/live/follow.ts'
import type { SqlStore } from '../../sql/src/index.ts'
import type { Pause } from '../../sql/src/live/commit-poller.ts'
import { describeDatabases } from '../../sql/test/database.ts'
import { openCopy, openCopyIn } from '../../sql/test/engine/sql-host.ts'
import { valkeyState } from '../src/index.ts'
import { describeValkey } from './server.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})

/** Ends only with the signal: without a wake-up nothing is read. */
const untilWoken: Pause = async (milliseconds, signal) => {
  if (milliseconds < 100 || signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A tenth of the time. */
const sooner: Pause = (milliseconds, signal) =>
  sleep(milliseconds / 10, undefined, { signal }).catch(() => {})

describeDatabases('without Valkey', { on: 'one', connections: 'several' }, (database) => {
  describeValkey('followers of commits continue', (server) => {
    const memory = createDataStore({ name: 'notes', dataClasses: [Note] })
    const schema = database.newSchema()
    let writer: SqlStore
    /** Polls more often than usual. */
    let reader: SqlStore
    /** Reads only what is announced. */
    let woken: SqlStore
    beforeAll(async () => {
      const place = () => ({
        volatileState: valkeyState({
          client: server.client(),
          prefix: schema,
          commandMilliseconds: 200,
        }),
      })
      writer = await openCopy(memory, database.open(), schema, place())
      reader = await openCopyIn(memory, database.open(), schema, place(), sooner)
      woken = await openCopyIn(memory, database.open(), schema, place(), untilWoken)
    })
    afterAll(() => Promise.all([writer.close(), reader.close(), woken.close()]))

    const insert = (text: string) => writer.dataClass('Note').insert({ text })

    /** The texts of commits, in order; `next` settles with the text of the next one. */
    const textsOf = (store: SqlStore, since: number) => {
      const commits = store.changes({ since })[Symbol.asyncIterator]()
      return {
        next: async () => (await commits.next()).value?.changes[0]?.after?.text,
        end: () => commits.return?.(),
      }
    }

    test.each(['stopped', 'silent'])('while it is %s', async (how) => {
      await insert(`${how} before`)
      const changed = textsOf(reader, 0)
      for (let text: unknown; text !== `${how} before`; ) text = await changed.next()
      const rest = createRestHandler(reader, { live: true })
      const live = await follow(rest, `/rest/Note?$filter="text='${how}@'"&$live=true`)
      expect((await live.next())?.data?.__COUNT).toBe(1)
      if (how === 'stopped') await server.stop()
      else server.pause()
      for (const text of [`${how} 1`, `${how} 2`]) {
        await insert(text)
        expect(await changed.next()).toBe(text)
        const event = await live.next()
        expect(event?.name).toBe('delta')
        expect(event?.data?.__ENTERED).toMatchObject([{ text }])
      }
      // One that begins to follow meanwhile.
      const late = textsOf(reader, 0)
      await insert(`${how} 3`)
      for (let text: unknown; text !== `${how} 3`; ) text = await late.next()
      expect(await changed.next()).toBe(`${how} 3`)
      if (how === 'stopped') await server.start()
      else server.resume()
      await Promise.all([changed.end(), late.end(), live.leave()])
    })

    test('commits are announced again once Valkey is available', async () => {
      const commits = woken.changes({ since: 0 })[Symbol.asyncIterator]()
      /** Commits a text until an announcement of it has arrived. */
      const readAnnounced = async (text: string): Promise<void> => {
        let isRead = false
        const reading = async (): Promise<void> => {
          while ((await commits.next()).value?.changes[0]?.after?.text !== text);
          isRead = true
        }
        const read = reading()
        while (!isRead) await insert(text)
        await read
      }
      await readAnnounced('first')
      await server.stop()
      await insert('not announced')
      await server.start()
      await readAnnounced('again')
      await commits.return?.()
    })
  })
})

describeValkey('a listener that leaves', (server) => {
  test('while its connection subscribes again leaves no rejection', async () => {
    const rejected: unknown[] = []
    const note = (reason: unknown): number => rejected.push(reason)
    process.on('unhandledRejection', note)
    // Ready as soon as it is connected, which a server that is silent lets it be.
    const options = { path: server.path, retryStrategy: () => 20, enableReadyCheck: false }
    const client = new Redis(options)
    client.on('error', () => {})
    let connection = client
    const { wakeUps } = valkeyState({
      client: {
        call: (command, ...parameters) => client.call(command, ...parameters),
        duplicate: (given) => {
          connection = client.duplicate(given)
          return connection
        },
      },
    })
    const leave = wakeUps.subscribe(() => undefined)
    await connection.ping()
    server.pause()
    const isReady = once(connection, 'ready')
    connection.stream.destroy()
    await isReady
    const isEnded = once(connection, 'end')
    leave()
    await server.stop()
    await isEnded
    client.disconnect()
    await new Promise((resolve) => setTimeout(resolve))
    process.off('unhandledRejection', note)
    expect(rejected).toEqual([])
  })
})
