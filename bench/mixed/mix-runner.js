import { fileURLToPath } from 'node:url'
import { median } from '../harness/runner.js'
import { SubjectProcess, TimeoutError } from '../harness/subject-process.js'
import { ExpectedAnswers } from './expected-answers.js'

const childModule = fileURLToPath(new URL('./mix-child.js', import.meta.url))
/** The number of answers to compare, for subjects that are fast enough. */
const answersCompared = 1_000
const comparingMilliseconds = 3_000
/** The warm-up in rounds: the compiler needs this long for all kinds of operations. */
const warmUpRounds = 1.5

/**
 * `perSecond` uses the processor time of the thread, `perSecondOfClock` the elapsed time.
 * @typedef {{ kind: 'measured', perSecond: number, rounds: readonly number[], perSecondOfClock:
 * number, compared: number, latencies: Record<string, import('./latencies.js').LatencySummary>,
 * functions: readonly object[] }
 *   | { kind: 'absent', missing: readonly string[] } | { kind: 'timeout' } | { kind: 'wrong', reason: string }} MixCell
 *
 * @typedef {object} MixResult
 * @property {string} id
 * @property {string} title
 * @property {number} rows
 * @property {Record<string, MixCell>} results   by subject
 */

/**
 * Runs one mix on every subject, each in its own process: compares answers first, then alternates
 * rounds.
 * @param {import('./mixes/mix.js').Mix} mix
 * @param {import('./mix-options.js').MixOptions} options
 * @param {(doing: string) => void} show
 * @returns {Promise<MixResult & { versions: Map<string, string>, missing: Map<string, string> }>}
 */
export async function runMix(mix, options, show) {
  const rows = mix.rows === undefined ? options.rows : Math.min(mix.rows, options.rows)
  show('reference')
  const expected = new ExpectedAnswers(mix, rows, answersCompared)
  const running = []
  const cells = new Map()
  const versions = new Map()
  const missing = new Map()
  try {
    for (const subject of options.subjects) {
      show(`${subject.name}, loading`)
      let process
      try {
        process = await startProcess(subject, rows, options)
      } catch (error) {
        missing.set(subject.name, error.message.split('\n', 1)[0])
        continue
      }
      versions.set(subject.name, process.version)
      const run = { process, rounds: [], workedRounds: [], compared: 0, functions: [] }
      cells.set(subject.name, await cellOf(() => begin(run, mix, expected, options, show)))
      if (cells.get(subject.name).kind === 'right') running.push(run)
      else process.stop()
    }
    for (let round = 0; round < options.rounds; round++) {
      for (const run of round % 2 === 0 ? running : [...running].reverse()) {
        const { name } = run.process
        if (cells.get(name).kind !== 'right') continue
        show(`${name}, round ${round + 1}`)
        cells.set(name, await cellOf(() => measure(run, options)))
      }
    }
    for (const run of running) {
      const { name } = run.process
      if (cells.get(name).kind !== 'right') continue
      show(`${name}, comparing the final state`)
      cells.set(name, await cellOf(() => settle(run, expected)))
    }
  } finally {
    for (const { process } of running) process.stop()
  }
  return {
    id: mix.id,
    title: mix.title,
    rows,
    results: Object.fromEntries(cells),
    versions,
    missing,
  }
}

/** Starts the process of a subject. @returns {Promise<SubjectProcess>} */
export function startProcess(subject, rows, { peerSeconds, profileDirectory }) {
  const seconds = subject.isPeer ? peerSeconds : Number.POSITIVE_INFINITY
  return SubjectProcess.start(subject, rows, { seconds, profileDirectory, module: childModule })
}

async function begin(run, mix, expected, { milliseconds }, show) {
  const { process } = run
  const { missing } = await process.request('open', { id: mix.id })
  if (missing.length > 0) return { kind: 'absent', missing }
  show(`${process.name}, comparing answers`)
  const count = expected.texts.length
  const found = await process.request('answers', { count, milliseconds: comparingMilliseconds })
  run.compared = found.length
  const fault = expected.findFault(found)
  if (fault !== null) return { kind: 'wrong', reason: fault }
  await process.request('warmUp', { milliseconds: milliseconds * warmUpRounds })
  return { kind: 'right' }
}

async function measure(run, { milliseconds }) {
  const {
    operations,
    nanoseconds,
    worked,
    functions = [],
  } = await run.process.request('measure', { milliseconds })
  run.rounds.push((operations / nanoseconds) * 1e9)
  run.workedRounds.push((operations / (worked ?? nanoseconds)) * 1e9)
  run.functions = functions
  return { kind: 'right' }
}

async function settle({ process, rounds, workedRounds, compared, functions }, expected) {
  const { latencies, operations, digest } = await process.request('settle')
  const wanted = expected.digestAfter(operations)
  if (digest !== wanted) {
    return {
      kind: 'wrong',
      reason: `after ${operations} operations the rows are ${digest}, expected ${wanted}`,
    }
  }
  return {
    kind: 'measured',
    perSecond: median(workedRounds),
    rounds: workedRounds,
    perSecondOfClock: median(rounds),
    compared,
    latencies,
    functions,
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
