// `npm run test:long -- failure --cluster`: see scripts/long.mjs.
import { execFileSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { GIF_PIXEL } from '../../../testing/src/conformance/fixtures/images.ts'
import { pgPool } from '../../src/pg.ts'
import { run } from '../database.ts'
import { described, startLoad } from './load.ts'
import { messageProxy } from './message-proxy.ts'
import { ownCluster } from './own-cluster.ts'
import { migrateWorld, openWorld, type World } from './world.ts'

/** The time limit of a request; looking up the outcome of a commit may take ten seconds more. */
const REQUEST_MILLISECONDS = 4000
const MAX_MILLISECONDS = REQUEST_MILLISECONDS + 10_000 + 2000

const cluster = await ownCluster(['max_connections=20', 'superuser_reserved_connections=0'])
console.log('starting a server of its own')
await cluster.start()
const proxy = await messageProxy(cluster.connectionString)
const schema = 'world'
const place = { connectionString: cluster.connectionString, schema }
await migrateWorld(place)
const pool = pgPool({ connectionString: cluster.connectionString, max: 2 })
const world = await openWorld(
  { connectionString: proxy.connectionString, schema },
  { requests: { maxMilliseconds: REQUEST_MILLISECONDS } },
)
let scenarios = 0

/** Something happens to the database under load. The load must succeed before and afterwards. */
async function scenario(name: string, happen: () => Promise<void>): Promise<void> {
  const load = startLoad(world.ask, `s${scenarios++}`, MAX_MILLISECONDS)
  await wait(500)
  await happen()
  const recovery = performance.now()
  const last = `${scenarios}.last`
  while (performance.now() - recovery < 30_000) {
    const { status } = await world.ask({ method: 'POST', path: 'Item', body: { mark: last } })
    if (status === 200) break
    await wait(20)
  }
  const recovered = Math.round(performance.now() - recovery)
  await wait(300)
  const report = await load.stop(pool, schema)
  console.log(`${name}: ${described(report)}; writes again after ${recovered} ms`)
  const violations = [...report.violations]
  if (recovered >= 30_000) violations.push('it does not recover')
  for (const violation of violations.slice(0, 10)) console.log(`  ${violation.slice(0, 300)}`)
  if (violations.length > 0) process.exitCode = 1
}

function expectStatus(what: string, found: number, ...expected: readonly number[]): void {
  if (expected.includes(found)) return
  process.exitCode = 1
  console.log(`  ${what}: ${found} instead of ${expected.join(' or ')}`)
}

async function afterCrash(mode: 'fast' | 'immediate'): Promise<void> {
  const set = await world.ask({ path: 'Item?$top=1&$method=entityset' })
  const id = String(set.body.__ENTITYSET).split('/').at(-1)!
  const path = '$upload?$rawPict=true'
  const upload = await world.ask({ method: 'POST', path, body: GIF_PIXEL })
  await cluster.stop(mode)
  await wait(1000)
  await cluster.start()
  const isLost = mode === 'immediate'
  let page = await world.ask({ path: `Item/$entityset/${id}` })
  for (let more = 0; page.status === 503 && more < 100; more++) {
    await wait(50)
    page = await world.ask({ path: `Item/$entityset/${id}` })
  }
  expectStatus('the entity set', page.status, isLost ? 404 : 200)
  const body = { photo: { ID: upload.body.ID } }
  let write = await world.ask({ method: 'POST', path: 'Item', body })
  for (let more = 0; write.status === 503 && more < 100; more++)
    write = await world.ask({ method: 'POST', path: 'Item', body })
  expectStatus('the upload', write.status, isLost ? 400 : 200)
}

/** True after a change of the settings of the server. */
async function set(name: string, value: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.connectionString })
  await client.connect()
  await client.query('SET default_transaction_read_only = off')
  await client.query(`ALTER SYSTEM SET ${name} = ${value}`)
  await client.query('SELECT pg_reload_conf()')
  await client.end()
}

async function fullDisk(): Promise<void> {
  const folder = cluster.makeFolder('small')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=777', 'tmpfs', folder], {
      stdio: 'ignore',
    })
  } catch {
    console.log('full disk: skipped, this user cannot mount a file system')
    return
  }
  try {
    execFileSync('chown', ['postgres', folder])
    await run(pool, `CREATE TABLESPACE small LOCATION '${folder}'`)
    for (const table of ['Item', 'entia_change', 'entia_commit'])
      await run(pool, `ALTER TABLE "${schema}"."${table}" SET TABLESPACE small`)
    await scenario('full disk', async () => {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(join(folder, 'fill'), Buffer.alloc(bavail * bsize))
      // The tables have some space left in their last pages.
      const body = { mark: `big ${'x'.repeat(1500)}` }
      let reply = await world.ask({ method: 'POST', path: 'Item', body })
      for (let at = 0; reply.status === 200 && at < 200; at++) {
        body.mark = `big ${at} ${'x'.repeat(1500)}`
        reply = await world.ask({ method: 'POST', path: 'Item', body })
      }
      expectStatus('a write', reply.status, 503)
      expectStatus('a read', (await world.ask({ path: 'Item?$top=1' })).status, 200)
      await wait(500)
      execFileSync('rm', [join(folder, 'fill')])
    })
    for (const table of ['Item', 'entia_change', 'entia_commit'])
      await run(pool, `ALTER TABLE "${schema}"."${table}" SET TABLESPACE pg_default`)
    await run(pool, 'DROP TABLESPACE small')
  } finally {
    execFileSync('umount', [folder])
  }
}

async function outOfConnections(): Promise<void> {
  const other = await openWorld(place)
  await run(
    pool,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${schema}'`,
  )
  const clients: pg.Client[] = []
  for (let at = 0; at < 30; at++) {
    const client = new pg.Client({ connectionString: cluster.connectionString })
    client.on('error', () => {})
    try {
      await client.connect()
      clients.push(client)
    } catch {
      break
    }
  }
  await wait(1000)
  const reply = await other.ask({ path: 'Item?$top=1' })
  if (reply.status !== 200) expectStatus('without a connection', reply.status, 503)
  await Promise.all(clients.map((client) => client.end()))
  await other.close()
}

async function lockTables(milliseconds: number): Promise<void> {
  await pool.connect(async ({ send }) => {
    const lock = `LOCK TABLE "${schema}"."Item"`
    await send(['BEGIN', lock].map((text) => ({ name: text, text, values: [] })))
    await wait(milliseconds)
  })
}

async function hold(milliseconds: number): Promise<void> {
  proxy.hold(true)
  await wait(milliseconds)
  proxy.hold(false)
}

async function readOnly(): Promise<void> {
  await set('default_transaction_read_only', 'on')
  await wait(1000)
  const write = (of: World) => of.ask({ method: 'POST', path: 'Item', body: { mark: 'read-only' } })
  expectStatus('a write', (await write(world)).status, 503)
  expectStatus('a read', (await world.ask({ path: 'Item?$top=1' })).status, 200)
  await set('default_transaction_read_only', 'off')
}

try {
  await scenario('stopped and started', () => afterCrash('fast'))
  await scenario('crashed and started', () => afterCrash('immediate'))
  await scenario('a killed backend', async () => {
    const { rows } = await run(
      pool,
      `SELECT pid FROM pg_stat_activity WHERE application_name = '${schema}' LIMIT 1`,
    )
    // The server ends all connections, and recovers as after a crash.
    process.kill(Number(rows[0]![0]), 'SIGKILL')
    await wait(1500)
  })
  await scenario('read-only', readOnly)
  await scenario('out of connections', outOfConnections)
  await scenario('tables locked for 6 s', () => lockTables(6000))
  await scenario('no answers for 6 s', () => hold(6000))
  await scenario('no answers for 20 s', () => hold(20_000))
  await fullDisk()
  const internal = world.failures.filter(
    (each) => !(each instanceof Error) || ('failure' in each && each.failure === 'internal'),
  )
  for (const failure of internal.slice(0, 5)) console.log('  an internal error:', failure)
  if (internal.length > 0) process.exitCode = 1
} finally {
  await world.close()
  await pool.close()
  await proxy.close()
  await cluster.remove()
}
