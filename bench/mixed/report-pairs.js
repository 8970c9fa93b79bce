import { markdownTable } from '../harness/text-table.js'

/**
 * The factors of all pairs, a row for each read and a column for each write: at the median, and after the stroke at the 99th percentile.
 * @param {{ rows: number, node: string, machine: string, seconds: number, pairs: { read: string, write: string, median: number, p99: number }[] }} result
 */
export function pairTable({ rows, node, machine, seconds, pairs }) {
  const writes = [...new Set(pairs.map(({ write }) => write))]
  const reads = [...new Set(pairs.map(({ read }) => read))]
  const cell = (read, write) => {
    const { median, p99 } = pairs.find((pair) => pair.read === read && pair.write === write)
    return `${median.toFixed(1)} / ${p99.toFixed(1)}`
  }
  const beyond = (limit, name) => pairs.filter((pair) => pair[name] > limit).length
  const medians = pairs.map(({ median }) => median).sort((a, b) => a - b)
  return [
    `${rows} employees, ${reads.length} reads, ${writes.length} writes, Node ${node}, ${machine}, ${seconds} s`,
    '',
    markdownTable(
      ['', ...writes],
      reads.map((read) => [read, ...writes.map((write) => cell(read, write))]),
      1,
    ),
    `${pairs.length} pairs: ${medians[medians.length >> 1].toFixed(2)}x at the middle, ${medians.at(-1).toFixed(1)}x the worst; beyond 1.5x at the median ${beyond(1.5, 'median')}, beyond 3x at the 99th percentile ${beyond(3, 'p99')}`,
  ].join('\n')
}
