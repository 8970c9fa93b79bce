import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '../prepare.mjs'
import { startLoad } from './rolling-load.mjs'
import { entia, freePorts } from './served.mjs'

const model = join(root, 'packages/cli/test/fixtures/with-live.mjs')
/** Seconds that a process continues to serve after the signal, until nginx has removed it. */
const STOP_DELAY = 2
const DROP = `import pg from 'pg'
const [address, schema] = process.argv.slice(1)
const client = new pg.Client({ connectionString: address })
await client.connect()
await client.query('DROP SCHEMA IF EXISTS "' + schema + '" CASCADE')
await client.end()`

/** @typedef {{ port: number, child: import('node:child_process').ChildProcess | null }} Member */

/**
 * Restarts processes one after the other, behind nginx and under load: reads, writes and live
 * queries. Returns true if no request fails and every write is there once.
 * @param {{ readonly database: string, readonly processes: number, readonly rounds: number,
 *   readonly 'in-rotation': boolean }} options
 */
export async function main({ database, processes, rounds, 'in-rotation': isInRotation }) {
  const schema = `rolling_${randomBytes(6).toString('hex')}`
  const place = ['--database', database, '--schema', schema]
  const folder = mkdtempSync(join(tmpdir(), 'entia-rolling-'))
  chmodSync(folder, 0o755)
  const [port = 0, ...ports] = await freePorts(processes + 1)
  /** @type {Member[]} */
  const members = ports.map((port) => ({ port, child: null }))
  const nginxParameters = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']
  /** @param {readonly Member[]} used */
  const configure = (used) => writeConfig(folder, port, used)
  /** @param {Member} member */
  const start = async (member) => {
    const parameters = ['--port', String(member.port), '--stop-delay', String(STOP_DELAY)]
    member.child = spawn(process.execPath, [entia, 'serve', model, ...place, ...parameters], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await untilAnswered(member.port, 'a process')
  }
  /** @param {Member} member */
  const restart = async (member) => {
    const route = (/** @type {readonly Member[]} */ used) => {
      if (isInRotation) return
      configure(used)
      run('nginx', [...nginxParameters, '-s', 'reload'])
    }
    route(members.filter((each) => each !== member))
    const code = await stop(member)
    if (code !== 0) console.log(`  a process ended with ${code}`)
    await start(member)
    route(members)
  }
  /** @type {import('node:child_process').ChildProcess | null} */
  let nginx = null
  let failed = 0
  try {
    run(process.execPath, [entia, 'migrate', model, ...place])
    await Promise.all(members.map(start))
    configure(members)
    nginx = spawn('nginx', nginxParameters, { stdio: ['ignore', 'inherit', 'inherit'] })
    await untilAnswered(port, 'nginx')
    for (let round = 1; round <= rounds; round++) {
      const load = startLoad(port, `r${round}`)
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
    run(process.execPath, ['--input-type=module', '--eval', DROP, database, schema])
    rmSync(folder, { recursive: true, force: true })
  }
  return failed === 0
}

/** @param {Member} member */
async function stop({ child }) {
  if (child === null || child.exitCode !== null) return child?.exitCode ?? 0
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await exit
  return code
}

/**
 * @param {number} port
 * @param {string} what
 */
async function untilAnswered(port, what) {
  for (let more = 0; more < 1200; more++) {
    const ready = await fetch(`http://127.0.0.1:${port}/rest/$health/ready`).catch(() => null)
    if (ready?.status === 200) return
    await wait(50)
  }
  throw new Error(`${what} does not answer.`)
}

/**
 * @param {string} folder
 * @param {number} port
 * @param {readonly Member[]} used
 */
function writeConfig(folder, port, used) {
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

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 */
function run(program, parameters) {
  const { status, stderr } = spawnSync(program, parameters, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
}
