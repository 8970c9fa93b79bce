import { markdownTable } from '../harness/text-table.js'

/**
 * The factors of all pairs, a row for each read and a column for each write: at the median / at the
 * 99th percentile.
 * @param {{ rows: number, node: string, machine: string, seconds: number, pairs: { read: string,
 * write: string, median: number, p99: number }[] }} result
 */
export function pairTable({ rows, node, machine, seconds, pairs }) {
  const writes = [...new Set(pairs.map(({ write }) => write))]
  const reads = [...new Set(pairs.map(({ read }) => read))]
  const cell = (read, write) => {
    const { median, p99 } = pairs.find((pair) => pair.read === read && pair.write === write)
    return `${median.toFixed(1)} / ${p99.toFixed(1)}`
  }
  const above = (factor, name) => pairs.filter((pair) => pair[name] > factor).length
  const medians = pairs.map(({ median }) => median).sort((a, b) => a - b)
  return [
    `${rows} employees, ${reads.length} reads, ${writes.length} writes, Node ${node}, ${machine}, ${seconds} s`,
    '',
    markdownTable(
      ['', ...writes],
      reads.map((read) => [read, ...writes.map((write) => cell(read, write))]),
      1,
    ),
    `${pairs.length} pairs: the median is ${medians[medians.length >> 1].toFixed(2)}x, the worst ${medians.at(-1).toFixed(1)}x. ` +
      `${above(1.5, 'median')} are above 1.5x at the median, ${above(3, 'p99')} above 3x at the 99th percentile.\n`,
  ].join('\n')
}
