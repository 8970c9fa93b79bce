import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { listFaults, makeReport } from './report.js'
import { median, runBenchmark } from './runner.js'
import { formatDuration, markdownTable } from './text-table.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const subjectFile = 'bench/subjects/entia.js'
const subjectNeeds = [
  'bench/data-classes.js',
  'bench/package-version.js',
  'bench/subjects/subject.js',
]
/** The median ratio from which a workload counts as slower. */
const slowerFrom = 1.25
/**
 * Noise slows rounds and hardly ever speeds them up: a smaller ratio of the fastest rounds may be
 * noise.
 */
const noiseBelow = 1.1

/**
 * Compares the build of this checkout with the build of a git reference, in one run with
 * alternating rounds. Workloads that look slower are measured again in fresh processes with twice
 * the rounds. They count as slower only if both measurements agree.
 *
 * Each build uses its own subject module; workloads, data and clock come from this checkout. Throws
 * if git does not know the commit, or if the build fails.
 * @param {import('./options.js').BenchOptions} options
 * @param {{ show(step: object): void, clear(): void }} progress
 * @returns {Promise<{ text: string, hasSlowed: boolean, reports: readonly
 * import('./report.js').Report[] }>}
 */
export async function compareBuilds(options, progress) {
  progress.show({
    workload: 'building',
    done: 0,
    total: options.workloads.length,
    doing: options.against,
  })
  try {
    return await withReferenceBuild(
      options.against,
      { subjectFile, subjectNeeds },
      async (subjects, commit) => {
        const first = makeReport(await runBenchmark({ ...options, subjects }, progress.show))
        const compared = first.workloads.map(compare)
        const suspects = compared.filter(({ isSlower }) => isSlower).map(({ id }) => id)
        if (suspects.length === 0) return finish([first], compared, commit)

        const workloads = options.workloads.filter(({ id }) => suspects.includes(id))
        const again = { ...options, subjects, workloads, rounds: options.rounds * 2 }
        const second = makeReport(await runBenchmark(again, progress.show))
        const repeated = new Map(
          second.workloads.map((workload) => [workload.id, compare(workload)]),
        )
        return finish(
          [first, second],
          compared.map((found) => repeated.get(found.id) ?? found),
          commit,
        )
      },
    )
  } finally {
    progress.clear()
  }
}

/**
 * Builds the commit of a git reference in a worktree next to this checkout and removes it
 * afterwards. Throws if git does not know the commit, or if the build fails.
 * @template T
 * @param {string} reference
 * @param {{ subjectFile: string, subjectNeeds: readonly string[] }} files
 *        the subject module, by its path in a checkout, and its imports
 * @param {(subjects: readonly { name: string, url: string }[], commit: string) => Promise<T>} work
 *        receives the subjects `before` and `now`
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

/** Throws if git does not know the commit. */
function commitOf(reference) {
  try {
    return git('rev-parse', '--verify', '--short', `${reference}^{commit}`).trim()
  } catch {
    throw new Error(`--against: git does not know the commit ${reference}.`)
  }
}

/**
 * Checks out the commit into a worktree with its own core, and links the other dependencies of this
 * checkout.
 */
function buildReference(commit, folder, { subjectFile, subjectNeeds }) {
  git('worktree', 'add', '--detach', '--force', folder, commit)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@entia'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@entia') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  symlinkSync(join(folder, 'packages/core'), join(modules, '@entia/core'))
  // Older references have no bundles: tsc builds them.
  const build = join(folder, 'scripts/build.mjs')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(
    process.execPath,
    existsSync(build) ? [build, 'core'] : [tsc, '-b', 'packages/core'],
    {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  // Older references have no benchmark: use the subject of this checkout.
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
 * @property {number | null} ratio  now/before, the median over the rounds; null if one is missing
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
  // A wrong answer is worse than a slow one.
  if (now === undefined || now.kind === 'wrong')
    return { ...described, ratio: null, isSlower: true }
  if (before?.kind !== 'measured' || now.kind !== 'measured')
    return { ...described, ratio: null, isSlower: false }
  const rounds = Math.min(before.rounds.length, now.rounds.length)
  const ratio = median(
    now.rounds.slice(0, rounds).map((value, round) => value / before.rounds[round]),
  )
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
  const verdict =
    slower.length === 0
      ? 'No workload has become slower.'
      : `Slower than before: ${slower.join(', ')}.`
  const [{ employeeCount, rounds }] = reports
  return {
    text:
      `${employeeCount} employees, ${rounds} alternating rounds, before: ${commit}\n\n` +
      `${markdownTable(['', 'workload', 'before', 'now', 'now/before'], rows)}\n${verdict}\n${reports.map(listFaults).join('')}`,
    hasSlowed: slower.length > 0,
    reports,
  }
}

const format = (value, unit) =>
  unit === 'bytes per employee' ? `${value.toFixed(0)} B` : formatDuration(value)

function git(...args) {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
