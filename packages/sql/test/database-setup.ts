// Runs once before the tests of this package: finds the databases that they run on.

import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from './embedded-server.ts'

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

/** Data of tests need not survive a crash. A commit takes a sixth of the time without a sync. */
const WITHOUT_SYNC = 'options=-c%20synchronous_commit%3Doff'
/** Where a server of this machine listens by itself. */
const LOCAL_SERVERS = [
  `postgres://postgres@127.0.0.1:5432/postgres?${WITHOUT_SYNC}`,
  `postgres:///postgres?host=/var/run/postgresql&${WITHOUT_SYNC}`,
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
      throw new Error('ENTIA_SQL requires a PostgreSQL server, but none answers. Set DATABASE_URL.')
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
