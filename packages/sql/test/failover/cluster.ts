import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** A server of the cluster. */
interface Node {
  readonly folder: string
  readonly port: number
  /** The way of its clients. */
  readonly relay: ChildProcess
}

/**
 * How a primary fails: all of its processes are killed, or hang (SIGSTOP), or go on without a
 * network.
 */
export const FAILURES = ['killed', 'hung', 'cut off'] as const
export type Failure = (typeof FAILURES)[number]

/**
 * The folder with `initdb` and `pg_ctl`: `ENTIA_POSTGRES_BIN`, or Debian's newest; null without.
 */
export function serverPrograms(): string | null {
  const given = process.env.ENTIA_POSTGRES_BIN
  if (given !== undefined) return given
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((each) => join(root, each, 'bin')).find((bin) => existsSync(bin)) ?? null
}

/** Nothing listens there. */
const NO_PORT = 1

const SETTINGS = `
unix_socket_directories = ''
listen_addresses = '127.0.0.1'
shared_buffers = 32MB
max_connections = 60
# Processes are killed here, not machines: what the operating system has is not lost.
fsync = off
`

/**
 * A primary and a standby in a folder of their own. After `waitForStandby` a commit is acknowledged
 * only when the standby has it. PostgreSQL does not run as root: there it runs as `postgres`.
 */
export class Cluster {
  /** The address of both, which leads to the primary. */
  readonly connectionString: string
  /** The address of both, which leads to the standby. */
  readonly replica: string
  readonly #bin: string
  readonly #isSynchronous: boolean
  readonly #root: string
  #primary: Node
  #standby: Node
  /** The folder of a primary that failed and still has processes. */
  #lost: string | null = null

  private constructor(
    bin: string,
    root: string,
    nodes: readonly [Node, Node],
    relays: readonly number[],
    isSynchronous: boolean,
  ) {
    this.#bin = bin
    this.#isSynchronous = isSynchronous
    this.#root = root
    ;[this.#primary, this.#standby] = nodes
    const hosts = relays.map((port) => `127.0.0.1:${port}`).join()
    const address = `postgres://postgres@${hosts}/postgres?target_session_attrs`
    this.connectionString = `${address}=read-write`
    this.replica = `${address}=standby`
  }

  static async start(bin: string, isSynchronous: boolean): Promise<Cluster> {
    const root = mkdtempSync(join(tmpdir(), 'entia-failover-'))
    chmodSync(root, 0o777)
    const [a, b, ...relays] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    const nodes = [
      { folder: join(root, 'a'), port: a!, relay: await startRelay(relays[0]!, a!) },
      { folder: join(root, 'b'), port: b!, relay: await startRelay(relays[1]!, b!) },
    ] as const
    const cluster = new Cluster(bin, root, nodes, relays, isSynchronous)
    const { folder } = cluster.#primary
    cluster.#run('initdb', '-D', folder, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '-N')
    appendFileSync(join(folder, 'postgresql.conf'), SETTINGS)
    cluster.#start(cluster.#primary)
    await cluster.addStandby()
    return cluster
  }

  /** The address of the primary, or of the standby, alone. */
  addressOf(role: 'primary' | 'standby'): string {
    const { port } = role === 'primary' ? this.#primary : this.#standby
    return `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  /** Makes a new standby from the primary, in place of the server that was lost. */
  async addStandby(): Promise<void> {
    const { folder, relay } = this.#standby
    this.#endLost()
    relay.kill('SIGCONT')
    rmSync(folder, { recursive: true, force: true })
    const from = ['-h', '127.0.0.1', '-p', `${this.#primary.port}`, '-U', 'postgres']
    this.#run('pg_basebackup', ...from, '-D', folder, '-R', '-c', 'fast', '-X', 'stream')
    this.#start(this.#standby)
    await this.#on('primary', async (client) => {
      if (this.#isSynchronous) {
        await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
        await client.query('SELECT pg_reload_conf()')
      }
      const state = this.#isSynchronous ? 'sync' : 'async'
      for (;;) {
        const { rows } = await client.query(
          `SELECT 1 FROM pg_stat_replication WHERE sync_state = $1 AND state = 'streaming'`,
          [state],
        )
        if (rows.length > 0) return
        await wait(50)
      }
    })
  }

  /** The standby receives commits and does not show them. */
  async pauseReplay(): Promise<void> {
    await this.#on('standby', async (client) => {
      await client.query('SELECT pg_wal_replay_pause()')
    })
  }

  /** The standby receives nothing more. */
  async cutReplication(): Promise<void> {
    await this.#follow(NO_PORT)
    await this.#on('primary', async (client) => {
      while ((await client.query('SELECT FROM pg_stat_replication')).rowCount !== 0) await wait(10)
    })
  }

  restoreReplication(): Promise<void> {
    return this.#follow(this.#primary.port)
  }

  /** Ends the connections whose commits wait for the standby, and answers how many. */
  endWaitingCommits(): Promise<number> {
    return this.#on('primary', async (client) => {
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
      )
      return rowCount ?? 0
    })
  }

  /** The primary fails, at once with all its processes. */
  async failPrimary(failure: Failure): Promise<void> {
    const { folder, relay } = this.#primary
    // A server without a network has no standby either.
    if (failure === 'cut off') await this.cutReplication()
    if (failure === 'cut off') relay.kill('SIGSTOP')
    else
      for (const pid of processesOf(folder))
        signal(pid, failure === 'killed' ? 'SIGKILL' : 'SIGSTOP')
    if (failure !== 'killed') this.#lost = folder
  }

  /** Ends a primary that hung, or was cut off. */
  #endLost(): void {
    if (this.#lost !== null) for (const pid of processesOf(this.#lost)) signal(pid, 'SIGKILL')
    this.#lost = null
  }

  /** Makes the standby the primary. Settles when it accepts writes. */
  promote(): void {
    this.#run('pg_ctl', '-D', this.#standby.folder, '-w', 'promote')
    ;[this.#primary, this.#standby] = [this.#standby, this.#primary]
  }

  stop(): void {
    this.#endLost()
    for (const { relay } of [this.#standby, this.#primary]) relay.kill('SIGKILL')
    for (const { folder } of [this.#standby, this.#primary])
      spawnSync(
        join(this.#bin, 'pg_ctl'),
        ['-D', folder, '-m', 'immediate', '-w', 'stop'],
        this.#as,
      )
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** Where the standby gets commits from. */
  async #follow(port: number): Promise<void> {
    await this.#on('standby', async (client) => {
      const primary = `user=postgres host=127.0.0.1 port=${port}`
      await client.query(`ALTER SYSTEM SET primary_conninfo = '${primary}'`)
      await client.query('SELECT pg_reload_conf()')
    })
  }

  async #on<T>(role: 'primary' | 'standby', body: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.addressOf(role) })
    await client.connect()
    return body(client).finally(() => client.end())
  }

  #start({ folder, port }: Node): void {
    this.#run('pg_ctl', '-D', folder, '-o', `-p ${port}`, '-l', `${folder}.log`, '-w', 'start')
  }

  #run(program: string, ...parameters: readonly string[]): void {
    const options = {
      ...this.#as,
      stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
    }
    execFileSync(join(this.#bin, program), parameters, options)
  }

  get #as() {
    const isRoot = process.getuid?.() === 0
    return { cwd: this.#root, ...(isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {}) }
  }
}

/** The postmaster, which is stopped so that it makes no more, and its children. */
function processesOf(folder: string): readonly number[] {
  const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  signal(pid, 'SIGSTOP')
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
  return [...stdout.trim().split(/\s+/).filter(Boolean).map(Number), pid]
}

function signal(pid: number, name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

async function startRelay(own: number, target: number): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('relay.mjs', import.meta.url))
  const relay = spawn(process.execPath, [program, `${own}`, `${target}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(relay.stdout!, 'data')
  return relay
}

const idOf = (option: '-u' | '-g'): number =>
  Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
