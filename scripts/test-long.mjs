/**
 * `npm run test:long`: runs millions of commands and prints the counts by kind and outcome. Fails
 * if a target differs from what it is compared with, or if a kind of command or an outcome never
 * occurred.
 *
 *   --target core         which targets, one after the other, each with its share of the commands:
 *                         `core` is the store against plain arrays (packages/core/test/commands);
 *                         `slices`, `async`, `saved`, `sql` and `processes` answer requests as a store
 *                         in memory does (packages/sql/test/commands); the last two use DATABASE_URL
 *   --commands 1000000    the minimum number of commands in total
 *   --workers 2           parallel processes
 *   --seed 1              the first seed, random by default; each seed of core stands for 100 lists
 *   --path 12:3:0         with --seed: replays only the divergence
 *
 * Ctrl-C ends the run and prints the counts so far.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { checkNode, ensureInstalled, root, runMain } from './prepare.mjs'

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'core' },
    commands: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '2' },
    seed: { type: 'string' },
    path: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

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
  new URL('./typescript-processes.mjs', import.meta.url).href,
]
const TARGETS = ['core', 'slices', 'async', 'saved', 'sql', 'processes']

/** With fewer commands a rare outcome may be missing by chance. */
const enoughForAll = 300_000

await runMain(async () => {
  checkNode()
  ensureInstalled()
  if (values.help) {
    console.log(
      'npm run test:long -- [--target core] [--commands 1000000] [--workers 2] [--seed <number> [--path <path>]]',
    )
    return
  }
  const first =
    values.seed === undefined ? 1 + Math.floor(Math.random() * 1_000_000_000) : Number(values.seed)
  const wanted = values.path === '' ? numberOf('commands') : 1
  const targets = values.target.split(',')
  const unknown = targets.find((target) => !TARGETS.includes(target))
  if (unknown !== undefined)
    throw new Error(`--target is "${unknown}". Give some of ${TARGETS.join(', ')}.`)
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
    const workers = wanted === 1 ? 1 : numberOf('workers')
    await Promise.all(Array.from({ length: workers }, () => work(run, share)))
    const seconds = (performance.now() - began) / 1000
    if (!report(run, seconds, share)) process.exitCode = 1
  }
})

/** @param {'commands' | 'workers'} name */
function numberOf(name) {
  const number = Number(values[name])
  if (Number.isInteger(number) && number > 0) return number
  throw new Error(`--${name} takes a whole number above 0`)
}

/**
 * Runs one process and sends it seeds until enough commands have run.
 * @param {Run} run
 * @param {number} wanted
 */
async function work(run, wanted) {
  const parameters = run.target === 'core' ? [values.path] : [run.target]
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
      const path = report.failure.path === '' ? '--commands 1' : `--path ${report.failure.path}`
      console.log(`npm run test:long -- --target ${run.target} --seed ${report.seed} ${path}\n`)
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
