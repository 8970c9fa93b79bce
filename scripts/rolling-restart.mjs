/**
 * `npm run test:rolling:sql`: restarts four processes one after the other, behind nginx and under
 * load: reads, writes and live queries. Exits with 1 if a request fails, or if a write is missing
 * or there twice. It needs nginx and a PostgreSQL server.
 *
 *     npm run test:rolling:sql -- --rounds 3
 *
 * `--database` is the address of a server, `--mode rising` the other mode of global stamps.
 * `--in-rotation` stops processes that nginx still uses, to show what that costs.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { root } from './prepare.mjs'
import { startLoad } from './rolling/load.mjs'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    processes: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '1' },
    mode: { type: 'string', default: 'exact' },
    'in-rotation': { type: 'boolean', default: false },
  },
})
const isTakenOut = !values['in-rotation']
const schema = `rolling_${randomBytes(6).toString('hex')}`
const entia = join(root, 'packages/cli/bin/entia.mjs')
const model = join(root, 'packages/cli/test/fixtures/with-live.mjs')
const place = ['--database', values.database, '--schema', schema]
/** Seconds that a process continues to serve after the signal, until nginx has removed it. */
const STOP_DELAY = 2
const DROP = `import pg from 'pg'
const [address, schema] = process.argv.slice(1)
const client = new pg.Client({ connectionString: address })
await client.connect()
await client.query('DROP SCHEMA IF EXISTS "' + schema + '" CASCADE')
await client.end()`

/** @typedef {{ port: number, child: import('node:child_process').ChildProcess | null }} Member */

const folder = mkdtempSync(join(tmpdir(), 'entia-rolling-'))
chmodSync(folder, 0o755)
const [port, ...ports] = await freePorts(Number(values.processes) + 1)
/** @type {Member[]} */
const members = ports.map((port) => ({ port, child: null }))
/** @type {import('node:child_process').ChildProcess | null} */
let nginx = null
let failed = 0

try {
  run(process.execPath, [entia, 'migrate', model, ...place, '--global-stamp', values.mode])
  await Promise.all(members.map(start))
  writeConfig(members)
  nginx = spawn('nginx', nginxParameters(), { stdio: ['ignore', 'inherit', 'inherit'] })
  await until(() => answers(port), 'nginx')
  for (let round = 1; round <= Number(values.rounds); round++) {
    const load = startLoad(`http://127.0.0.1:${port}/rest`, `r${round}`)
    await wait(1000)
    for (const member of members) await restart(member)
    await wait(1000)
    const report = await load.stop()
    failed += report.problems.length
    console.log(`round ${round}: ${report.text}, ${report.problems.length} failures`)
    for (const problem of report.problems.slice(0, 20)) console.log(`  ${problem}`)
  }
} finally {
  nginx?.kill('SIGTERM')
  await Promise.all(members.map(stop))
  run(process.execPath, ['--input-type=module', '--eval', DROP, values.database, schema])
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1

/** @param {Member} member */
async function restart(member) {
  if (isTakenOut) {
    writeConfig(members.filter((each) => each !== member))
    run('nginx', [...nginxParameters(), '-s', 'reload'])
  }
  const code = await stop(member)
  if (code !== 0) console.log(`  a process ended with ${code}`)
  await start(member)
  if (isTakenOut) {
    writeConfig(members)
    run('nginx', [...nginxParameters(), '-s', 'reload'])
  }
}

/** @param {Member} member */
async function start(member) {
  const parameters = ['--port', String(member.port), '--stop-delay', String(STOP_DELAY)]
  member.child = spawn(process.execPath, [entia, 'serve', model, ...place, ...parameters], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await until(() => answers(member.port), 'a process')
}

/** @param {Member} member */
async function stop({ child }) {
  if (child === null || child.exitCode !== null) return child?.exitCode ?? 0
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await exit
  return code
}

/** @param {number} port */
async function answers(port) {
  const response = await fetch(`http://127.0.0.1:${port}/rest/$health/ready`).catch(() => null)
  return response?.status === 200
}

/**
 * @param {() => Promise<boolean>} isDone
 * @param {string} what
 */
async function until(isDone, what) {
  for (let more = 0; more < 1200; more++) {
    if (await isDone()) return
    await wait(50)
  }
  throw new Error(`${what} does not answer.`)
}

function nginxParameters() {
  return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']
}

/** @param {readonly Member[]} used */
function writeConfig(used) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  // nginx may be reading the file.
  const next = join(folder, 'next.conf')
  writeFileSync(
    next,
    `daemon off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  upstream entia {
    ${used.map(({ port }) => `server 127.0.0.1:${port};`).join('\n    ')}
    keepalive 16;
    # Below the five seconds after which a process closes an idle connection.
    keepalive_timeout 4s;
  }
  server {
    listen 127.0.0.1:${port};
    location /rest {
      proxy_pass http://entia;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_next_upstream error timeout;
    }
  }
}
`,
  )
  renameSync(next, join(folder, 'nginx.conf'))
}

/** @param {number} count */
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    return port
  })
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 */
function run(program, parameters) {
  const { status, stderr } = spawnSync(program, parameters, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
}
