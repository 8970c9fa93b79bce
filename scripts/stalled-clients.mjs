/**
 * `npm run test:stalled`: clients request pages of many megabytes and read nothing, while
 * others read an entity and a short page. Exits with 1 if the server ends, others are refused, or a
 * stalled connection stays open. Needs Linux, for the memory of the server.
 *
 *     npm run test:stalled -- --server node --connections 60 --heap 512 --seconds 75 --page Point
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PrepareError, runMain } from './prepare.mjs'

const PATHS = { Article: '/rest/Article?$top=1000', Point: '/rest/Point?$top=10000' }
/** Requests of others, one after another: an entity, then a small page. */
const OTHERS = ['/rest/Point(7)', '/rest/Point?$top=20&$skip=40']
const PAUSE = 20
/** Seconds after the last answer began: more than `limits.maxStalledAnswerSeconds`. */
const CLOSED_AFTER = 75

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'entia' },
      connections: { type: 'string', default: '400' },
      heap: { type: 'string', default: '' },
      seconds: { type: 'string', default: String(CLOSED_AFTER) },
      page: { type: 'string', default: 'Article' },
    },
  })
  const { server, heap, page } = values
  const [connections, seconds] = [Number(values.connections), Number(values.seconds)]
  if (!(connections >= 1) || !(seconds > 0))
    throw new PrepareError('--connections and --seconds must be numbers above 0.')
  if (page !== 'Article' && page !== 'Point')
    throw new PrepareError('--page must be Article or Point.')
  const programs = {
    entia: [pathOf('../packages/cli/bin/entia.mjs'), 'serve', pathOf('stalled/store.mjs')],
    node: [pathOf('stalled/node-server.mjs')],
  }
  if (server !== 'entia' && server !== 'node')
    throw new PrepareError('--server must be entia or node.')
  const program = server === 'entia' ? [...programs.entia, '--port', '0'] : programs.node
  const served = await serve(heap === '' ? [] : [`--max-old-space-size=${heap}`], program)
  try {
    process.exitCode = (await run(served, PATHS[page], connections, seconds)) ? 0 : 1
  } finally {
    served.stop()
  }
})

/**
 * @param {readonly string[]} options of Node
 * @param {readonly string[]} program
 */
async function serve(options, program) {
  const child = spawn(process.execPath, [...options, ...program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let hasEnded = false
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)))
  child.once('exit', () => (hasEnded = true))
  /** @type {number} */
  const port = await new Promise((resolve, reject) => {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
      const [, found] = /Entia serves .* at http:\/\/[^/]+:(\d+)/.exec(printed) ?? []
      if (found !== undefined) resolve(Number(found))
    })
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${said}`)))
  })
  return {
    port,
    get hasEnded() {
      return hasEnded
    },
    get said() {
      return said
    },
    /** Resident memory in MiB: now and at most so far. */
    memory() {
      if (hasEnded) return { now: 0, peak: 0 }
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const of = (/** @type {string} */ name) =>
        Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
      return { now: of('VmRSS'), peak: of('VmHWM') }
    },
    stop: () => child.kill('SIGKILL'),
  }
}

/**
 * @param {Awaited<ReturnType<typeof serve>>} served
 * @param {string} path
 * @param {number} connections
 * @param {number} seconds
 */
async function run(served, path, connections, seconds) {
  const { port } = served
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const whole = await request(agent, port, path)
  console.log(
    `Node ${process.version}  ${connections} connections  page ${(whole.bytes / 1e6).toFixed(1)} MB in ${whole.milliseconds.toFixed(0)} ms`,
  )
  const before = served.memory()
  console.log(`before: rss ${before.now.toFixed(0)} MiB, peak ${before.peak.toFixed(0)} MiB`)
  const stalled = Array.from({ length: connections }, () => stall(port, path))
  const isOver = () => {
    const answered = stalled.map((one) => one.answeredAt ?? performance.now())
    return served.hasEnded || performance.now() >= Math.max(...answered) + seconds * 1000
  }
  /** @type {number[]} */
  const times = []
  const statuses = new Map()
  const pages = new Map()
  const others = async (
    /** @type {string} */ other,
    /** @type {Map<unknown, number>} */ counts,
    /** @type {number[] | null} */ into,
    /** @type {number} */ pause,
  ) => {
    while (!isOver()) {
      const { status, milliseconds } = await request(agent, port, other)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      into?.push(milliseconds)
      await sleep(pause)
    }
  }
  const all = [
    ...OTHERS.map((other) => others(other, statuses, times, PAUSE)),
    others(path, pages, null, 500),
  ]
  const rows = async () => {
    for (let at = 0; !isOver(); at++) {
      const { now, peak } = served.memory()
      const count = (/** @type {string} */ state) =>
        stalled.filter((one) => one.state === state).length
      if (at % 5 === 0)
        console.log(
          `${String(at).padStart(4)} s  rss ${now.toFixed(0).padStart(5)} MiB  peak ${peak.toFixed(0).padStart(5)} MiB  waiting ${count('waiting')}  200 ${count('200')}  503 ${count('503')}  closed ${count('closed')}`,
        )
      await sleep(1000)
    }
  }
  await Promise.all([...all, rows()])
  times.sort((a, b) => a - b)
  const at = (/** @type {number} */ share) =>
    (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(0)
  // A refused one keeps its connection, which has nothing to be sent.
  const open = await openOnes(stalled, whole.bytes)
  const { peak } = served.memory()
  console.log(
    `others: ${times.length} requests ${text(statuses)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(0.9999)} ms`,
  )
  console.log(`pages of others: ${text(pages)}`)
  console.log(`stalled connections still open: ${open}; peak ${peak.toFixed(0)} MiB`)
  if (served.hasEnded) console.log(`The server ended: ${served.said}`)
  const claims = {
    'the server goes on': !served.hasEnded,
    'others are served': [...statuses.keys()].every((status) => status === 200),
    'stalled connections are closed': open === 0,
  }
  for (const [claim, holds] of Object.entries(claims))
    console.log(`${holds ? 'ok   ' : 'FAIL '} ${claim}`)
  for (const { socket } of stalled) socket.destroy()
  agent.destroy()
  return Object.values(claims).every((holds) => holds)
}

/** @param {ReadonlyMap<unknown, number>} counts */
function text(counts) {
  return [...counts].map(([value, count]) => `${value}:${count}`).join(' ')
}

/**
 * The number of clients that still get the whole page when they begin to read.
 * @param {readonly ReturnType<typeof stall>[]} stalled
 * @param {number} bytes of the page
 */
async function openOnes(stalled, bytes) {
  const reading = stalled
    .filter(({ state }) => state === '200' || state === 'waiting')
    .map(async ({ socket }) => {
      let taken = 0
      socket.on('data', (/** @type {Buffer} */ piece) => {
        taken += piece.length
        if (taken >= bytes) socket.destroy()
      })
      if (!socket.closed) await once(socket, 'close').catch(() => undefined)
      return taken >= bytes
    })
  return (await Promise.all(reading)).filter((isWhole) => isWhole).length
}

/**
 * A client that requests a page, looks at the status line, and reads nothing more.
 * @param {number} port
 * @param {string} path
 */
function stall(port, path) {
  const socket = connect({ port, host: '127.0.0.1' })
  const one = { socket, state: 'waiting', answeredAt: /** @type {number | null} */ (null) }
  const end = () => {
    one.state = 'closed'
    one.answeredAt ??= performance.now()
  }
  socket.on('error', end)
  socket.on('close', end)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
  const look = () => {
    /** @type {Buffer | null} */
    const head = socket.read('HTTP/1.1 200'.length)
    if (head === null) return
    socket.off('readable', look)
    one.state = head.toString().slice('HTTP/1.1 '.length)
    one.answeredAt = performance.now()
  }
  socket.on('readable', look)
  return one
}

/**
 * @param {Agent} agent
 * @param {number} port
 * @param {string} path
 * @returns {Promise<{ status: number | string, milliseconds: number, bytes: number }>}
 */
async function request(agent, port, path) {
  const begun = performance.now()
  let bytes = 0
  try {
    const [response] = await once(get({ agent, port, path, host: '127.0.0.1' }), 'response')
    response.on('data', (/** @type {Buffer} */ piece) => (bytes += piece.length))
    await once(response, 'end')
    return { status: response.statusCode, milliseconds: performance.now() - begun, bytes }
  } catch (error) {
    return {
      status: /** @type {NodeJS.ErrnoException} */ (error).code ?? 'failed',
      milliseconds: performance.now() - begun,
      bytes,
    }
  }
}
