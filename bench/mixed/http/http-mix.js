import { median } from '../../harness/runner.js'
import { threadTimeOf } from '../../harness/thread-time.js'
import { ServerProcess } from '../../http/server-process.js'
import { ExpectedAnswers } from '../expected-answers.js'
import { Latencies } from '../latencies.js'
import { web } from '../mixes/web.js'
import { connectionCount } from '../mixes/web-http.js'
import { Connection } from './connection.js'

const answersCompared = 300
const warmUpRounds = 1.5

/**
 * Sends the same operations to each server: first sequentially, to compare the responses, then on
 * all connections for throughput.
 *
 * With several connections two operations on one entity may overlap. A missing entity then counts
 * as an answer.
 * @param {import('../mixes/mix.js').Mix} mix
 * @param {import('../mix-options.js').MixOptions} options
 * @param {(doing: string) => void} show
 * @returns {Promise<import('../mix-runner.js').MixResult & { versions: Map<string, string>,
 * missing: Map<string, string> }>}
 */
export async function runHttpMix({ id, title }, { servers, rows, rounds, milliseconds }, show) {
  show('reference')
  const data = web.makeData(rows)
  const expected = new ExpectedAnswers(web, rows, answersCompared)
  const results = new Map()
  const versions = new Map()
  const missing = new Map()
  const running = []
  try {
    for (const { name, url } of servers) {
      show(`${name}, comparing answers`)
      try {
        const { default: server } = await import(url)
        const run = await startRun({ server, url }, data, rows)
        running.push(run)
        versions.set(name, server.version)
        const fault = await compare(run, expected)
        if (fault !== null) {
          results.set(name, { kind: 'wrong', reason: fault })
          continue
        }
        await load(run, milliseconds * warmUpRounds)
        run.forget()
      } catch (error) {
        missing.set(name, error.message.split('\n', 1)[0])
      }
    }
    const right = running.filter(
      ({ server }) => !results.has(server.name) && !missing.has(server.name),
    )
    for (let round = 0; round < rounds; round++) {
      for (const run of round % 2 === 0 ? right : [...right].reverse()) {
        show(`${run.server.name}, round ${round + 1}`)
        const { perSecond, perSecondOfClock } = await load(run, milliseconds)
        run.rounds.push(perSecond)
        run.clockRounds.push(perSecondOfClock)
      }
    }
    for (const run of right) results.set(run.server.name, await settle(run))
  } finally {
    for (const { process, connections } of running) {
      for (const connection of connections) connection.close()
      process.stop()
    }
  }
  return { id, title, rows, results: Object.fromEntries(results), versions, missing }
}

async function startRun(located, data, rows) {
  const process = await ServerProcess.start(located, rows)
  const port = Number(new URL(process.origin).port)
  const connections = []
  for (let i = 0; i < connectionCount; i++) connections.push(await Connection.open(port))
  const latencies = new Map()
  const forget = () => {
    for (const kind of web.kinds.keys()) latencies.set(kind, new Latencies())
  }
  forget()
  const { server } = located
  const workedOf = threadTimeOf(process.pid)
  const rounds = { rounds: [], clockRounds: [] }
  return {
    server,
    process,
    connections,
    draw: web.operations(data),
    ...rounds,
    latencies,
    forget,
    workedOf,
    rowCount: rows,
  }
}

async function compare(run, expected) {
  const { server, draw } = run
  const texts = []
  for (let i = 0; i < expected.texts.length; i++) {
    const operation = draw()
    const { status, body } = await ask(run, run.connections[0], operation)
    if (status >= 400)
      return `operation ${i + 1}, ${operation.kind}: status ${status}, ${body.latin1Slice(0, 200)}`
    const { describe } = web.kinds.get(operation.kind)
    texts.push(describe?.(server.read(operation, JSON.parse(body.utf8Slice())), operation) ?? '')
  }
  return expected.findFault(texts)
}

/** Responses per second: by the processor time of the server's thread, and by the clock. */
async function load(run, milliseconds) {
  const { connections, draw, latencies, workedOf } = run
  const before = workedOf()
  const started = performance.now()
  const end = started + milliseconds
  let answers = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        const operation = draw()
        const from = performance.now()
        const { status } = await ask(run, connection, operation)
        latencies.get(operation.kind).add((performance.now() - from) * 1e6)
        answers++
        if (status >= 400 && status !== 404) throw new Error(`${operation.kind}: status ${status}`)
      }
    }),
  )
  const nanoseconds = (performance.now() - started) * 1e6
  const worked = before === null ? nanoseconds : workedOf() - before
  return { perSecond: (answers / worked) * 1e9, perSecondOfClock: (answers / nanoseconds) * 1e9 }
}

async function ask(run, connection, operation) {
  const answer = await connection.ask(run.server.request(operation))
  if (answer.status < 400 && operation.kind === 'insert') run.rowCount++
  if (answer.status < 400 && operation.kind === 'remove') run.rowCount--
  return answer
}

async function settle({ server, connections, rounds, clockRounds, latencies, rowCount }) {
  const { body } = await connections[0].ask({ method: 'GET', path: server.countPath })
  const found = server.readCount(JSON.parse(body.utf8Slice()))
  if (found !== rowCount)
    return { kind: 'wrong', reason: `there are ${found} employees, expected ${rowCount}` }
  return {
    kind: 'measured',
    perSecond: median(rounds),
    rounds,
    perSecondOfClock: median(clockRounds),
    compared: answersCompared,
    latencies: Object.fromEntries([...latencies].map(([kind, found]) => [kind, found.summary()])),
    functions: [],
  }
}
