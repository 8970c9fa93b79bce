/**
 * `npm run test:soak`: a server as built, with a small heap, under mixed load for ten minutes, then a million reads by nobody. Ends with
 * exit code 1 where an answer was 500 or more, a connection broke, memory or sessions grew, or the store does not verify.
 *
 *     npm run test:soak -- --minutes 1 --anonymous 10000 --connections 20 --heap 128 --seed 7
 */
import { parseArgs } from 'node:util'
import { PrepareError, runMain } from './prepare.mjs'
import { act, anonymousRead } from './soak/acts.mjs'
import { Client } from './soak/client.mjs'
import { randomOf } from './soak/random.mjs'
import { serveSoak } from './soak/served.mjs'

/** How much more the heap may hold after a collection than after the warm-up. */
const MOST_GROWTH = 0.1
/** Of the resident memory in the second half, in MiB per minute; judged where the load lasted long enough to tell. */
const MOST_SLOPE = 1
const SHORTEST_FOR_SLOPE = 5
/** Of the warm-up at least, for each minute of the load. */
const WARM_UP_REQUESTS = 8000
const MEBIBYTE = 1_048_576

await runMain(async () => {
  const options = optionsOf(process.argv.slice(2))
  process.exitCode = (await soak(options)) ? 0 : 1
})

/** @param {readonly string[]} parameters */
function optionsOf(parameters) {
  const { values } = parseArgs({
    args: [...parameters],
    options: Object.fromEntries(
      ['minutes', 'anonymous', 'connections', 'heap', 'seed'].map((name) => [
        name,
        { type: /** @type {const} */ ('string') },
      ]),
    ),
  })
  /** @type {(name: string, usual: number) => number} */
  const numberOf = (name, usual) => {
    const given = values[name]
    if (given === undefined) return usual
    const number = Number(given)
    if (Number.isFinite(number) && number >= 0) return number
    throw new PrepareError(`--${name} must be a number from 0, not "${given}".`)
  }
  return {
    minutes: numberOf('minutes', 10),
    anonymous: numberOf('anonymous', 1_000_000),
    connections: Math.max(1, numberOf('connections', 20)),
    heap: numberOf('heap', 128),
    seed: numberOf('seed', 1),
  }
}

/**
 * True when everything held.
 * @param {ReturnType<typeof optionsOf>} options
 */
async function soak({ minutes, anonymous, connections, heap, seed }) {
  const served = await serveSoak(heap)
  const client = new Client(served.port, connections)
  const world = { client, random: randomOf(seed), made: [], sets: [] }
  const row = tableOf(client)
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  seed ${seed}  heap ${heap} MiB  ${connections} connections`,
  )
  try {
    row('start', await served.measure())

    // Until every bound of the store is reached: history, sets, sessions, what is kept by text. On a slow machine that takes longer.
    const warmUp = performance.now() + Math.min(2, minutes / 4) * 60_000
    const isWarm = () => performance.now() >= warmUp && client.asked >= Math.min(10, minutes) * WARM_UP_REQUESTS
    await during(Number.POSITIVE_INFINITY, connections, served, () => (isWarm() ? null : act(world)))
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
    await during(Number.POSITIVE_INFINITY, connections, served, () => (left-- > 0 ? anonymousRead(world) : null))
    const read = await served.measure()
    row(`${anonymous} reads`, read)

    const { verified, problem } = await served.verify()
    // Of the second half: what is kept for combining sets, 16 MiB at most, fills slowly.
    const slope = slopeOf(resident.slice(Math.floor(resident.length / 2)))
    const heapClaim = (
      /** @type {string} */ when,
      /** @type {import('./soak/served.mjs').Measured} */ { heapUsed },
    ) => {
      const growth = heapUsed / warm.heapUsed - 1
      const claim = `the heap ${when} is within ${MOST_GROWTH * 100} % of the one after the warm-up`
      return claimOf(claim, growth <= MOST_GROWTH, `${(growth * 100).toFixed(1)} % more`)
    }
    const isJudged = minutes >= SHORTEST_FOR_SLOPE
    return judge([
      claimOf(
        'no answer from 500 on, no connection broken',
        client.failures.length === 0,
        client.failures.join('\n      '),
      ),
      heapClaim('after the load', loaded),
      heapClaim('after the reads', read),
      claimOf(
        'reads by nobody leave no session',
        read.sessions <= loaded.sessions,
        `${loaded.sessions} -> ${read.sessions}`,
      ),
      claimOf(
        isJudged
          ? `the resident memory grows by less than ${MOST_SLOPE} MiB a minute`
          : `the slope of the resident memory (not judged below ${SHORTEST_FOR_SLOPE} minutes)`,
        !isJudged || slope < MOST_SLOPE,
        `${slope.toFixed(2)} MiB a minute`,
      ),
      claimOf('the store verifies', verified, problem ?? ''),
      claimOf('the server said nothing', served.said === '', served.said),
    ])
  } finally {
    client.rest()
    await served.stop()
  }
}

/**
 * So many at a time for so long; ends early where `next` has nothing more to do.
 * @param {number} milliseconds
 * @param {number} atOnce
 * @param {{ readonly hasEnded: boolean }} served
 * @param {() => Promise<unknown> | null} next
 */
async function during(milliseconds, atOnce, served, next) {
  const end = performance.now() + milliseconds
  const one = async () => {
    while (performance.now() < end && !served.hasEnded) {
      const work = next()
      if (work === null) return
      await work
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/**
 * Prints a row of what the server takes, and of the requests since the row before.
 * @param {Client} client
 */
function tableOf(client) {
  let asked = 0
  let since = performance.now()
  /** @type {Map<number, number>} */
  let before = new Map()
  console.log('               heap MiB   rss MiB  external  sessions  sets   requests    per s  answers by status')
  /** @param {string} title @param {import('./soak/served.mjs').Measured} measured */
  return (title, { heapUsed, rss, external, sessions, entitySets }) => {
    const now = performance.now()
    const count = client.asked - asked
    const perSecond = Math.round((count * 1000) / (now - since))
    const statuses = [...client.statuses]
      .map(([status, answers]) => /** @type {const} */ ([status, answers - (before.get(status) ?? 0)]))
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
    asked = client.asked
    since = now
    before = new Map(client.statuses)
  }
}

/**
 * Least squares.
 * @param {readonly (readonly [number, number])[]} points
 */
function slopeOf(points) {
  const mean = (/** @type {readonly number[]} */ numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))]
  const squares = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  return squares === 0 ? 0 : points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / squares
}

/** @typedef {{ readonly claim: string, readonly holds: boolean, readonly found: string }} Claim */

/**
 * @param {string} claim
 * @param {boolean} holds
 * @param {string} found
 * @returns {Claim}
 */
function claimOf(claim, holds, found) {
  return { claim, holds, found }
}

/** @param {readonly Claim[]} claims */
function judge(claims) {
  for (const { claim, holds, found } of claims)
    console.log(`${holds ? 'ok  ' : 'FAIL'}  ${claim}${found === '' ? '' : `: ${found}`}`)
  return claims.every(({ holds }) => holds)
}
