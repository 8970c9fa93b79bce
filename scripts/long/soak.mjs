import { act, anonymousRead } from './acts.mjs'
import { allHold } from './claims.mjs'
import { Client } from './client.mjs'
import { randomOf } from './random.mjs'
import { serve } from './served.mjs'

/** The allowed growth of the heap since the warm-up, after a collection. */
const MAX_GROWTH = 0.1
/**
 * The allowed growth of resident memory in the second half, in MiB per minute, for loads that are
 * long enough.
 */
const MAX_SLOPE = 1
const SHORTEST_FOR_SLOPE = 5
/** The minimum requests of the warm-up per minute of load. */
const WARM_UP_REQUESTS = 8000
const MEBIBYTE = 1_048_576

/**
 * Runs the built server with a small heap under mixed load, then anonymous reads. Returns true if
 * every claim holds.
 * @param {{ readonly minutes: number, readonly anonymous: number, readonly connections: number,
 *   readonly heap: number, readonly seed: number }} options
 */
export async function main({ minutes, anonymous, connections, heap, seed }) {
  const served = await serve('people', { heap })
  const client = new Client(served.port, connections)
  const world = { client, random: randomOf(seed), created: [], sets: [] }
  const row = tableOf(client)
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  seed ${seed}  heap ${heap} MiB  ${connections} connections`,
  )
  try {
    row('start', await served.measure())

    // Warm up until every bounded structure is full: history, sets, sessions, text caches. Slow
    // machines take longer.
    const warmUp = performance.now() + Math.min(2, minutes / 4) * 60_000
    const isWarm = () =>
      performance.now() >= warmUp && client.requests >= Math.min(10, minutes) * WARM_UP_REQUESTS
    await during(Number.POSITIVE_INFINITY, connections, served, () =>
      isWarm() ? null : act(world),
    )
    const warm = await served.measure()
    row('warmed up', warm)

    /** @type {[minutes: number, mebibytes: number][]} */
    const resident = []
    const parts = Math.max(1, Math.round(minutes))
    for (let part = 1; part <= parts; part++) {
      await during((minutes * 60_000) / parts, connections, served, () => act(world))
      const now = await served.measure()
      resident.push([(part * minutes) / parts, now.rss / MEBIBYTE])
      row(`${((part * minutes) / parts).toFixed(1)} min`, now)
    }
    const loaded = await served.measure()

    let left = anonymous
    await during(Number.POSITIVE_INFINITY, connections, served, () =>
      left-- > 0 ? anonymousRead(world) : null,
    )
    const read = await served.measure()
    row(`${anonymous} reads`, read)

    const { verified, problem } = await served.verify()
    // Use the second half only: the cache for set operations, up to 16 MiB, fills slowly.
    const slope = slopeOf(resident.slice(Math.floor(resident.length / 2)))
    const heapClaim = (
      /** @type {string} */ when,
      /** @type {import('./served.mjs').Measured} */ { heapUsed },
    ) => {
      const growth = heapUsed / warm.heapUsed - 1
      const claim = `the heap ${when} is within ${MAX_GROWTH * 100} % of the one after the warm-up`
      return /** @type {const} */ ([
        claim,
        growth <= MAX_GROWTH,
        `${(growth * 100).toFixed(1)} % more`,
      ])
    }
    const isLongEnough = minutes >= SHORTEST_FOR_SLOPE
    return allHold([
      [
        'no 5xx response, no broken connection',
        client.failures.length === 0,
        client.failures.join('\n      '),
      ],
      heapClaim('after the load', loaded),
      heapClaim('after the reads', read),
      [
        'anonymous reads create no session',
        read.sessions <= loaded.sessions,
        `${loaded.sessions} -> ${read.sessions}`,
      ],
      [
        isLongEnough
          ? `the resident memory grows by less than ${MAX_SLOPE} MiB a minute`
          : `the slope of the resident memory (not checked below ${SHORTEST_FOR_SLOPE} minutes)`,
        !isLongEnough || slope < MAX_SLOPE,
        `${slope.toFixed(2)} MiB a minute`,
      ],
      ['the store verifies', verified, problem ?? ''],
      ['the server printed no error', served.said === '', served.said],
    ])
  } finally {
    client.rest()
    await served.stop()
  }
}

/**
 * Runs `handleSync` tasks in parallel for some time; ends early if `next` has no more tasks.
 * @param {number} milliseconds
 * @param {number} handleSync
 * @param {{ readonly hasEnded: boolean }} served
 * @param {() => Promise<unknown> | null} next
 */
async function during(milliseconds, handleSync, served, next) {
  const end = performance.now() + milliseconds
  const one = async () => {
    while (performance.now() < end && !served.hasEnded) {
      const work = next()
      if (work === null) return
      await work
    }
  }
  await Promise.all(Array.from({ length: handleSync }, one))
}

/**
 * Prints a row with the server's memory, and the requests since the previous row.
 * @param {Client} client
 */
function tableOf(client) {
  let requests = 0
  let since = performance.now()
  /** @type {Map<number, number>} */
  let before = new Map()
  console.log(
    '               heap MiB   rss MiB  external  sessions  sets   requests    per s  responses by status',
  )
  /** @param {string} title @param {import('./served.mjs').Measured} measured */
  return (title, { heapUsed, rss, external, sessions, entitySets }) => {
    const now = performance.now()
    const count = client.requests - requests
    const perSecond = Math.round((count * 1000) / (now - since))
    const statuses = [...client.statuses]
      .map(
        ([status, answers]) => /** @type {const} */ ([status, answers - (before.get(status) ?? 0)]),
      )
      .filter(([, answers]) => answers > 0)
      .sort(([one], [other]) => one - other)
    const cells = [
      title.padEnd(14),
      ...[heapUsed, rss, external].map((bytes) => (bytes / MEBIBYTE).toFixed(1).padStart(9)),
      ...[sessions, entitySets].map((number, at) => String(number).padStart(at === 0 ? 9 : 5)),
      String(count).padStart(10),
      String(perSecond).padStart(8),
      ` ${statuses.map(([status, answers]) => `${status === 0 ? 'cut' : status}:${answers}`).join(' ')}`,
    ]
    console.log(cells.join(' '))
    requests = client.requests
    since = now
    before = new Map(client.statuses)
  }
}

/**
 * The least-squares slope.
 * @param {readonly (readonly [number, number])[]} points
 */
function slopeOf(points) {
  const mean = (/** @type {readonly number[]} */ numbers) =>
    numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))]
  const squares = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  return squares === 0
    ? 0
    : points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / squares
}
