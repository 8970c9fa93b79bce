import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, type RestHandler } from '@entia/rest'
import { afterAll, expect, test } from 'vitest'
import type { SqlStore } from '../../sql/src/index.ts'
import { describeDatabases } from '../../sql/test/database.ts'
import { openCopy, openCopyIn } from '../../sql/test/engine/sql-host.ts'
import { valkeyState } from '../src/index.ts'
import { describeValkey, type TestServer } from './server.ts'

/** `npm run test:valkey` repeats each failure a hundred times. */
const TIMES = Number(process.env.ENTIA_FAILURES ?? 1)
const NOTES = 300

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ indexed: true }),
  file: attribute.blob(),
})

interface Reply {
  readonly status: number
  readonly code: number | null
  readonly body: Record<string, unknown>
}

/** A client with a session, whose requests reach any of the processes. */
class Client {
  readonly #processes: readonly RestHandler[]
  #next = 0
  #cookie = ''
  readonly statuses: number[] = []

  constructor(processes: readonly RestHandler[]) {
    this.#processes = processes
  }

  async ask(method: string, url: string, content?: string | Uint8Array): Promise<Reply> {
    const rest = this.#processes[this.#next++ % this.#processes.length]!
    const { status, headers, body } = await rest.handle({
      method,
      url: `/rest/${url}`,
      headers: {
        host: 'localhost',
        'content-type': typeof content === 'string' ? 'application/json' : 'image/png',
        ...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
      },
      remoteAddress: '127.0.0.1',
      ...(content === undefined ? {} : { body: content }),
    })
    const cookie = headers['set-cookie']?.split(';')[0]
    if (cookie !== undefined) this.#cookie = cookie
    this.statuses.push(status)
    const parsed = JSON.parse(String(body) || '{}') as Reply['body']
    const [error] = (parsed.__ERROR ?? []) as readonly { readonly errCode: number }[]
    return { status, code: error?.errCode ?? null, body: parsed }
  }

  /** The id of a new set of all notes. */
  async newSet(): Promise<string> {
    const made = await this.ask('GET', `Note?$filter="ID<=${NOTES}"&$top=1&$method=entityset`)
    expect(made).toMatchObject({ status: 200, body: { __COUNT: NOTES } })
    return String(made.body.__ENTITYSET).split('/').at(-1)!
  }

  /** Requests independent of Valkey: entities, locks, sessions, and sets that requests describe. */
  async unaffected(key: number): Promise<void> {
    const set = await this.newSet()
    const page = `Note/$entityset/${set}?$skip=10&$top=2&$savedfilter="ID<=${NOTES}"`
    expect(await this.ask('GET', page)).toMatchObject({
      status: 200,
      body: { __COUNT: NOTES, __ENTITIES: [{ ID: 11 }, { ID: 12 }] },
    })
    const locked = await this.ask('GET', `Note(${key})?$lock=true`)
    expect(locked).toMatchObject({ status: 200 })
    const { body: found } = await this.ask('GET', `Note(${key})`)
    const save = JSON.stringify({ __KEY: String(key), __STAMP: found.__STAMP, text: 'saved' })
    const saved = await this.ask('POST', 'Note?$method=update', save)
    expect([saved.status, saved.body]).toEqual([200, expect.anything()])
    expect(await this.ask('GET', `Note(${key})?$lock=false`)).toMatchObject({ status: 200 })
  }

  /** Uploads a file and saves it as a value; how both end. */
  async upload(key: number): Promise<readonly (number | null)[]> {
    const { status, body } = await this.ask('POST', '$upload?$binary=true', new Uint8Array(700_000))
    const { body: found } = await this.ask('GET', `Note(${key})`)
    const file = { ID: String(body.ID ?? 'F'.repeat(32)) }
    const save = JSON.stringify({ __KEY: String(key), __STAMP: found.__STAMP, file })
    return [status, (await this.ask('POST', 'Note?$method=update', save)).code]
  }

  pageOf(set: string): Promise<Reply> {
    return this.ask('GET', `Note/$entityset/${set}?$skip=10&$top=2`)
  }
}

describeDatabases(
  'a store whose Valkey fails',
  { on: 'one', connections: 'several' },
  (database) => {
    describeValkey('goes on', (server) => {
      const stores: SqlStore[] = []
      afterAll(async () => {
        for (const store of stores) await store.close()
      })

      /** Two processes over one database and one Valkey. */
      async function processes(): Promise<readonly RestHandler[]> {
        const memory = createDataStore({ name: 'notes', dataClasses: [Note] })
        const schema = database.newSchema()
        const place = () => ({
          volatileState: valkeyState({
            client: server.client(),
            prefix: schema,
            commandMilliseconds: 200,
          }),
        })
        const first = await openCopy(memory, database.open(), schema, place())
        stores.push(first, await openCopyIn(memory, database.open(), schema, place()))
        const rests = stores.slice(-2).map((store) => createRestHandler(store))
        const notes = Array.from({ length: NOTES }, (_, at) => ({ text: `Note ${at}` }))
        const client = new Client(rests)
        const filled = await client.ask('POST', 'Note?$method=update', JSON.stringify(notes))
        expect(filled.status).toBe(200)
        return rests
      }

      test.each(Object.entries(FAILURES))(
        `%s, ${TIMES} times`,
        async (_, failure) => {
          const rests = await processes()
          // Others use the processes all the time.
          let isOver = false
          const others = [1, 2].map(async (key) => {
            const other = new Client(rests)
            while (!isOver) await other.unaffected(key)
            return other
          })
          const client = new Client(rests)
          for (let time = 0; time < TIMES; time++) {
            const set = await untilKept(client)
            await failure(server, async (isAway) => {
              expect(await client.pageOf(set)).toMatchObject({ status: 404, code: 1802 })
              if (isAway) expect(await client.upload(3)).toEqual([503, 1826])
              await client.unaffected(4)
            })
          }
          await untilKept(client)
          isOver = true
          const all = [client, ...(await Promise.all(others))].flatMap(({ statuses }) => statuses)
          expect([...new Set(all)].filter((status) => status >= 500 && status !== 503)).toEqual([])
        },
        60_000 + 10_000 * TIMES,
      )
    })
  },
)

/** Creates a set and saves an upload, as soon as Valkey answers again. */
async function untilKept(client: Client): Promise<string> {
  for (;;) {
    const set = await client.newSet()
    const page = await client.pageOf(set)
    const upload = await client.upload(3)
    if (page.status === 200 && upload[0] === 200 && upload[1] === null) return set
  }
}

type Failure = (server: TestServer, meanwhile: (isAway: boolean) => Promise<void>) => Promise<void>

const FAILURES: { readonly [name: string]: Failure } = {
  async 'when it is emptied'(server, meanwhile) {
    const client = server.client()
    await client.flushall()
    client.disconnect()
    await meanwhile(false)
  },
  async 'when it is stopped and started again'(server, meanwhile) {
    await server.stop()
    try {
      await meanwhile(true)
    } finally {
      await server.start()
    }
  },
  async 'when it answers nothing'(server, meanwhile) {
    server.pause()
    try {
      await meanwhile(true)
    } finally {
      server.resume()
    }
  },
}
