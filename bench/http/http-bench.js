import { makeData } from '../data.js'
import { median } from '../harness/runner.js'
import { Reference } from '../workloads/reference.js'
import { chooseClient } from './clients.js'
import { requestKinds, titles } from './requests.js'
import { ServerProcess } from './server-process.js'

/** A server that is slower than this per request gets sequential requests and one round. */
const slowMilliseconds = 50
const sequentialRequests = 3

/**
 * @typedef {object} HttpOptions
 * @property {readonly { name: string, url: string }[]} servers `raw` first: it is the base of the
 * ratios
 * @property {readonly string[]} kinds
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} connections
 * @property {number} employeeCount
 * @property {string | null} profileDirectory
 *
 * @typedef {object} Measured
 * @property {number} perSecond        median of the rounds
 * @property {number} ofRaw            median of the ratios to raw in the same round
 * @property {number} p99              milliseconds, median of the rounds
 * @property {readonly number[]} rounds
 * @property {boolean} isSequential    requests were sent sequentially
 *
 * @typedef {object} HttpResult
 * @property {string} client
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} connections
 * @property {number} employeeCount
 * @property {readonly { name: string, version: string }[]} servers
 * @property {readonly { kind: string, title: string, results: Record<string, Measured> }[]} kinds
 * @property {readonly string[]} faults
 * @property {readonly { kind: string, functions: readonly { name: string, share: number }[] }[]}
 * profiles
 */

/**
 * Sends the same requests to every server. It compares the responses with the data first, then
 * measures alternating rounds.
 * @param {HttpOptions} options
 * @param {(step: { workload: string, done: number, total: number, doing: string }) => void}
 * onProgress
 * @returns {Promise<HttpResult>}
 */
export async function runHttpBench(options, onProgress) {
  const { employeeCount, kinds, rounds, seconds, connections } = options
  const reference = new Reference(makeData(employeeCount))
  const faults = []
  const processes = []
  const client = chooseClient()
  try {
    for (const { name, url } of options.servers) {
      onProgress({ workload: 'starting', done: 0, total: kinds.length, doing: name })
      try {
        const { default: server } = await import(url)
        processes.push(await ServerProcess.start({ server, url }, employeeCount))
      } catch (error) {
        faults.push(`${name} could not be started: ${error.message.split('\n', 1)[0]}`)
      }
    }
    const found = []
    const profiles = []
    for (const [done, kind] of kinds.entries()) {
      const show = (doing) =>
        onProgress({ workload: titles.get(kind), done: done + 1, total: kinds.length, doing })
      const prepared = await prepare(kind, processes, reference, faults, show)
      const results = await measureKind(prepared, client, options, show)
      found.push({ kind, title: titles.get(kind), results })
      const ours = prepared.find(({ process }) => process.server.name === 'entia')
      if (options.profileDirectory !== null && ours !== undefined) {
        const work = () =>
          client.measure(ours.process.origin, ours.requests, { connections, seconds })
        profiles.push({
          kind,
          functions: (await ours.process.profiled(options.profileDirectory, kind, work)).functions,
        })
      }
    }
    const servers = processes.map(({ server: { name, version } }) => ({ name, version }))
    return {
      client: client.name,
      rounds,
      seconds,
      connections,
      employeeCount,
      servers,
      kinds: found,
      faults,
      profiles,
    }
  } finally {
    client.close()
    for (const process of processes) process.stop()
  }
}

/** The requests of one kind for each server that supports it and answers correctly. */
async function prepare(kind, processes, reference, faults, show) {
  const prepared = []
  for (const process of processes) {
    const { server, origin } = process
    const requests = requestKinds.get(kind)(server, reference)
    if (requests === null) continue
    show(`${server.name}, checking`)
    const started = performance.now()
    const first = await ask(origin, requests, requests.paths[0])
    const milliseconds = performance.now() - started
    // `raw` is the base of the ratios, so it runs in every round even on a busy machine.
    const mayBeSlow = server.isPrepared !== true && milliseconds > slowMilliseconds
    const isSlow = mayBeSlow && (await timeOne(origin, requests)) > slowMilliseconds
    const paths = isSlow ? [] : requests.paths.slice(1)
    const answers = [first]
    for (const path of paths) answers.push(await ask(origin, requests, path))
    const fault = server.isPrepared ? null : requests.findFault(answers)
    if (fault === null) prepared.push({ process, requests, isSlow })
    else faults.push(`WRONG ${kind} ${server.name}: ${fault}`)
  }
  return prepared
}

async function measureKind(prepared, client, { rounds, seconds, connections }, show) {
  const settings = { connections, seconds }
  const taken = new Map(prepared.map(({ process }) => [process.server.name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { process, requests, isSlow } of round % 2 === 0
      ? prepared
      : [...prepared].reverse()) {
      const { name } = process.server
      if (isSlow && round > 0) continue
      show(`${name}, round ${round + 1}`)
      if (isSlow) {
        taken.get(name).push(await measureSequentially(process.origin, requests))
        continue
      }
      // The first round includes a warm-up.
      if (round === 0) await client.measure(process.origin, requests, settings)
      taken.get(name).push(await client.measure(process.origin, requests, settings))
    }
  }
  const raw = taken.get('raw')
  return Object.fromEntries(
    prepared.map(({ process, isSlow }) => {
      const loads = taken.get(process.server.name)
      const ratios = loads.map(({ perSecond }, round) => perSecond / raw[round].perSecond)
      return [
        process.server.name,
        {
          perSecond: median(loads.map(({ perSecond }) => perSecond)),
          ofRaw: median(ratios),
          p99: median(loads.map(({ p99 }) => p99)),
          rounds: loads.map(({ perSecond }) => perSecond),
          isSequential: isSlow,
        },
      ]
    }),
  )
}

async function measureSequentially(origin, requests) {
  const times = []
  for (let i = 0; i < sequentialRequests; i++) times.push(await timeOne(origin, requests))
  return { perSecond: 1000 / median(times), p99: Math.max(...times) }
}

async function timeOne(origin, requests) {
  const started = performance.now()
  await ask(origin, requests, requests.paths[0])
  return performance.now() - started
}

async function ask(origin, { method, body }, path) {
  const headers = body === null ? {} : { 'content-type': 'application/json' }
  const response = await fetch(origin + path, { method, headers, body })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
