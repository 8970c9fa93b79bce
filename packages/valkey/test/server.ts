import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'iovalkey'
import { afterAll, beforeAll, describe } from 'vitest'

/** A server that starts in these tests: `ENTIA_VALKEY`, Valkey, or Redis 7. */
const SERVER = [process.env.ENTIA_VALKEY, 'valkey-server', 'redis-server'].find(
  (command) => command !== undefined && spawnSync(command, ['--version']).status === 0,
)
if (SERVER === undefined)
  console.warn('Tests with Valkey are skipped: no valkey-server and no redis-server is installed.')

/** A server of its own that a test may stop, with clients that do not keep the process alive. */
export class TestServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'entia-valkey-'))
  readonly #clients: Redis[] = []
  #process: ChildProcess | null = null

  get path(): string {
    return join(this.#folder, 'socket')
  }

  async start(): Promise<void> {
    const options = ['--port', '0', '--unixsocket', this.path, '--save', '', '--dir', this.#folder]
    this.#process = spawn(SERVER!, options, { stdio: 'ignore' })
    const client = new Redis({
      path: this.path,
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
    })
    client.on('error', () => {})
    await client.ping()
    client.disconnect()
  }

  /** Ends the server at once; what it had is gone. */
  async stop(): Promise<void> {
    const process = this.#process
    this.#process = null
    if (process === null || process.exitCode !== null || process.signalCode !== null) return
    const ended = once(process, 'exit')
    process.kill('SIGKILL')
    await ended
  }

  /** The server answers nothing, until `resume`. */
  pause(): void {
    this.#process!.kill('SIGSTOP')
  }
  resume(): void {
    this.#process!.kill('SIGCONT')
  }

  client(): Redis {
    const client = new Redis({ path: this.path, retryStrategy: () => 20, maxRetriesPerRequest: 1 })
    client.on('error', () => {})
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.disconnect()
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Tests with a server of their own; skipped where none can be started. */
export function describeValkey(title: string, body: (server: TestServer) => void): void {
  describe.skipIf(SERVER === undefined)(title, () => {
    if (SERVER === undefined) return
    const server = new TestServer()
    beforeAll(() => server.start())
    afterAll(() => server.close())
    body(server)
  })
}
