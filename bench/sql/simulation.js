// A discrete-event simulation of processes that serve one database: pools, a pooler, the gate, the
// log, pollers, and cached counts. Times are milliseconds.

import { randomNumbers } from '../data.js'
import { zipfian } from '../mixed/draws.js'

/**
 * The parameters of a simulated service. Processor times are per request.
 * @typedef {object} Service
 * @property {number} processes
 * @property {number} poolSize            connections of a process
 * @property {number} poolerSize          connections of the pooler to the database; 0: no pooler
 * @property {number} databaseCores
 * @property {number} sharedCores         cores that processes and database share; 0: processes have
 * one core each, and the database its own
 * @property {number} client              processor time of the load, on shared cores
 * @property {number} nodeRead            processor time of a process
 * @property {number} nodeWrite
 * @property {number} databaseRead        processor time of the database for a read without a count
 * @property {number} databaseCount       that of a count that is not known
 * @property {number} databaseWrite
 * @property {number} flush               a write of the log to the disk
 * @property {number} roundTrip           over the network to the database
 * @property {number} writeShare          of the requests
 * @property {number} countShare          of the reads: pages that show a count
 * @property {number} dataClasses         written equally often
 * @property {number} filters             of each dataclass, asked for by a zipfian distribution
 * @property {number} pollers             processes that follow commits
 * @property {number} pollsPerSecond      of each of them
 * @property {number} databasePoll        processor time
 *
 * @typedef {object} Load
 * @property {number} [clients]           each sends its next request when the last is answered
 * @property {number} [perSecond]         requests that arrive by themselves
 */

/** A queue for one or several servers: first come, first served. */
class Line {
  free
  waiting = []
  busy = 0
  longest = 0

  constructor(size) {
    this.free = size
    this.size = size
  }
}

/**
 * Runs a service under load.
 * @param {Service} service
 * @param {Load} load
 * @param {{ milliseconds: number, seed: number }} run
 */
export function simulate(service, load, { milliseconds, seed }) {
  const random = randomNumbers(seed)
  const exponential = (mean) => -Math.log(1 - random()) * mean
  const warmUp = milliseconds / 5
  const end = milliseconds + warmUp
  const events = new Events()
  let now = 0

  const shared = service.sharedCores > 0 ? new Line(service.sharedCores) : null
  const database = shared ?? new Line(service.databaseCores)
  const pooler = service.poolerSize > 0 ? new Line(service.poolerSize) : null
  const gate = new Line(1)
  const nodes = Array.from({ length: service.processes }, () => new Line(1))
  const pools = nodes.map(() => new Line(service.poolSize))
  const versions = new Array(service.dataClasses).fill(0)
  const known = nodes.map(() => new Map())
  const rank = zipfian(service.filters)
  const times = { read: [], write: [] }
  const counts = { known: 0, asked: 0 }
  let open = 0

  // The log: commits that arrive while it is written wait for the next write.
  let isFlushing = false
  let nextFlush = []
  const flush = (resume) => {
    nextFlush.push(resume)
    if (!isFlushing) startFlush()
  }
  const startFlush = () => {
    isFlushing = true
    const group = nextFlush
    nextFlush = []
    events.add(now + service.flush, () => {
      isFlushing = false
      if (nextFlush.length > 0) startFlush()
      for (const resume of group) resume()
    })
  }

  const take = (line, resume) => {
    if (line.free > 0) {
      line.free--
      resume()
    } else {
      line.waiting.push(resume)
      if (now >= warmUp) line.longest = Math.max(line.longest, line.waiting.length)
    }
  }
  const give = (line) => {
    const next = line.waiting.shift()
    if (next === undefined) line.free++
    else next()
  }
  const work = (line, mean, resume) =>
    take(line, () => {
      const time = exponential(mean)
      if (now >= warmUp) line.busy += time
      events.add(now + time, () => {
        give(line)
        resume()
      })
    })

  /** The steps of a request: each starts after the one before. */
  const run = (steps) => {
    const step = steps.next()
    if (step.done) return
    const { kind, line, time } = step.value
    const resume = () => run(steps)
    if (kind === 'take') take(line, resume)
    else if (kind === 'work') work(line, time, resume)
    else if (kind === 'flush') flush(resume)
    else events.add(now + time, resume)
  }
  const taken = (line) => ({ kind: 'take', line })
  const worked = (line, time) => ({ kind: 'work', line, time })
  const passed = (time) => ({ kind: 'pass', time })

  function* request(done) {
    const began = now
    const at = Math.floor(random() * service.processes)
    const isWrite = random() < service.writeShare
    // With shared cores, requests also queue for the thread of their process.
    const node = function* (time) {
      if (shared === null) yield worked(nodes[at], time)
      else {
        yield taken(nodes[at])
        yield worked(shared, time)
        give(nodes[at])
      }
    }
    open++
    if (shared !== null) yield worked(shared, service.client)
    yield* node((isWrite ? service.nodeWrite : service.nodeRead) / 2)
    yield taken(pools[at])
    if (pooler !== null) yield taken(pooler)
    yield passed(service.roundTrip)
    if (isWrite) {
      const dataClass = Math.floor(random() * service.dataClasses)
      // The first round trip fetches and locks; the process decides; the second round trip writes.
      yield worked(database, service.databaseWrite / 2)
      yield passed(service.roundTrip)
      yield* node(service.nodeWrite / 2)
      yield worked(database, service.databaseWrite / 2)
      yield taken(gate)
      yield { kind: 'flush' }
      versions[dataClass]++
      give(gate)
    } else {
      yield worked(database, service.databaseRead)
      if (random() < service.countShare) {
        const dataClass = Math.floor(random() * service.dataClasses)
        const filter = dataClass * service.filters + rank(random)
        if (now >= warmUp) counts.asked++
        if (known[at].get(filter) === versions[dataClass]) {
          if (now >= warmUp) counts.known++
        } else {
          yield worked(database, service.databaseCount)
          known[at].set(filter, versions[dataClass])
        }
      }
    }
    if (pooler !== null) give(pooler)
    give(pools[at])
    if (!isWrite) yield* node(service.nodeRead / 2)
    open--
    if (now >= warmUp && now < end) times[isWrite ? 'write' : 'read'].push(now - began)
    done?.()
  }
  function* poll(at) {
    for (;;) {
      yield passed(1000 / service.pollsPerSecond)
      yield taken(pools[at])
      if (pooler !== null) yield taken(pooler)
      yield worked(database, service.databasePoll)
      if (pooler !== null) give(pooler)
      give(pools[at])
    }
  }

  const client = () => run(request(client))
  for (let at = 0; at < (load.clients ?? 0); at++) events.add(0, client)
  const arrive = () => {
    run(request())
    events.add(now + exponential(1000 / load.perSecond), arrive)
  }
  if (load.perSecond !== undefined) events.add(0, arrive)
  for (let at = 0; at < service.pollers; at++)
    events.add((random() * 1000) / service.pollsPerSecond, () => run(poll(at)))
  for (let event = events.next(); event !== null && event.at < end; event = events.next()) {
    now = event.at
    event.happen()
  }
  const answers = times.read.length + times.write.length
  return {
    perSecond: (1000 * answers) / milliseconds,
    commitsPerSecond: (1000 * times.write.length) / milliseconds,
    read: percentiles(times.read),
    write: percentiles(times.write),
    knownCounts: counts.asked === 0 ? 0 : counts.known / counts.asked,
    databaseBusy: database.busy / milliseconds / database.size,
    nodeBusy: nodes.reduce((sum, { busy }) => sum + busy, 0) / milliseconds / service.processes,
    waitingForGate: gate.longest,
    waitingForPooler: pooler?.longest ?? 0,
    stillOpen: open,
  }
}

function percentiles(times) {
  const sorted = Float64Array.from(times).sort()
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

/** Events by time, in a binary heap. */
class Events {
  #heap = []

  add(at, happen) {
    const heap = this.#heap
    let place = heap.length
    const event = { at, happen }
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (heap[parent].at <= at) break
      heap[place] = heap[parent]
      place = parent
    }
    heap[place] = event
  }

  next() {
    const heap = this.#heap
    if (heap.length === 0) return null
    const first = heap[0]
    const last = heap.pop()
    if (heap.length === 0) return first
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1].at < heap[child].at) child++
      if (heap[child].at >= last.at) break
      heap[place] = heap[child]
      place = child
    }
    heap[place] = last
    return first
  }
}
