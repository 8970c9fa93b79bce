import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { listFaults, makeReport } from './report.js'
import { median, runBenchmark } from './runner.js'
import { formatDuration, markdownTable } from './text-table.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const subjectFile = 'bench/subjects/entia.js'
const subjectNeeds = ['bench/data-classes.js', 'bench/package-version.js']
/** A workload that is so many times slower in the median has become slower. */
const slowerFrom = 1.25
/** Noise makes rounds slower, hardly ever faster: when the fastest rounds differ by less than this, the difference may be noise. */
const noiseBelow = 1.1

/**
 * Compares the build of this checkout with the build of a git reference, in one run with rounds in turn. What looks slower is measured
 * again in fresh processes with twice the rounds, and counts as slower only when it is so both times.
 *
 * Each build is asked through its own subject module, so that each is used as it wants to be; workloads, data and clock are of this checkout.
 * @param {import('./options.js').BenchOptions} options
 * @param {{ show(step: object): void, clear(): void }} progress
 * Throws when git knows no such commit, or it cannot be built.
 * @returns {Promise<{ text: string, hasSlowed: boolean, reports: readonly import('./report.js').Report[] }>}
 */
export async function compareBuilds(options, progress) {
  progress.show({ workload: 'building', done: 0, total: options.workloads.length, doing: options.against })
  try {
    return await withReferenceBuild(options.against, { subjectFile, subjectNeeds }, async (subjects, commit) => {
      const first = makeReport(await runBenchmark({ ...options, subjects }, progress.show))
      const compared = first.workloads.map(compare)
      const suspects = compared.filter(({ isSlower }) => isSlower).map(({ id }) => id)
      if (suspects.length === 0) return finish([first], compared, commit)

      const workloads = options.workloads.filter(({ id }) => suspects.includes(id))
      const again = { ...options, subjects, workloads, rounds: options.rounds * 2 }
      const second = makeReport(await runBenchmark(again, progress.show))
      const repeated = new Map(second.workloads.map((workload) => [workload.id, compare(workload)]))
      return finish(
        [first, second],
        compared.map((found) => repeated.get(found.id) ?? found),
        commit,
      )
    })
  } finally {
    progress.clear()
  }
}

/**
 * Builds the commit of a git reference in a worktree beside this checkout, and removes it when the work is done.
 * Throws when git knows no such commit, or it cannot be built.
 * @template T
 * @param {string} reference
 * @param {{ subjectFile: string, subjectNeeds: readonly string[] }} files
 *        the module that asks a build, by its path in a checkout, and what that imports
 * @param {(subjects: readonly { name: string, url: string }[], commit: string) => Promise<T>} work
 *        gets the subjects `before` and `now`
 * @returns {Promise<T>}
 */
export async function withReferenceBuild(reference, files, work) {
  const commit = commitOf(reference)
  const folder = mkdtempSync(join(tmpdir(), 'entia-against-'))
  try {
    buildReference(commit, folder, files)
    const subjects = [
      { name: 'before', url: pathToFileURL(join(folder, files.subjectFile)).href },
      { name: 'now', url: pathToFileURL(join(root, files.subjectFile)).href },
    ]
    return await work(subjects, commit)
  } finally {
    git('worktree', 'remove', '--force', folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Throws when git knows no such commit. */
function commitOf(reference) {
  try {
    return git('rev-parse', '--verify', '--short', `${reference}^{commit}`).trim()
  } catch {
    throw new Error(`--against: git knows no commit ${reference}.`)
  }
}

/** Puts the commit into a worktree with its own core, and everything else as it is installed here. */
function buildReference(commit, folder, { subjectFile, subjectNeeds }) {
  git('worktree', 'add', '--detach', '--force', folder, commit)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@entia'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@entia') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  symlinkSync(join(folder, 'packages/core'), join(modules, '@entia/core'))
  // A reference from before there were bundles is built by tsc alone.
  const build = join(folder, 'scripts/build.mjs')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, existsSync(build) ? [build, 'core'] : [tsc, '-b', 'packages/core'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  // A reference from before there was a benchmark is asked as this checkout is.
  if (existsSync(join(folder, subjectFile))) return
  for (const file of [subjectFile, ...subjectNeeds]) {
    if (!existsSync(join(folder, file))) cpSync(join(root, file), join(folder, file))
  }
}

/**
 * @typedef {object} Comparison
 * @property {string} id
 * @property {string} title
 * @property {string} before       as text
 * @property {string} now
 * @property {number | null} ratio  now/before: the median over the rounds; null when one of them is not measured
 * @property {boolean} isSlower
 */

/** @returns {Comparison} */
function compare({ id, title, unit, results }) {
  const { before, now } = results
  const show = (cell) =>
    cell === undefined
      ? 'n/a'
      : cell.kind === 'measured'
        ? format(cell.value, unit)
        : cell.kind === 'wrong'
          ? 'WRONG'
          : 'n/a'
  const described = { id, title, before: show(before), now: show(now) }
  // An answer that has become wrong is worse than a slow one.
  if (now === undefined || now.kind === 'wrong') return { ...described, ratio: null, isSlower: true }
  if (before?.kind !== 'measured' || now.kind !== 'measured') return { ...described, ratio: null, isSlower: false }
  const rounds = Math.min(before.rounds.length, now.rounds.length)
  const ratio = median(now.rounds.slice(0, rounds).map((value, round) => value / before.rounds[round]))
  const ofFastest = Math.min(...now.rounds) / Math.min(...before.rounds)
  return { ...described, ratio, isSlower: ratio > slowerFrom && ofFastest > noiseBelow }
}

function finish(reports, compared, commit) {
  const rows = compared.map(({ id, title, before, now, ratio, isSlower }) => [
    id,
    title,
    before,
    now,
    ratio === null ? '-' : `${ratio.toFixed(2)}x${isSlower ? ' SLOWER' : ''}`,
  ])
  const slower = compared.filter(({ isSlower }) => isSlower).map(({ id }) => id)
  const verdict = slower.length === 0 ? 'No workload has become slower.' : `Slower than before: ${slower.join(', ')}.`
  const [{ employeeCount, rounds }] = reports
  return {
    text:
      `${employeeCount} employees, ${rounds} rounds in turn, before: ${commit}\n\n` +
      `${markdownTable(['', 'workload', 'before', 'now', 'now/before'], rows)}\n${verdict}\n${reports.map(listFaults).join('')}`,
    hasSlowed: slower.length > 0,
    reports,
  }
}

const format = (value, unit) => (unit === 'bytes per employee' ? `${value.toFixed(0)} B` : formatDuration(value))

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
