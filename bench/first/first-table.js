import { median } from '../harness/runner.js'
import { formatDuration, markdownTable } from '../harness/text-table.js'

const ours = 'entia'

/** The conditions of the measurement in one line. @param {object} report */
export function aboutFirst({ employeeCount, count, rounds, subjects, node, machine }) {
  const versions = Object.entries(subjects).map(([name, version]) => `${name} (${version})`)
  return `${employeeCount} employees, the first ${count} operations of a fresh process, medians of ${rounds} processes, ${versions.join(', ')}, Node ${node}, ${machine}`
}

const compiled = 'better-sqlite3'
/** The goal of each kind of operation, as a multiple of the compiled store's speed. */
const goalOfCompiled = 0.5

/**
 * Mean time per operation of each subject, and the ratios of Entia to the best of the others and to
 * SQLite.
 */
export function firstTable({ subjects, kinds }) {
  const names = Object.keys(subjects)
  const others = names.filter((name) => name !== ours)
  const rows = kinds.map(({ title, results }) => [
    title,
    ...names.map((name) => formatDuration(meanOf(results, name) * 1000)),
    ratioTo(results, others, 1),
    ratioTo(results, others.filter(isCompiled), 2),
  ])
  return markdownTable(['', ...names, 'times ahead', `of ${compiled}`], rows, 1)
}

/** The kinds of operations that miss their goal, as a line; empty if SQLite did not run. */
export function missedFirst({ subjects, kinds }) {
  if (subjects[compiled] === undefined || subjects[ours] === undefined) return ''
  const missed = kinds.filter(
    ({ results }) => meanOf(results, compiled) / meanOf(results, ours) < goalOfCompiled,
  )
  const titles = missed.map(({ title }) => title).join('; ')
  return `\nGoal: ${goalOfCompiled}x of ${compiled}. Missed: ${titles === '' ? 'none' : titles}.\n`
}

const isCompiled = (name) => name === compiled

const meanOf = (results, name) => median((results[name] ?? []).map(({ each }) => each))

function ratioTo(results, others, digits) {
  if (others.length === 0 || results[ours] === undefined) return '-'
  const best = Math.min(...others.map((name) => meanOf(results, name)))
  return `${(best / meanOf(results, ours)).toFixed(digits)}x`
}
