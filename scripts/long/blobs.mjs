import { allHold } from './claims.mjs'
import { Client } from './client.mjs'
import { serve } from './served.mjs'
import { PAPERS } from './stores/papers.mjs'

const MEBIBYTE = 1_048_576
const BLOB_MEBIBYTES = 16
const HISTORY_MEBIBYTES = 16
/** The memory of an idle server and of the other values. */
const OTHER_MEBIBYTES = 64
/** Resident memory in addition to live data: request bodies and uncollected garbage. */
const MAX_RESIDENT_MEBIBYTES = 1024

/**
 * Clients replace BLOBs of 16 MiB, and texts and objects of nearly 1 MiB. Returns true if memory
 * stays within the stored data, the history and the open requests.
 * @param {{ readonly minutes: number, readonly connections: number }} options
 */
export async function main({ minutes, connections }) {
  const served = await serve('papers', { heap: 256 })
  const client = new Client(served.port, connections)
  let replaced = 0
  let most = 0
  const row = (
    /** @type {string} */ title,
    /** @type {import('./served.mjs').Measured} */ measured,
  ) => {
    most = Math.max(most, measured.rss / MEBIBYTE)
    const cells = [measured.rss, measured.heapUsed, measured.external].map((bytes) =>
      (bytes / MEBIBYTE).toFixed(1).padStart(9),
    )
    console.log(`${title.padEnd(18)} ${cells.join(' ')} ${String(replaced).padStart(10)}`)
  }
  console.log(`${new Date().toISOString()}  Node ${process.version}  ${connections} connections`)
  console.log('                     rss MiB  heap MiB  external   replaced')
  try {
    row('start', await served.look())
    const begin = performance.now()
    const end = begin + minutes * 60_000
    const work = async () => {
      while (performance.now() < end && !served.hasEnded) {
        await client.ask(replacement(replaced))
        replaced++
      }
    }
    const look = async () => {
      const every = Math.min(30_000, (minutes * 60_000) / 4)
      for (let at = begin + every; at < end && !served.hasEnded; at += every) {
        await new Promise((resolve) => setTimeout(resolve, at - performance.now()))
        row(`${((performance.now() - begin) / 60_000).toFixed(1)} min`, await served.look())
      }
    }
    await Promise.all([look(), ...Array.from({ length: connections }, work)])
    row('end', await served.look())
    const collected = await served.measure()
    row('after a collection', collected)
    const { verified, problem } = await served.verify()
    const bound = PAPERS * BLOB_MEBIBYTES + HISTORY_MEBIBYTES + OTHER_MEBIBYTES
    const kept = (collected.heapUsed + collected.external) / MEBIBYTE
    return allHold([
      [
        'no 5xx response, no broken connection',
        client.failures.length === 0,
        client.failures.join(', '),
      ],
      [
        `heap and external memory after a collection are within ${bound} MiB`,
        kept <= bound,
        kept.toFixed(1),
      ],
      [
        `resident memory was never above ${MAX_RESIDENT_MEBIBYTES} MiB`,
        most <= MAX_RESIDENT_MEBIBYTES,
        most.toFixed(1),
      ],
      ['the store verifies', verified, problem ?? ''],
    ])
  } finally {
    client.rest()
    await served.stop()
  }
}

/**
 * The n-th value to replace, mostly a BLOB.
 * @param {number} n
 */
function replacement(n) {
  const ID = 1 + (n % PAPERS)
  if (n % 10 < 8)
    return {
      method: 'POST',
      path: `/rest/Paper(${ID})/scan`,
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(BLOB_MEBIBYTES * MEBIBYTE, n),
    }
  const long = `${n} `.padEnd(1_000_000, 'x')
  return {
    method: 'POST',
    path: '/rest/Paper?$method=update',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      __KEY: String(ID),
      ...(n % 10 === 8 ? { text: long } : { notes: { long } }),
    }),
  }
}
