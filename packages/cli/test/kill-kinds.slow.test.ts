import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** Number of kills; `npm run test:kills` sets a larger one. */
const KILLS = Number(process.env.ENTIA_KILLS ?? 3)
const program = fileURLToPath(new URL('./fixtures/shop.mjs', import.meta.url))

interface Server {
  readonly origin: string
  readonly kill: () => Promise<void>
}
const running = new Set<Server>()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-'))
})
afterEach(async () => {
  for (const server of running) await server.kill()
  await rm(folder, { recursive: true })
})

/** Starts the program; null if it reports that another process has the folder. */
function start(): Promise<Server | null> {
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (port: string) => {
      const server: Server = {
        origin: `http://127.0.0.1:${port.trim()}/rest`,
        kill: async () => {
          running.delete(server)
          child.kill('SIGKILL')
          await ended
        },
      }
      running.add(server)
      resolve(server)
    })
    ended.then((code) =>
      code === 3 ? resolve(null) : reject(new Error(`the program ended with ${code}`)),
    )
  })
}

/** The response to a request; null if the server died first, or refused it. */
async function ask(origin: string, path: string, body?: unknown): Promise<unknown> {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  try {
    const response = await fetch(`${origin}/${path}`, post)
    const answer: unknown = await response.json()
    if (response.ok) return answer
    if (response.status !== 409) problems.push(`${path}: ${JSON.stringify(answer)}`)
  } catch {
    // The server was killed.
  }
  return null
}
/** Responses that no server may send. */
const problems: string[] = []

interface Checked {
  readonly orders: readonly { readonly ID: number; readonly mark: string; readonly lines: number }[]
  readonly logs: readonly (readonly [mark: string, whats: readonly string[]])[]
  readonly problems: readonly string[]
  readonly count: number
  readonly lines: number
}

/** The clients' view of a store that is killed repeatedly. */
class Knowledge {
  /** Acknowledged orders; `leaving` holds those with a removal request. */
  readonly placed = new Map<string, number>()
  readonly leaving = new Set<string>()
  readonly gone = new Set<string>()
  /** Keys that a client received: the store must not assign them again. */
  readonly keys = new Map<number, string>()
  /** The highest count that a reader received. */
  count = 0
  readonly tally = new Map<string, number>()

  came(kind: string): void {
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1)
  }
  saw(ID: number, mark: string): void {
    const known = this.keys.get(ID)
    if (known !== undefined && known !== mark)
      problems.push(`the key ${ID} of ${known} was given to ${mark}`)
    this.keys.set(ID, mark)
  }

  /** Acknowledged changes are complete. Other changes are complete or absent, never partial. */
  compare({ orders, logs, problems: found, count, lines }: Checked): void {
    expect([...found, ...problems]).toEqual([])
    const byMark = new Map(orders.map((order) => [order.mark, order]))
    const logsOf = new Map(logs)
    for (const [mark, ID] of this.placed) {
      if (this.gone.has(mark)) expect([mark, byMark.get(mark)]).toEqual([mark, undefined])
      else if (!this.leaving.has(mark)) expect([mark, byMark.get(mark)?.ID]).toEqual([mark, ID])
      const expected = ['before', 'after', ...(this.gone.has(mark) ? ['removed'] : [])]
      // The last log entry may belong to a removal that was not acknowledged.
      const kept = logsOf.get(mark)?.slice(0, expected.length)
      expect([mark, kept]).toEqual([mark, expected])
    }
    let linesOfOrders = 0
    for (const { ID, mark, lines } of orders) {
      this.saw(ID, mark)
      linesOfOrders += lines
      const [name, half] = mark.split('#')
      if (
        half !== undefined &&
        !this.leaving.has(mark) &&
        !this.leaving.has(`${name}#${1 - Number(half)}`)
      )
        expect([mark, byMark.has(`${name}#${1 - Number(half)}`)]).toEqual([mark, true])
      expect([mark, lines]).toEqual([mark, half === undefined ? 3 : 0])
      expect([mark, logsOf.get(mark)?.[0]]).toEqual([mark, 'before'])
    }
    expect(lines).toBe(linesOfOrders)
    expect(count).toBeGreaterThanOrEqual(this.count)
    this.count = count
  }
}

/** Clients of each kind, which run until the server is killed. */
type Client = (origin: string, known: Knowledge, mark: string, i: number) => Promise<void>
const CLIENTS: { readonly [kind: string]: Client } = {
  'orders with lines, by a function': async (origin, known, mark, i) => {
    const answer = (await ask(origin, 'Order/place', [mark, i % 4])) as { result: number } | null
    if (answer === null) return
    const { result: ID } = answer
    known.saw(ID, mark)
    known.placed.set(mark, ID)
    known.came('placed')
    if (i % 4 === 3) return
    known.leaving.add(mark)
    if ((await ask(origin, `Order(${ID})?$method=delete`, {})) === null) return
    known.gone.add(mark)
    known.came('removed, with its lines')
  },
  'two orders, all or nothing': async (origin, known, mark, i) => {
    const body = [0, 1].map((half) => ({ mark: `${mark}#${half}`, kind: (i + half) % 4 }))
    const answer = (await ask(origin, 'Order?$method=update&$atomic=true', body)) as {
      __ENTITIES: { ID: number; mark: string }[]
    } | null
    if (answer === null) return
    for (const { ID, mark } of answer.__ENTITIES) {
      known.saw(ID, mark)
      known.placed.set(mark, ID)
    }
    known.came('placed in pairs')
    if (i % 5 === 4) return
    for (const { mark } of answer.__ENTITIES) known.leaving.add(mark)
    const keys = answer.__ENTITIES.map(({ ID }) => `ID=${ID}`).join(' or ')
    if (
      (await ask(
        origin,
        `Order?$filter="${encodeURIComponent(keys)}"&$method=delete&$atomic=true`,
        {},
      )) === null
    )
      return
    for (const { mark } of answer.__ENTITIES) known.gone.add(mark)
    known.came('removed in pairs')
  },
  'money from account to account': async (origin, known, _, i) => {
    const [from, to] = [1 + (i % 4), 1 + ((i + 1 + (i % 3)) % 4)]
    if (from === to) return
    const [a, b] = (await Promise.all([from, to].map((ID) => ask(origin, `Account(${ID})`)))) as ({
      __KEY: string
      __STAMP: number
      balance: number
    } | null)[]
    if (a == null || b == null || a.balance === 0) return
    const body = [
      { __KEY: a.__KEY, __STAMP: a.__STAMP, balance: a.balance - 1 },
      { __KEY: b.__KEY, __STAMP: b.__STAMP, balance: b.balance + 1 },
    ]
    if ((await ask(origin, 'Account?$method=update&$atomic=true', body)) !== null)
      known.came('moved')
  },
  'an account that counts': async (origin, known) => {
    const account = (await ask(origin, 'Account(1)')) as { count: number } | null
    if (account === null) return
    const body = { __KEY: '1', count: account.count + 1 }
    if ((await ask(origin, 'Account?$method=update', body)) !== null) known.came('counted')
  },
  'a reader of the count': async (origin, known) => {
    const account = (await ask(origin, 'Account(1)')) as { count: number } | null
    if (account === null) return
    if (account.count < known.count) problems.push(`${account.count} was read after ${known.count}`)
    if (account.count > known.count) known.came('read for the first time')
    known.count = Math.max(known.count, account.count)
  },
}

test('a killed server keeps every acknowledged and published change, with hooks, cascades, sequences, BLOBs and compaction', {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  problems.length = 0
  const known = new Knowledge()
  const dumps = async () =>
    (await readdir(folder))
      .filter((name) => name.endsWith('.dump'))
      .sort()
      .join()
  for (let kill = 0; kill <= KILLS; kill++) {
    // Start two processes on the folder of the killed one: exactly one serves.
    const [server, ...others] = (await Promise.all([start(), start()])).filter(
      (one) => one !== null,
    )
    if (server === undefined || others.length > 0)
      throw new Error(`${1 + others.length} processes serve one folder`)
    const { result } = (await ask(server.origin, 'Order/check', [])) as { result: Checked }
    known.compare(result)
    const before = await dumps()
    if (kill === KILLS) break
    let isKilled = false
    const writing = Object.entries(CLIENTS).map(async ([_, client], at) => {
      for (let i = 0; !isKilled; i++) await client(server.origin, known, `${kill}-${at}-${i}`, i)
    })
    // A random moment after the first order, which may take long on a busy machine.
    await expect.poll(() => known.placed.size).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 300))
    isKilled = true
    await server.kill()
    await Promise.all(writing)
    if ((await dumps()) !== before) known.came('compacted while it was served')
  }
  expect(known.placed.size).toBeGreaterThan(0)
  if (KILLS < 50) return
  expect([...known.tally.keys()].sort()).toEqual([
    'compacted while it was served',
    'counted',
    'moved',
    'placed',
    'placed in pairs',
    'read for the first time',
    'removed in pairs',
    'removed, with its lines',
  ])
  console.log(`killed ${KILLS} times: ${JSON.stringify(Object.fromEntries(known.tally))}`)
})
