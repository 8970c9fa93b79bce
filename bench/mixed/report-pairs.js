import { markdownTable } from '../harness/text-table.js'

/**
 * @typedef {{ rows: number, node: string, machine: string, seconds: number, pairs: readonly Pair[]
 * }} Pairs
 * @typedef {{ read: string, write: string, median: number, p99: number }} Pair   the factors
 */

/**
 * The factors of all pairs, a row for each read and a column for each write: at the median / at the
 * 99th percentile.
 * @param {Pairs} result
 */
export function pairTable(result) {
  const { pairs } = result
  const writes = namesOf(pairs, 'write')
  const cell = (read, write) => {
    const { median, p99 } = pairs.find((pair) => pair.read === read && pair.write === write)
    return `${median.toFixed(1)} / ${p99.toFixed(1)}`
  }
  const rows = namesOf(pairs, 'read').map((read) => [
    read,
    ...writes.map((write) => cell(read, write)),
  ])
  return `${aboutPairs(result)}\n\n${markdownTable(['', ...writes], rows, 1)}\n${pairSummary(result)}`
}

/** The text for a page: of each read, the middle and the largest factor of all writes. */
export function publishedPairs(result) {
  const rows = namesOf(result.pairs, 'read').map((read) => {
    const ofRead = result.pairs.filter((pair) => pair.read === read)
    const worst = ofRead.reduce((most, pair) => (pair.median > most.median ? pair : most))
    const middle = (name) => middleOf(ofRead.map((pair) => pair[name])).toFixed(1)
    return [read, middle('median'), worst.median.toFixed(1), worst.write, middle('p99')]
  })
  const header = ['read', 'at the median', 'largest', 'after', 'at the 99th percentile']
  return `${aboutPairs(result)}\n\n${markdownTable(header, rows, 1)}`
}

/** All pairs in two sentences. @param {Pairs} result */
export function pairSummary({ pairs }) {
  const above = (factor, name) => pairs.filter((pair) => pair[name] > factor).length
  const medians = pairs.map(({ median }) => median)
  return (
    `${pairs.length} pairs: the median is ${middleOf(medians).toFixed(2)}x, the worst ${Math.max(...medians).toFixed(1)}x. ` +
    `${above(1.5, 'median')} are above 1.5x at the median, ${above(3, 'p99')} above 3x at the 99th percentile.\n`
  )
}

const aboutPairs = ({ rows, node, machine, seconds, pairs }) =>
  `${rows} employees, ${namesOf(pairs, 'read').length} reads, ${namesOf(pairs, 'write').length} writes, Node ${node}, ${machine}, ${seconds} s`

const namesOf = (pairs, side) => [...new Set(pairs.map((pair) => pair[side]))]
const middleOf = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
