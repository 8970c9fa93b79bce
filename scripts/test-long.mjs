/**
 * `npm run test:long`: runs millions of commands on a store and on a model of plain arrays
 * (packages/core/test/commands), in several processes. Prints the counts by kind and outcome. Fails
 * if the store and the model differ, or if a kind of command or an outcome never occurred.
 *
 *   --commands 1000000   the minimum number of commands in total
 *   --workers 2          parallel processes
 *   --seed 1             the first seed, random by default; each seed stands for 100 lists of commands
 *   --path 12:3:0        with --seed: replays only the divergence
 *
 * Ctrl-C ends the run and prints the counts so far.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { checkNode, ensureInstalled, root, runMain } from './prepare.mjs'

const { values } = parseArgs({
  options: {
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
 * @typedef {{ first: number, next: number, commands: number, counts: Map<string, number>, expected:
 * string[], failures: number, isStopped: boolean }} Run
 */

/** With fewer commands a rare outcome may be missing by chance. */
const enoughForAll = 300_000

await runMain(async () => {
  checkNode()
  ensureInstalled()
  if (values.help) {
    console.log(
      'npm run test:long -- [--commands 1000000] [--workers 2] [--seed <number> [--path <path>]]',
    )
    return
  }
  const first =
    values.seed === undefined ? 1 + Math.floor(Math.random() * 1_000_000_000) : Number(values.seed)
  const wanted = values.path === '' ? numberOf('commands') : 1
  const folder = mkdtempSync(join(tmpdir(), 'entia-long-'))
  try {
    const program = await bundle(folder)
    /** @type {Run} */
    const run = {
      first,
      next: first,
      commands: 0,
      counts: new Map(),
      expected: [],
      failures: 0,
      isStopped: false,
    }
    const began = performance.now()
    // Print the counts so far also after Ctrl-C.
    process.once('SIGINT', () => {
      run.isStopped = true
    })
    const workers = values.path === '' ? numberOf('workers') : 1
    await Promise.all(Array.from({ length: workers }, () => work(program, run, wanted)))
    const seconds = (performance.now() - began) / 1000
    process.exitCode = report(run, seconds, wanted) ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** @param {'commands' | 'workers'} name */
function numberOf(name) {
  const number = Number(values[name])
  if (Number.isInteger(number) && number > 0) return number
  throw new Error(`--${name} takes a whole number above 0`)
}

/**
 * Bundles the tests of packages/core/test/commands into one program for Node.
 * @param {string} folder
 */
async function bundle(folder) {
  const { build } = await import('esbuild')
  const outfile = join(folder, 'long-run.mjs')
  await build({
    entryPoints: [join(root, 'packages/core/test/commands/long-run.ts')],
    conditions: ['entia-source'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile,
    absWorkingDir: root,
    logLevel: 'warning',
  })
  return outfile
}

/**
 * Runs one process and sends it seeds until enough commands have run.
 * @param {string} program
 * @param {Run} run
 * @param {number} wanted
 */
async function work(program, run, wanted) {
  const child = spawn(process.execPath, [program, values.path], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const feed = () => {
    const isDone =
      run.isStopped ||
      run.failures > 0 ||
      run.commands >= wanted ||
      (values.path !== '' && run.next > run.first)
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
      console.log(`npm run test:long -- --seed ${report.seed} --path ${report.failure.path}\n`)
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
  const strange = [...run.counts.keys()].filter((name) => !run.expected.includes(name))
  if (missing.length > 0) console.log(`never occurred: ${missing.join(', ')}`)
  if (strange.length > 0)
    console.log(`missing in packages/core/test/commands/outcomes.ts: ${strange.join(', ')}`)
  const speed = Math.round(run.commands / seconds)
  console.log(
    `${run.commands} commands of seeds ${run.first} to ${run.next - 1} in ${Math.round(seconds)} s (${speed} a second), ${run.failures} diverged`,
  )
  const areAllHit = strange.length === 0 && (missing.length === 0 || wanted < enoughForAll)
  return run.failures === 0 && areAllHit && run.commands >= wanted
}
