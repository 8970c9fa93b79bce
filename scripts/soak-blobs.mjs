/**
 * `npm run test:soak:blobs`: clients replace BLOBs of 16 MiB, and texts and objects of nearly 1
 * MiB, on the built server for five minutes. Exits with 1 if memory exceeds the stored data, the
 * history limit and the open requests.
 *
 *     npm run test:soak:blobs -- --minutes 1 --connections 2
 */
import { parseArgs } from 'node:util'
import { PrepareError, runMain } from './prepare.mjs'
import { PAPERS } from './soak/blob-store.mjs'
import { Client } from './soak/client.mjs'
import { serveSoak } from './soak/served.mjs'

const MEBIBYTE = 1_048_576
const BLOB_MEBIBYTES = 16
const HISTORY_MEBIBYTES = 16
/** The memory of an idle server and of the other values. */
const OTHER_MEBIBYTES = 64
/** Resident memory in addition to live data: request bodies and uncollected garbage. */
const MAX_RESIDENT_MEBIBYTES = 1024

await runMain(async () => {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: {
      minutes: { type: 'string', default: '5' },
      connections: { type: 'string', default: '2' },
    },
  })
  const [minutes, connections] = [Number(values.minutes), Number(values.connections)]
  if (!(minutes > 0) || !(connections >= 1))
    throw new PrepareError('--minutes and --connections must be numbers above 0.')
  process.exitCode = (await soak(minutes, connections)) ? 0 : 1
})

/**
 * @param {number} minutes
 * @param {number} connections
 */
async function soak(minutes, connections) {
  const served = await serveSoak(256, './blob-store.mjs')
  const client = new Client(served.port, connections)
  let replaced = 0
  let most = 0
  const row = (
    /** @type {string} */ title,
    /** @type {import('./soak/served.mjs').Measured} */ measured,
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
    const claims = [
      [
        `no 5xx response, no broken connection: ${client.failures.join(', ')}`,
        client.failures.length === 0,
      ],
      [
        `heap and external memory after a collection are within ${bound} MiB: ${kept.toFixed(1)}`,
        kept <= bound,
      ],
      [
        `resident memory was never above ${MAX_RESIDENT_MEBIBYTES} MiB: ${most.toFixed(1)}`,
        most <= MAX_RESIDENT_MEBIBYTES,
      ],
      [`the store verifies: ${problem ?? 'yes'}`, verified],
    ]
    for (const [claim, holds] of claims) console.log(`${holds ? 'ok  ' : 'FAIL'}  ${claim}`)
    return claims.every(([, holds]) => holds)
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
