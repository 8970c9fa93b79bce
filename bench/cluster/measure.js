import { Latencies } from '../mixed/latencies.js'
import { DatabaseWork, processNanoseconds } from './processor-time.js'

/**
 * Sends one operation. A `modify` is sent as a read and an update, as a client would.
 * @returns {Promise<{ status: number, answer: unknown }>}   `answer` only of reads
 */
export async function perform(server, connection, operation) {
  if (operation.kind !== 'modify') return send(server, connection, operation)
  const { key, field, suffix } = operation
  const found = await send(server, connection, { kind: 'read', key }, true)
  if (found.status >= 400) return found
  const value = found.answer[field].slice(suffix.length) + suffix
  const { status } = await send(server, connection, { kind: 'update', key, field, value })
  return { ...found, status }
}

async function send(server, connection, operation, isRead = false) {
  const { status, body } = await connection.ask(server.request(operation))
  const parsed = isRead || server.hasFailed !== undefined ? JSON.parse(body.utf8Slice()) : undefined
  if (server.hasFailed?.(parsed) === true) return { status: 500, answer: body.latin1Slice(0, 200) }
  if (status >= 400 && status !== 404) return { status, answer: body.latin1Slice(0, 200) }
  return {
    status,
    answer: status === 404 ? undefined : isRead ? server.read(operation, parsed) : body,
  }
}

/**
 * Sends the first operations one after the other, to all processes in turn, and compares the
 * answers. @returns {Promise<string | null>} the first fault
 */
export async function compare(serving, mix, draw, expected, connections) {
  const { server } = serving
  const texts = []
  for (let at = 0; at < expected.texts.length; at++) {
    const operation = draw()
    const { describe } = mix.kinds.get(operation.kind)
    const connection = connections[at % connections.length]
    const { status, answer } =
      operation.kind === 'modify' || describe === undefined
        ? await perform(server, connection, operation)
        : await send(server, connection, operation, true)
    if (status >= 400) return `operation ${at + 1}, ${operation.kind}: status ${status}, ${answer}`
    texts.push(describe?.(answer, operation) ?? '')
  }
  return expected.findFault(texts)
}

/**
 * One round: each connection sends its next operation when its last one is answered. Operations
 * that overlap may miss an entity, which counts as an answer.
 * @param {object} round
 * @param {import('./serving.js').Serving} round.serving
 * @param {import('../mixed/mixes/mix.js').Mix} round.mix
 * @param {readonly number[]} round.pids             of the serving processes
 * @param {readonly import('../mixed/http/connection.js').Connection[]} round.connections
 * @param {() => object} round.draw
 * @param {number} round.milliseconds
 * @param {import('pg').Client} round.client         of the database
 */
export async function load({ serving, mix, pids, connections, draw, milliseconds, client }) {
  const { server, place } = serving
  const latencies = { read: new Latencies(), write: new Latencies() }
  const busy = () => pids.reduce((sum, pid) => sum + processNanoseconds(pid), 0)
  const work = new DatabaseWork(client, place.applicationName)
  await work.start()
  const nodeBefore = busy()
  const ownBefore = processNanoseconds(process.pid)
  const started = performance.now()
  const end = started + milliseconds
  let answers = 0
  let refused = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        const operation = draw()
        const from = performance.now()
        const { status, answer } = await perform(server, connection, operation)
        const isWrite = mix.kinds.get(operation.kind).isWrite === true
        latencies[isWrite ? 'write' : 'read'].add((performance.now() - from) * 1e6)
        answers++
        // Too many conflicts: nothing was saved, and the server asks the client to retry.
        if (status === 503) refused++
        else if (status >= 400 && status !== 404)
          throw new Error(`${operation.kind}: status ${status}, ${answer}`)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const database = await work.end()
  return {
    perSecond: answers / seconds,
    refused: refused / answers,
    latencies: { read: latencies.read.summary(), write: latencies.write.summary() },
    nodeCores: (busy() - nodeBefore) / seconds / 1e9,
    databaseCores: database.nanoseconds / seconds / 1e9,
    loadCores: (processNanoseconds(process.pid) - ownBefore) / seconds / 1e9,
    waits: database.waits,
    answers,
  }
}
