import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/** The version of the PgBouncer of this machine, such as 1.18; null without one. */
export function poolerVersion(): number | null {
  try {
    const [, version] = /PgBouncer (\d+\.\d+)/.exec(
      execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }),
    )!
    return Number(version)
  } catch {
    return null
  }
}

/** A PgBouncer of this program in front of a server. */
export interface Pooler {
  readonly connectionString: string
  stop(): Promise<void>
}

/** Starts PgBouncer with few connections, so that its clients must share them. */
export async function startPooler(
  connectionString: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<Pooler> {
  const url = new URL(connectionString)
  const folder = mkdtempSync(join(tmpdir(), 'entia-pooler-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const target = {
    host: url.searchParams.get('host') ?? url.hostname,
    port: url.port || '5432',
    user: url.username || 'postgres',
    ...(url.password === '' ? {} : { password: url.password }),
  }
  const lines = [
    '[databases]',
    `* = ${Object.entries(target)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'default_pool_size = 3',
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ]
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, lines.join('\n'))
  const owner = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = spawn('pgbouncer', [...owner, '-q', file], { stdio: 'ignore' })
  const address = `postgres://postgres@127.0.0.1:${port}${url.pathname}`
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString: address })
    client.on('error', () => {})
    try {
      await client.connect()
      break
    } catch (error) {
      if (attempt === 100 || child.exitCode !== null) throw error
      await wait(50)
    } finally {
      await client.end().catch(() => {})
    }
  }
  return {
    connectionString: address,
    async stop() {
      const ended = once(child, 'exit')
      if (child.exitCode === null) {
        child.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
