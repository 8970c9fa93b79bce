// `npm run test:long -- failure --kills 200`: see scripts/long.mjs.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { pgPool } from '../../src/pg.ts'
import { run } from '../database.ts'
import { type LoadReport, startLoad } from './load.ts'
import { type Asked, migrateWorld, type Reply, USER } from './world.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    kills: { type: 'string', default: '200' },
  },
})
const connectionString = values.database
const schema = `kills_${randomBytes(6).toString('hex')}`
const place = { connectionString, schema }
const pool = pgPool({ connectionString, max: 2 })

interface Serving {
  readonly child: ChildProcess
  readonly port: number
}

/** One file, so that a process starts quickly. */
const folder = mkdtempSync(join(tmpdir(), 'entia-kills-'))
const program = join(folder, 'serving.mjs')
await build({
  entryPoints: [fileURLToPath(new URL('serving.ts', import.meta.url))],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
  conditions: ['entia-source'],
  external: ['pg-native'],
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'error',
})

async function serve(): Promise<Serving> {
  const child = fork(program, [JSON.stringify(place)], { execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  return { child, port }
}

async function askAt(port: number, { method = 'GET', path, body, cookie }: Asked): Promise<Reply> {
  const started = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/rest/${path}`, {
    method,
    headers: cookie == null ? {} : { cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? null : JSON.parse(text),
    cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? null,
    retryAfter: response.headers.get('retry-after'),
    event: null,
    milliseconds: performance.now() - started,
  }
}

/** The connections of a killed process; none after the database has detected its end. */
async function backends(expected: number): Promise<number> {
  const text = `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state LIKE '%transaction%'`
  for (let more = 0; ; more++) {
    const { rows } = await run(pool, text, schema)
    const count = Number(rows[0]![0])
    if (count <= expected || more === 100) return count
    await wait(50)
  }
}

const violations: string[] = []
const reports: LoadReport[] = []
let kills = 0
await run(pool, `CREATE SCHEMA "${schema}"`)
let next: Promise<Serving> | null = null
try {
  await migrateWorld(place)
  next = serve()
  /** A session and its lock outlive the process that created them. */
  let cookie: string | null = null
  for (; kills < Number(values.kills); kills++) {
    const { child, port }: Serving = await next
    next = serve()
    next.catch(() => {})
    const login = { method: 'POST', path: '$directory/login', body: USER }
    if (cookie === null) {
      cookie = (await askAt(port, login)).cookie
      const { body } = await askAt(port, {
        method: 'POST',
        path: 'Item',
        body: { mark: `locked${kills}` },
      })
      await askAt(port, { path: `Item(${body.ID})?$lock=true`, cookie })
    } else {
      const { body } = await askAt(port, { path: 'Item?$filter="mark=locked@"&$top=1' })
      const locked = `Item(${body.__ENTITIES[0].ID})?$lock=true`
      if ((await askAt(port, { path: locked })).body.result === true)
        violations.push(`kill ${kills}: the lock of an open session was lost`)
      await askAt(port, { method: 'POST', path: '$directory/logout', cookie })
      cookie = null
      const other = await askAt(port, login)
      if ((await askAt(port, { path: locked, cookie: other.cookie })).body.result !== true)
        violations.push(`kill ${kills}: a lock outlived its session`)
      await askAt(port, { method: 'POST', path: '$directory/logout', cookie: other.cookie })
      await askAt(port, { method: 'DELETE', path: 'Item?$filter="mark=locked@"' })
    }
    const load = startLoad((asked) => askAt(port, asked), `k${kills}`, 10_000)
    const enough = Math.random() * 20
    while (load.answered < enough) await wait(5)
    await wait(Math.random() * 30)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const report = await load.stop(pool, schema)
    reports.push(report)
    violations.push(...report.violations.map((each) => `kill ${kills}: ${each}`))
    const left = await backends(0)
    if (left > 0) violations.push(`kill ${kills}: ${left} transactions are left`)
    if ((kills + 1) % 20 === 0) console.log(`${kills + 1} kills, ${violations.length} violations`)
  }
  const totals = new Map<string, number>()
  for (const { counts } of reports)
    for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count)
  console.log(
    `${kills} kills: ${[...totals].map(([name, count]) => `${count} × ${name}`).join(', ')}`,
  )
  const rest = ['entia_lock', 'entia_session', 'entia_upload', 'entia_set']
  for (const table of rest) {
    const { rows } = await run(pool, `SELECT count(*) FROM "${schema}"."${table}"`)
    console.log(`${table}: ${rows[0]![0]} rows at the end`)
  }
  for (const violation of violations.slice(0, 20)) console.log(`  ${violation.slice(0, 300)}`)
  console.log(`${violations.length} violations`)
  if (violations.length > 0) process.exitCode = 1
} finally {
  ;(await next)?.child.kill('SIGKILL')
  await run(pool, `DROP SCHEMA "${schema}" CASCADE`)
  await pool.close()
  rmSync(folder, { recursive: true, force: true })
}
