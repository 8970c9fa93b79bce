import { bestPeer, ratioOf } from './report-tables.js'
import { baselineName, ourName } from './subject-names.js'
import { markdownTable } from './text-table.js'

/** Subjects of the short table, with the numbers of their workloads: 4 means W4a, W4ea, … */
const groups = [
  ['load everything, indexes included', [1]],
  ['read one entity by its key', [2]],
  ['filter by an index: equal, range, prefix', [3, 4, 9]],
  ['filter without an index, or by several conditions', [5, 6]],
  ['filter across a relation', [7]],
  ['a page in an order, behind 1000', [8]],
  ['aggregates, groups, distinct values', [10, 11, 20]],
  ['and, or, except of saved selections', [12]],
  ['a page as JSON', [17]],
  ['a filter text seen for the first time', [18]],
  ['insert, update, delete', [13, 14, 16]],
  ['a batch of 1000 updates, or its rollback', [15]],
]

/**
 * How far Entia is ahead of the best peer and behind the hand-written programs, by subject: the
 * lowest and the highest ratio of its workloads.
 * @param {import('./report.js').Report} report
 */
export function workloadSummary(report) {
  const rows = groups.flatMap(([title, numbers]) => {
    const measured = report.workloads.filter(({ id, results }) => {
      const [, number, kind] = /^W(\d+)(.*)$/.exec(id)
      return (
        numbers.includes(Number(number)) &&
        kind !== 'm' &&
        ratioOf(results[ourName], results[ourName])
      )
    })
    const ahead = measured.map((workload) => {
      const best = bestPeer(report, workload)
      return best === null ? null : best.value / workload.results[ourName].value
    })
    const behind = measured.map(({ results }) => ratioOf(results[ourName], results[baselineName]))
    return measured.length === 0 ? [] : [[title, span(ahead), span(behind)]]
  })
  return markdownTable(['', 'times ahead of the best peer', `time, of ${baselineName}`], rows, 1)
}

/** The lowest and the highest of some ratios. */
function span(ratios) {
  const known = ratios.filter((ratio) => ratio !== null)
  if (known.length === 0) return '-'
  const [least, most] = [Math.min(...known), Math.max(...known)].map(roughly)
  return least === most ? least : `${least} to ${most}`
}

/** Two digits are enough: the ratios of two runs differ by more. */
const roughly = (ratio) => `${ratio.toFixed(ratio < 1 ? 2 : ratio < 10 ? 1 : 0)}x`
