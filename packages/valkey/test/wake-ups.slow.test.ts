import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

describeDatabases('wake-ups', { on: 'one', connections: 'several' }, (database) => {
  describeValkey('through Valkey', (server) => {
    const memory = createDataStore({ name: 'notes', dataClasses: [Note] })
    const schema = database.newSchema()
    let writer: SqlStore
    let reader: SqlStore
    beforeAll(async () => {
      const place = () => ({
        volatileState: valkeyState({
          client: server.client(),
          prefix: schema,
          commandMilliseconds: 30_000,
        }),
      })
      writer = await openCopy(memory, database.open(), schema, place())
      reader = await openCopyIn(memory, database.open(), schema, place(), untilWoken)
    })
    afterAll(() => Promise.all([writer.close(), reader.close()]))

    test('a commit of another process is read without a request', async () => {
      const stop = new AbortController()
      const commits = reader.changes({ since: 0, signal: stop.signal })[Symbol.asyncIterator]()
      // Until the reader listens, no message reaches it: then this one does.
      const first = commits.next()
      let isRead = false
      void first.then(() => {
        isRead = true
      })
      while (!isRead) await writer.dataClass('Note').insert({ text: 'first' })
      const { value } = await first
      expect(value).toMatchObject({ changes: [{ dataClass: 'Note', kind: 'insert' }] })
      let last = value!.globalStamp
      const { stamp } = await writer.dataClass('Note').insert({ text: 'last' })
      expect(stamp).toBe(1)
      for (let isLast = false; !isLast; ) {
        const next = await commits.next()
        const { globalStamp } = next.value!
        expect(globalStamp).toBe(last + 1)
        last = globalStamp
        isLast = next.value?.changes[0]?.after?.text === 'last'
      }
      stop.abort()
    })
  })
})
