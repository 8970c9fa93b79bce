import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PrepareError, root } from '../prepare.mjs'

/**
 * The report of a process about one seed; `expected` lists all possible outcomes.
 * @typedef {{ seed: number, commands: number, counts: [string, number][], expected: string[],
 *   failure: { path: string, commands: string, problem: string } | null }} Report
 * @typedef {{ target: string, first: number, next: number, commands: number,
 *   counts: Map<string, number>, expected: string[], failures: number,
 *   isStopped: () => boolean }} Run
 */

/** The program of a target. */
const programOf = (/** @type {string} */ target) =>
  join(root, `packages/${target === 'core' ? 'core' : 'sql'}/test/commands/long-run.ts`)

/** Programs run from their TypeScript sources, over the sources of the packages. */
const TYPESCRIPT = [
  '--conditions=entia-source',
  '--import',
  new URL('../typescript-processes.mjs', import.meta.url).href,
]
const TARGETS = ['core', 'slices', 'async', 'saved', 'sql', 'processes']

/** With fewer commands a rare outcome may be missing by chance. */
const enoughForAll = 300_000

/**
 * Runs commands and prints the counts by kind and outcome. Returns true if no target differs from
 * what it is compared with, and every kind of command and every outcome occurred. `core` is the
 * store against plain arrays (packages/core/test/commands), and each of its seeds stands for 100
 * lists; `slices`, `async`, `saved`, `sql` and `processes` answer requests as a store in memory
 * does (packages/sql/test/commands). Ctrl-C ends the run and prints the counts so far.
 * @param {{ readonly target: string, readonly commands: number, readonly workers: number,
 *   readonly seed: string, readonly path: string }} options
 */
export async function main({ target, commands, workers: most, seed, path }) {
  const first = seed === '' ? 1 + Math.floor(Math.random() * 1_000_000_000) : Number(seed)
  const wanted = path === '' ? commands : 1
  const targets = target.split(',')
  let holds = true
  const unknown = targets.find((target) => !TARGETS.includes(target))
  if (unknown !== undefined)
    throw new PrepareError(`--target is "${unknown}". Give some of ${TARGETS.join(', ')}.`)
  // Print the counts so far also after Ctrl-C.
  let isStopped = false
  process.once('SIGINT', () => {
    isStopped = true
  })
  for (const target of targets) {
    /** @type {Run} */
    const run = {
      target,
      first,
      next: first,
      commands: 0,
      counts: new Map(),
      expected: [],
      failures: 0,
      isStopped: () => isStopped,
    }
    const share = Math.ceil(wanted / targets.length)
    const began = performance.now()
    const workers = wanted === 1 ? 1 : most
    await Promise.all(Array.from({ length: workers }, () => work(run, share, path)))
    const seconds = (performance.now() - began) / 1000
    holds = report(run, seconds, share) && holds
  }
  return holds
}

/**
 * Runs one process and sends it seeds until enough commands have run.
 * @param {Run} run
 * @param {number} wanted
 * @param {string} path
 */
async function work(run, wanted, path) {
  const parameters = run.target === 'core' ? [path] : [run.target]
  const child = spawn(process.execPath, [...TYPESCRIPT, programOf(run.target), ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const feed = () => {
    const isDone =
      run.isStopped() ||
      run.failures > 0 ||
      run.commands >= wanted ||
      (wanted === 1 && run.next > run.first)
    if (isDone) child.stdin.end()
    else child.stdin.write(`${run.next++}\n`)
  }
  feed()
  for await (const line of createInterface({ input: child.stdout })) {
    /** @type {Report} */
    const report = JSON.parse(line)
    const before = run.commands
    run.commands += report.commands
    run.expected = report.expected
    for (const [name, count] of report.counts)
      run.counts.set(name, (run.counts.get(name) ?? 0) + count)
    if (Math.floor(before / 100_000) < Math.floor(run.commands / 100_000))
      console.log(`${run.commands} commands`)
    if (report.failure !== null) {
      run.failures++
      console.log(`\nDIVERGED: ${report.failure.problem}\n${report.failure.commands}`)
      const again = report.failure.path === '' ? '--commands 1' : `--path ${report.failure.path}`
      console.log(
        `npm run test:long -- commands --target ${run.target} --seed ${report.seed} ${again}\n`,
      )
    }
    feed()
  }
  const status = await ended
  if (status !== 0) throw new Error(`a process of the long run exited with ${status}`)
}

/**
 * Prints the counts. Returns true if there is no failure.
 * @param {Run} run
 * @param {number} seconds
 * @param {number} wanted
 */
function report(run, seconds, wanted) {
  for (const [name, count] of [...run.counts].sort())
    console.log(`${String(count).padStart(9)}  ${name}`)
  const missing = run.expected.filter((name) => !run.counts.has(name))
  const strange = [...run.counts.keys()].filter(
    (name) => !run.expected.includes(name) && !name.endsWith(' refused'),
  )
  if (missing.length > 0) console.log(`never occurred: ${missing.join(', ')}`)
  if (strange.length > 0) console.log(`not expected: ${strange.join(', ')}`)
  const speed = Math.round(run.commands / seconds)
  console.log(
    `${run.commands} commands of seeds ${run.first} to ${run.next - 1} in ${Math.round(seconds)} s (${speed} a second), ${run.failures} diverged`,
  )
  const areAllHit = strange.length === 0 && (missing.length === 0 || wanted < enoughForAll)
  return run.failures === 0 && areAllHit && run.commands >= wanted
}
