import { median } from '../harness/runner.js'
import { formatDuration, markdownTable } from '../harness/text-table.js'

const ours = 'entia'

/** The conditions of the measurement in one line. @param {object} report */
export function aboutFirst({ employeeCount, count, rounds, subjects, node, machine }) {
  const versions = Object.entries(subjects).map(([name, version]) => `${name} (${version})`)
  return `${employeeCount} employees, the first ${count} operations of a fresh process, medians of ${rounds} processes, ${versions.join(', ')}, Node ${node}, ${machine}`
}

/** Mean time per operation of each subject, and the ratio of Entia to the best of the others. */
export function firstTable({ subjects, kinds }) {
  const names = Object.keys(subjects)
  const others = names.filter((name) => name !== ours)
  const rows = kinds.map(({ title, results }) => {
    const value = (name) => median(results[name].map(({ each }) => each))
    const best = Math.min(...others.map(value))
    const ratio =
      others.length === 0 || results[ours] === undefined
        ? '-'
        : `${(best / value(ours)).toFixed(1)}x`
    return [title, ...names.map((name) => formatDuration(value(name) * 1000)), ratio]
  })
  return markdownTable(['', ...names, 'times ahead'], rows, 1)
}
