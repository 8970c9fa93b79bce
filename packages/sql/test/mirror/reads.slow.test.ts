import { createRestHandler, type RestHandler } from '@entia/rest'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { describeDatabases } from '../database.ts'
import { type Gallery, MIRRORED, openGallery } from './gallery.ts'
import { SlowFollower } from './slow-follower.ts'

/** `npm run test:long -- mirrors` plays more, see scripts/long.mjs. */
const HISTORIES = Number(process.env.ENTIA_HISTORIES ?? 15)
const SEED = process.env.ENTIA_SEED

interface Server {
  readonly store: Gallery
  readonly rest: RestHandler
  readonly pool: SlowFollower
}

/** A client that goes from server to server. It keeps what the answers say about its position. */
class Client {
  position: string | null = null
  readonly #keepsPosition: boolean

  constructor(keepsPosition: boolean) {
    this.#keepsPosition = keepsPosition
  }

  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
  async ask({ rest }: Pick<Server, 'rest'>, path: string, body?: object): Promise<any> {
    const { position } = this
    const answer = await rest.handle({
      method: body === undefined ? 'GET' : 'POST',
      url: `/rest/${path}`,
      headers: {
        host: 'localhost',
        ...(position === null ? {} : { 'entia-position': position }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect([answer.status, answer.body]).toEqual([200, expect.anything()])
    if (this.#keepsPosition) this.position = answer.headers['entia-position'] ?? null
    return JSON.parse(String(answer.body))
  }
}

/** How the version of a work can be read, and the version in the answer. */
const READS = {
  key: ['Work(1)?$attributes=pages', (body) => body.pages],
  whole: ['Work?$filter="ID=1"&$attributes=pages,title', (body) => body.__ENTITIES[0].pages],
  page: ['Work?$orderby="pages desc"&$top=5&$attributes=pages', (body) => body.__ENTITIES[0].pages],
  sum: ['Work/pages?$compute=sum', (body) => body],
  distinct: ['Work/pages?$distinct=true', (body) => body[0]],
  related: ['Artist("Ada")/works?$attributes=pages', (body) => body.__ENTITIES[0].pages],
  expanded: [
    'Artist("Ada")?$attributes=name,works.pages',
    (body) => body.works.__ENTITIES[0].pages,
  ],
  computed: ['Work(1)?$attributes=shout', (body) => Number(body.shout.slice(1))],
  beyond: ['Work(1)', (body) => body.pages],
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
} satisfies { readonly [kind: string]: readonly [string, (body: any) => number] }

const step = fc.record({
  server: fc.nat(1),
  client: fc.nat(2),
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('write' as const) },
    { weight: 1, arbitrary: fc.constantFrom('pause' as const, 'resume' as const) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(...(Object.keys(READS) as (keyof typeof READS)[])),
    },
  ),
})

/** One client meets each kind of answer: the others depend on how fast the server follows. */
const EACH_ANSWER = (
  [
    [0, 'write', 0],
    [2, 'key', 0], // Without a position, of the mirror as it stands.
    [0, 'pause', 0],
    [0, 'write', 1],
    [0, 'key', 0], // After what the mirror has seen.
    [0, 'computed', 0], // Not of a mirror.
    [0, 'resume', 0],
  ] as const
).map(([client, kind, server]) => ({ client, kind, server }))

describeDatabases('reads of a mirror', { connections: 'several', on: 'one' }, (database) => {
  const servers: Server[] = []
  const schema = database.newSchema()
  beforeAll(async () => {
    for (let at = 0; at < 2; at++) {
      const pool = new SlowFollower(database.open())
      const store = await openGallery(pool, schema, { dataClasses: MIRRORED })
      servers.push({ store, pool, rest: createRestHandler(store, { metrics: () => true }) })
    }
    const [{ store }] = servers as [Server]
    await store.Artist.insert({ name: 'Ada' })
    await store.Work.insert({ ID: 1, pages: 0, title: 'v0', artist: 'Ada' })
    return async () => {
      for (const each of servers) await each.store.close()
    }
  })

  test('a client sees what it has seen or written, in whichever process', patience, async () => {
    let version = 0
    let writes: Promise<unknown> = Promise.resolve()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        // The last client does not send its position, and stays with one server.
        const clients = [new Client(true), new Client(true), new Client(false)]
        // A client that comes without a position is shown what its server has.
        for (const client of clients) await client.ask(servers[0]!, 'Work')
        const seen = [0, 0, 0]
        const others = servers.map(() => 0)
        const run = async ({ server: drawn, client, kind }: (typeof steps)[number]) => {
          const server = client === 2 ? 0 : drawn
          const to = servers[server]!
          const show = (found: number): void => {
            seen[client] = Math.max(seen[client]!, found)
            others[server] = Math.max(others[server]!, found)
          }
          if (kind === 'pause') to.pool.pause()
          else if (kind === 'resume') to.pool.resume()
          else if (kind === 'write') {
            // One after the other, so that versions ascend with stamps.
            const written = writes.then(async () => {
              const next = ++version
              const values = { __KEY: '1', pages: next, title: `v${next}` }
              await clients[client]!.ask(to, 'Work', values)
              return next
            })
            writes = written
            show(await written)
          } else {
            const atLeast = client === 2 ? Math.max(seen[2]!, others[0]!) : seen[client]!
            const [path, versionIn] = READS[kind]
            const found = versionIn((await clients[client]!.ask(to, path)) as never)
            expect([kind, found >= atLeast, found, atLeast]).toEqual([
              kind,
              true,
              found,
              expect.anything(),
            ])
            show(found)
          }
        }
        // Each client asks one question after the other, the clients side by side.
        await Promise.all(
          clients.map(async (_, at) => {
            for (const each of steps.filter(({ client }) => client === at)) await run(each)
          }),
        )
        for (const { pool } of servers) pool.resume()
      }),
      {
        ...runs(HISTORIES),
        examples: [[EACH_ANSWER]],
        ...(SEED === undefined ? {} : { seed: Number(SEED) }),
      },
    )
    const { body } = await servers[0]!.rest.handle({
      method: 'GET',
      url: '/rest/$metrics',
      headers: { host: 'localhost' },
    })
    const count = (answer: string): number =>
      Number(new RegExp(`mirror_reads_total{answer="${answer}"} (\\d+)`).exec(String(body))?.[1])
    // The test met all of them.
    for (const answer of ['mirror', 'behind', 'database']) expect(count(answer)).toBeGreaterThan(0)
  })

  test('other dataclasses are read in the database, also before the first commit', async () => {
    const filled = database.newSchema()
    const before = await openGallery(database.open(), filled)
    const { key } = await before.Work.insert({ title: 'noted' })
    await before.Note.insert({ work: key })
    await before.close()
    const store = await openGallery(database.open(), filled, { dataClasses: MIRRORED })
    expect((await store.Work.get(key)).noted).toBe(1)
    expect(await store.Work.all().select('noted').toArray()).toEqual([{ noted: 1 }])
    expect(await store.Work.query`noted = ${1}`.count()).toBe(1)
    expect(await store.Work.all().max('noted')).toBe(1)
    await store.close()
  })
})
