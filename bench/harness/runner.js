import { SubjectProcess, TimeoutError } from './subject-process.js'

/**
 * A peer that is this many times slower than the best gets one round; one that is half as far
 * behind gets three.
 */
const singleRoundRatio = 100
const farRatio = 10
const roundsWhenFar = 3
/**
 * The maximum time of a peer for one workload: further rounds of a slower one would not change the
 * result.
 */
const maxPeerMilliseconds = 3_000

/**
 * @typedef {{ kind: 'measured', value: number, rounds: readonly number[], functions: readonly
 * object[] }
 *         | { kind: 'absent' } | { kind: 'timeout' } | { kind: 'wrong', reason: string }} Cell
 *           `value` is the median of the rounds: nanoseconds per operation, for W1m bytes per employee
 * @typedef {object} BenchResult
 * @property {import('./options.js').BenchOptions} options
 * @property {Map<string, string>} versions             by subject, for those that started
 * @property {Map<string, string>} missing              the reasons for the others, by subject
 * @property {Map<string, Map<string, Cell>>} cells     by workload id, then by subject
 * @property {number} seconds                           of the whole run
 */

/**
 * Runs every workload on every subject, with one process per subject, one busy process at a time,
 * and alternating rounds.
 * @param {import('./options.js').BenchOptions} options
 * @param {(step: { workload: string, done: number, total: number, doing: string }) => void}
 * onProgress
 * @returns {Promise<BenchResult>}
 */
export async function runBenchmark(options, onProgress) {
  const started = performance.now()
  const total = options.workloads.length
  /** @type {SubjectProcess[]} */
  const processes = []
  const versions = new Map()
  const missing = new Map()
  const cells = new Map()
  let done = 0
  try {
    for (const subject of options.subjects) {
      onProgress({ workload: 'loading', done, total, doing: subject.name })
      try {
        const process = await startProcess(subject, options)
        processes.push(process)
        process.loadNanoseconds = (await process.request('open')).loadNanoseconds
        versions.set(subject.name, process.version)
      } catch (error) {
        // Keep the version of a subject that times out while loading, so that each workload shows
        // the time-out.
        if (error instanceof TimeoutError) versions.set(subject.name, processes.at(-1).version)
        else missing.set(subject.name, error.message.split('\n', 1)[0])
      }
    }
    const running = processes.filter(({ name }) => versions.has(name))
    const measure = async (workload, measureOne) => {
      const show = (doing) => onProgress({ workload: workload.id, done, total, doing })
      done++
      cells.set(workload.id, await measureOne(workload, running, options, show))
    }
    const isOfMemory = ({ kind }) => kind === 'memory'
    for (const workload of options.workloads)
      if (!isOfMemory(workload)) await measure(workload, measureRounds)
    // Stop the processes, so that the memory measurement has the machine's memory to itself.
    for (const process of processes) process.stop()
    for (const workload of options.workloads)
      if (isOfMemory(workload)) await measure(workload, measureMemory)
  } finally {
    for (const process of processes) process.stop()
  }
  return { options, versions, missing, cells, seconds: (performance.now() - started) / 1000 }
}

function startProcess(subject, { employeeCount, peerSeconds, profileDirectory }) {
  const seconds = subject.isPeer ? peerSeconds : Number.POSITIVE_INFINITY
  return SubjectProcess.start(subject, subject.employeeCount ?? employeeCount, {
    seconds,
    profileDirectory,
  })
}

/**
 * Measures memory once in a fresh process per subject: repetitions hardly vary. A peer gets its
 * remaining time.
 */
async function measureMemory(_workload, processes, options, show) {
  const cells = new Map()
  for (const { name, subject, secondsLeft } of processes) {
    show(name)
    const fresh = await SubjectProcess.start(
      subject,
      subject.employeeCount ?? options.employeeCount,
      {
        seconds: secondsLeft,
      },
    )
    const cell = await cellOf(async () => {
      const value = await fresh.request('memory')
      return value === null
        ? { kind: 'absent' }
        : { kind: 'measured', value, rounds: [value], functions: [] }
    })
    cells.set(name, cell)
    fresh.stop()
  }
  return cells
}

/**
 * Checks the answers, then measures rounds over all subjects. Every second round runs in reverse,
 * so that no subject is always first.
 */
async function measureRounds({ id, kind }, processes, { rounds, milliseconds }, show) {
  const cells = new Map()
  for (const process of processes) {
    show(`${process.name}, checking`)
    cells.set(process.name, await cellOf(() => process.request('begin', { id })))
  }
  const measurements = new Map(processes.map(({ name }) => [name, []]))
  const spent = new Map(processes.map(({ name }) => [name, 0]))
  if (kind === 'load') {
    // The loaded data counts as the first round, so a slow peer does not load again.
    for (const { name, subject, loadNanoseconds } of processes) {
      if (!subject.isPeer || !(loadNanoseconds > maxPeerMilliseconds * 1e6)) continue
      measurements.get(name).push({ value: loadNanoseconds, functions: [] })
      spent.set(name, loadNanoseconds / 1e6)
    }
  }
  const best = () =>
    Math.min(
      ...[...measurements.values()].flatMap((taken) => (taken.length > 0 ? taken[0].value : [])),
    )
  const isDone = ({ name, subject }) => {
    const taken = measurements.get(name)
    if (taken.length === 0 || !subject.isPeer) return false
    const behind = taken[0].value / best()
    return (
      behind > singleRoundRatio ||
      (behind > farRatio && taken.length >= roundsWhenFar) ||
      spent.get(name) > maxPeerMilliseconds
    )
  }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? processes : [...processes].reverse()
    for (const process of order) {
      const { name } = process
      if (cells.get(name).kind !== 'right' || isDone(process)) continue
      show(`${name}, round ${round + 1}`)
      const started = performance.now()
      const cell = await cellOf(async () => {
        measurements.get(name).push(await process.request('measure', { id, milliseconds }))
        return { kind: 'right' }
      })
      spent.set(name, spent.get(name) + performance.now() - started)
      cells.set(name, cell)
    }
  }
  for (const process of processes) {
    if (cells.get(process.name).kind !== 'right') continue
    show(`${process.name}, comparing the final state`)
    const verdict = await cellOf(() => process.request('settle', { id }))
    cells.set(
      process.name,
      verdict.kind === 'right' ? measuredCell(measurements.get(process.name)) : verdict,
    )
  }
  return cells
}

function measuredCell(measurements) {
  const rounds = measurements.map(({ value }) => value)
  return {
    kind: 'measured',
    value: median(rounds),
    rounds,
    functions: measurements.at(-1).functions,
  }
}

/** An error of a subject counts as its wrong answer and does not end the run. */
async function cellOf(ask) {
  try {
    return await ask()
  } catch (error) {
    return error instanceof TimeoutError
      ? { kind: 'timeout' }
      : { kind: 'wrong', reason: error.message }
  }
}

/** The median; the mean of the two middle values for an even number of values. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
