/**
 * `npm run test:long`: commands by the million, done to a store and to a model of plain arrays (packages/core/test/commands), in several
 * processes at once. Ends with what was done, by kind and by outcome; fails where store and model differ, and where some kind of command or outcome
 * never came.
 *
 *   --commands 1000000   how many at least, in all
 *   --workers 2          processes at once
 *   --seed 1             the first seed; each seed stands for 100 lists of commands, and the next ones follow. Random by default
 *   --path 12:3:0        with --seed: replays what diverged, and nothing else
 *
 * Ctrl-C ends it with what was done so far.
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
 * What a process reports of one seed; `expected` are all outcomes there can be.
 * @typedef {{ seed: number, commands: number, counts: [string, number][], expected: string[],
 *   failure: { path: string, commands: string, problem: string } | null }} Report
 * @typedef {{ first: number, next: number, commands: number, counts: Map<string, number>, expected: string[], failures: number,
 *   isStopped: boolean }} Run
 */

/** With fewer commands than this a rare outcome may well not come. */
const enoughForAll = 300_000

await runMain(async () => {
  checkNode()
  ensureInstalled()
  if (values.help) {
    console.log('npm run test:long -- [--commands 1000000] [--workers 2] [--seed <number> [--path <path>]]')
    return
  }
  const first = values.seed === undefined ? 1 + Math.floor(Math.random() * 1_000_000_000) : Number(values.seed)
  const wanted = values.path === '' ? numberOf('commands') : 1
  const folder = mkdtempSync(join(tmpdir(), 'entia-long-'))
  try {
    const program = await bundle(folder)
    /** @type {Run} */
    const run = { first, next: first, commands: 0, counts: new Map(), expected: [], failures: 0, isStopped: false }
    const began = performance.now()
    // Who has waited long enough still wants to know what was done.
    process.once('SIGINT', () => {
      run.isStopped = true
    })
    const workers = values.path === '' ? numberOf('workers') : 1
    await Promise.all(Array.from({ length: workers }, () => work(program, run, wanted)))
    const seconds = (performance.now() - began) / 1000
    process.exitCode = tell(run, seconds, wanted) ? 0 : 1
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
 * The tests of packages/core/test/commands as one program that node runs.
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
 * One process, fed with seeds until there were commands enough.
 * @param {string} program
 * @param {Run} run
 * @param {number} wanted
 */
async function work(program, run, wanted) {
  const child = spawn(process.execPath, [program, values.path], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const feed = () => {
    const isDone =
      run.isStopped || run.failures > 0 || run.commands >= wanted || (values.path !== '' && run.next > run.first)
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
    for (const [name, count] of report.counts) run.counts.set(name, (run.counts.get(name) ?? 0) + count)
    if (Math.floor(before / 100_000) < Math.floor(run.commands / 100_000)) console.log(`${run.commands} commands`)
    if (report.failure !== null) {
      run.failures++
      console.log(`\nDIVERGED: ${report.failure.problem}\n${report.failure.commands}`)
      console.log(`npm run test:long -- --seed ${report.seed} --path ${report.failure.path}\n`)
    }
    feed()
  }
  const status = await ended
  if (status !== 0) throw new Error(`a process of the long run ended with ${status}`)
}

/**
 * Prints what was done; true when all is well.
 * @param {Run} run
 * @param {number} seconds
 * @param {number} wanted
 */
function tell(run, seconds, wanted) {
  for (const [name, count] of [...run.counts].sort()) console.log(`${String(count).padStart(9)}  ${name}`)
  const missing = run.expected.filter((name) => !run.counts.has(name))
  const strange = [...run.counts.keys()].filter((name) => !run.expected.includes(name))
  if (missing.length > 0) console.log(`never came: ${missing.join(', ')}`)
  if (strange.length > 0) console.log(`not known to packages/core/test/commands/outcomes.ts: ${strange.join(', ')}`)
  const speed = Math.round(run.commands / seconds)
  console.log(
    `${run.commands} commands of seeds ${run.first} to ${run.next - 1} in ${Math.round(seconds)} s (${speed} a second), ${run.failures} diverged`,
  )
  const areAllHit = strange.length === 0 && (missing.length === 0 || wanted < enoughForAll)
  return run.failures === 0 && areAllHit && run.commands >= wanted
}
