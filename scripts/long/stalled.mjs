import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { PrepareError } from '../prepare.mjs'
import { allHold } from './claims.mjs'
import { Client } from './client.mjs'
import { serve } from './served.mjs'

const PATHS = new Map([
  ['Article', '/rest/Article?$top=1000'],
  ['Point', '/rest/Point?$top=10000'],
])
const PROGRAMS = new Map([
  ['entia', undefined],
  ['node', 'serve-pages'],
])
/** Requests of others, one after another: an entity, then a small page. */
const OTHERS = ['/rest/Point(7)', '/rest/Point?$top=20&$skip=40']
const PAUSE = 20
const PAUSE_OF_PAGES = 500

/**
 * Clients request pages of many megabytes and read nothing, while others read an entity and a short
 * page. Returns true if the server goes on, serves the others, and closes the stalled connections
 * `seconds` after the last answer began: more than `limits.maxStalledAnswerSeconds`.
 * @param {{ readonly server: string, readonly page: string, readonly connections: number,
 *   readonly heap: number, readonly seconds: number }} options
 */
export async function main({ server, page, connections, heap, seconds }) {
  const path = PATHS.get(page)
  if (path === undefined) throw new PrepareError('--page must be Article or Point.')
  if (!PROGRAMS.has(server)) throw new PrepareError('--server must be entia or node.')
  const program = PROGRAMS.get(server)
  const served = await serve('pages', { heap, ...(program === undefined ? {} : { program }) })
  const [others, pages] = [new Client(served.port, 4), new Client(served.port, 1)]
  /** @type {ReturnType<typeof stall>[]} */
  const stalled = []
  try {
    const begun = performance.now()
    const bytes = (await pages.ask({ path })).text.length
    console.log(
      `Node ${process.version}  ${connections} connections  page ${(bytes / 1e6).toFixed(1)} MB in ${(performance.now() - begun).toFixed(0)} ms`,
    )
    const before = served.memory()
    console.log(`before: rss ${before.now.toFixed(0)} MiB, peak ${before.peak.toFixed(0)} MiB`)
    for (let i = 0; i < connections; i++) stalled.push(stall(served.port, path))
    const isOver = () => {
      const answered = stalled.map((one) => one.answeredAt ?? performance.now())
      return served.hasEnded || performance.now() >= Math.max(...answered) + seconds * 1000
    }
    /** @type {number[]} */
    const times = []
    const repeat = async (
      /** @type {Client} */ client,
      /** @type {string} */ path,
      /** @type {number} */ pause,
    ) => {
      while (!isOver()) {
        const begun = performance.now()
        await client.ask({ path })
        if (client === others) times.push(performance.now() - begun)
        await sleep(pause)
      }
    }
    const rows = async () => {
      for (let at = 0; !isOver(); at++) {
        if (at % 5 === 0) console.log(rowOf(at, served.memory(), stalled))
        await sleep(1000)
      }
    }
    await Promise.all([
      ...OTHERS.map((other) => repeat(others, other, PAUSE)),
      repeat(pages, path, PAUSE_OF_PAGES),
      rows(),
    ])
    times.sort((a, b) => a - b)
    const at = (/** @type {number} */ share) =>
      (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(0)
    // A refused one keeps its connection, which has nothing to be sent.
    const open = await openOnes(stalled, bytes)
    console.log(
      `others: ${times.length} requests ${countsOf(others)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(0.9999)} ms`,
    )
    console.log(`pages of others: ${countsOf(pages)}`)
    return allHold([
      ['the server goes on', !served.hasEnded, served.said],
      ['others are served', [...others.statuses.keys()].every((status) => status === 200)],
      ['stalled connections are closed', open === 0, `${open} open`],
    ])
  } finally {
    for (const { socket } of stalled) socket.destroy()
    others.rest()
    pages.rest()
    await served.stop('SIGKILL')
  }
}

/**
 * @param {number} seconds
 * @param {{ readonly now: number, readonly peak: number }} memory
 * @param {readonly ReturnType<typeof stall>[]} stalled
 */
function rowOf(seconds, { now, peak }, stalled) {
  const states = ['waiting', '200', '503', 'closed'].map(
    (state) => `${state} ${stalled.filter((one) => one.state === state).length}`,
  )
  return `${String(seconds).padStart(4)} s  rss ${now.toFixed(0).padStart(5)} MiB  peak ${peak.toFixed(0).padStart(5)} MiB  ${states.join('  ')}`
}

/** @param {Client} client */
function countsOf({ statuses }) {
  return [...statuses].map(([status, count]) => `${status}:${count}`).join(' ')
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
