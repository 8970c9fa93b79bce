import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const { DATABASE_URL = 'postgres://postgres@127.0.0.1:5432/postgres', PATH } = process.env

/** A connection to the server; null if none answers. */
async function connect(): Promise<pg.Client | null> {
  const client = new pg.Client({ connectionString: DATABASE_URL, connectionTimeoutMillis: 3000 })
  try {
    await client.connect()
    return client
  } catch {
    return null
  }
}

const running: ChildProcess[] = []
const stopAll = () => Promise.all(running.splice(0).map(stop))
afterEach(stopAll)

const fill = async (env: NodeJS.ProcessEnv): Promise<string> =>
  (await promisify(execFile)(process.execPath, [pathOf('fill.mjs')], { env: { PATH, ...env } }))
    .stdout

/** Starts a process, and returns the address of its interface. */
async function start(env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [pathOf('serve.mjs')], {
    env: { PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const [text] = await once(child.stdout, 'data')
  return /http:\S+(?=\/Flight)/.exec(String(text))?.[0] ?? ''
}

/** Stops a process and returns its exit code and signal. */
async function stop(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  return ended
}

/** PGlite takes seconds to start. */
const timeout = 300_000

const json = async (address: string, init?: RequestInit): Promise<unknown> =>
  (await fetch(address, init)).json()

describe('the flights in a database', () => {
  test(
    'are copied and served without a server of PostgreSQL',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'entia-'))
      try {
        const env = { DATA: join(folder, 'data') }
        expect(await fill(env)).toContain('23376 entities copied')
        const address = await start(env)
        expect((await fetch(`${address}/$health/ready`)).status).toBe(200)
        const filter = '$filter="delay>60 and origin.city=Chicago"&$orderby=delay desc&$top=1'
        expect(await json(`${address}/Flight?${filter}`)).toMatchObject({
          __COUNT: 78,
          __ENTITIES: [{ delay: 259 }],
        })
        expect(await json(`${address}/$catalog/punctuality`)).toEqual({ result: 0.78255 })
        expect(await stopAll()).toEqual([[0, null]])
      } finally {
        await rm(folder, { recursive: true })
      }
    },
    timeout,
  )

  test(
    'are one dataset to two processes: entities, sessions and locks',
    async ({ skip }) => {
      const admin = await connect()
      if (admin === null) return skip('No PostgreSQL server answers. Set DATABASE_URL.')
      const name = `flights_${process.pid}`
      await admin.query(`CREATE DATABASE ${name}`)
      try {
        const address = new URL(DATABASE_URL)
        address.pathname = name
        const env = { DATABASE_URL: address.href }
        await fill(env)
        expect(await fill(env)).toContain('Dataclass "Flight" has entities already.')
        const [one, other] = await Promise.all([start(env), start(env)])
        const login = await fetch(`${one}/$directory/login`, {
          method: 'POST',
          body: '["tower", "cleared to land"]',
        })
        const headers = { cookie: login.headers.get('set-cookie')!.split(';')[0]! }
        expect(await json(`${other}/$directory/currentUser`, { headers })).toMatchObject({
          result: { fullName: 'Control Tower' },
        })

        await json(`${one}/Flight(9)?$lock=true`, { headers })
        const update = `${other}/Flight(9)?$method=update`
        const change = { method: 'POST', body: '{"__KEY": "9", "__STAMP": 1, "delay": 4}' }
        expect(await json(update, change)).toMatchObject({
          __STATUS: { statusText: 'Already locked' },
        })
        expect(await json(update, { ...change, headers })).toMatchObject({ delay: 4, __STAMP: 2 })
        expect(await json(`${one}/Flight(9)`)).toMatchObject({ delay: 4, __STAMP: 2 })
      } finally {
        await stopAll()
        await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
        await admin.end()
      }
    },
    timeout,
  )

  test('come with the configuration of nginx that the guide shows', async () => {
    const guide = new URL('../../../docs/how-to/outgrowing-one-machine.md', import.meta.url)
    const config = await readFile(pathOf('nginx.conf'), 'utf8')
    expect(await readFile(guide, 'utf8')).toContain(`\`\`\`nginx\n${config}\`\`\``)
  })
})
