import { SubjectProcess } from './subject-process.js'

/**
 * @typedef {{ kind: 'measured', value: number, rounds: readonly number[], functions: readonly object[] }
 *         | { kind: 'absent' } | { kind: 'wrong', reason: string }} Cell
 *           `value` is the median of the rounds: nanoseconds per operation, for W1m bytes per employee
 * @typedef {object} BenchResult
 * @property {import('./options.js').BenchOptions} options
 * @property {Map<string, string>} versions             by subject
 * @property {Map<string, Map<string, Cell>>} cells     by workload id, then by subject
 */

/**
 * Runs every workload on every subject: one process per subject, one of them busy at any time, rounds interleaved.
 * @param {import('./options.js').BenchOptions} options
 * @param {(step: { workload: string, done: number, total: number, doing: string }) => void} onProgress
 * @returns {Promise<BenchResult>}
 */
export async function runBenchmark(options, onProgress) {
  const total = options.workloads.length
  /** @type {SubjectProcess[]} */
  const processes = []
  const versions = new Map()
  const cells = new Map()
  try {
    for (const subject of options.subjects) {
      onProgress({ workload: 'loading', done: 0, total, doing: subject.name })
      const process = await SubjectProcess.start(subject, options.employeeCount, options.profileDirectory)
      processes.push(process)
      versions.set(subject.name, (await process.request('open')).version)
    }
    for (const [done, workload] of options.workloads.entries()) {
      const show = (doing) => onProgress({ workload: workload.id, done: done + 1, total, doing })
      const measure = workload.kind === 'memory' ? measureMemory : measureRounds
      cells.set(workload.id, await measure(workload, processes, options, show))
    }
  } finally {
    for (const process of processes) process.stop()
  }
  return { options, versions, cells }
}

/** A fresh process per subject; one look is enough, the answer hardly varies. */
async function measureMemory(_workload, _processes, options, show) {
  const cells = new Map()
  for (const subject of options.subjects) {
    show(subject.name)
    const process = await SubjectProcess.start(subject, options.employeeCount, null)
    cells.set(
      subject.name,
      await cellOf(async () => {
        const value = await process.request('memory')
        return { kind: 'measured', value, rounds: [value], functions: [] }
      }),
    )
    process.stop()
  }
  return cells
}

/** Answers are checked first; every round visits all subjects, every second one in reverse, so that none is always the first. */
async function measureRounds({ id }, processes, { rounds, milliseconds }, show) {
  const cells = new Map()
  for (const process of processes) {
    show(`${process.name}, checking`)
    cells.set(process.name, await cellOf(() => process.request('begin', { id })))
  }
  const measurements = new Map(processes.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? processes : [...processes].reverse()
    for (const process of order) {
      if (cells.get(process.name).kind !== 'right') continue
      show(`${process.name}, round ${round + 1}`)
      const cell = await cellOf(async () => {
        measurements.get(process.name).push(await process.request('measure', { id, milliseconds }))
        return { kind: 'right' }
      })
      cells.set(process.name, cell)
    }
  }
  for (const process of processes) {
    if (cells.get(process.name).kind !== 'right') continue
    show(`${process.name}, comparing the final state`)
    const verdict = await cellOf(() => process.request('settle', { id }))
    cells.set(process.name, verdict.kind === 'right' ? measuredCell(measurements.get(process.name)) : verdict)
  }
  return cells
}

function measuredCell(measurements) {
  const rounds = measurements.map(({ value }) => value)
  return { kind: 'measured', value: median(rounds), rounds, functions: measurements.at(-1).functions }
}

/** What a subject throws is a wrong answer of that subject, and no end of the run. */
async function cellOf(ask) {
  try {
    return await ask()
  } catch (error) {
    return { kind: 'wrong', reason: error.message }
  }
}

/** The middle of the values; of an even number of them the mean of the two in the middle. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
