import { markdownTable } from '../harness/text-table.js'
import { startProcess } from './mix-runner.js'

const halfMinute = 30_000
/** A short run is looked at as often as this all the same. */
const fewestLooks = 6
/** The last third may be so many times the middle third. */
const mostGrowth = 1.03
const megabyte = 2 ** 20

/**
 * What a process holds after a collection of garbage.
 * @typedef {object} HeapLook
 * @property {number} minutes        since the first operation
 * @property {number} heapBytes      heap, external memory and array buffers
 * @property {number} operations     so far
 * @property {{ rows: number, historyCommits: number, historyBytes: number, filtersCompiled: number }} figures
 */

/**
 * Runs a mix on our own store alone for some time, and looks at its heap every half minute.
 * @param {import('./mixes/mix.js').Mix} mix
 * @param {import('./mix-options.js').MixOptions} options
 * @param {(doing: string) => void} show
 * @returns {Promise<{ id: string, title: string, looks: readonly HeapLook[], verdict: HeapVerdict }>}
 */
export async function watchHeap(mix, options, show) {
  const rows = mix.rows === undefined ? options.rows : Math.min(mix.rows, options.rows)
  const total = options.minutes * 60_000
  const step = Math.min(halfMinute, total / fewestLooks)
  show('loading')
  const process = await startProcess(options.subjects[0], rows, options)
  try {
    await process.request('open', { id: mix.id })
    const looks = []
    let operations = 0
    for (let spent = step; spent < total + step / 2; spent += step) {
      show(`minute ${(spent / 60_000).toFixed(1)}`)
      operations += (await process.request('measure', { milliseconds: step })).operations
      looks.push({ minutes: spent / 60_000, operations, ...(await process.request('figures')) })
    }
    return { id: mix.id, title: mix.title, looks, verdict: judgeHeap(looks) }
  } finally {
    process.stop()
  }
}

/**
 * Whether the last third of the looks is above the middle third. Where rows are added, the bytes per row count.
 * @typedef {{ isFlat: boolean, growth: number, isPerRow: boolean }} HeapVerdict
 * @param {readonly HeapLook[]} looks
 * @returns {HeapVerdict}
 */
export function judgeHeap(looks) {
  const third = Math.floor(looks.length / 3)
  const middle = looks.slice(third, looks.length - third)
  const last = looks.slice(looks.length - third)
  const isPerRow = last.at(-1).figures.rows > middle[0].figures.rows * 1.01
  const mean = (part) =>
    part.reduce((sum, { heapBytes, figures }) => sum + (isPerRow ? heapBytes / figures.rows : heapBytes), 0) /
    part.length
  const growth = mean(last) / mean(middle)
  return { isFlat: growth <= mostGrowth, growth, isPerRow }
}

/** A table of a mix, and the verdict below it. */
export function heapText({ title, looks, verdict }) {
  const rows = looks.map(({ minutes, heapBytes, operations, figures }) => [
    minutes.toFixed(2),
    String(operations),
    String(figures.rows),
    `${(heapBytes / megabyte).toFixed(1)} MiB`,
    `${(heapBytes / figures.rows).toFixed(0)} B`,
    String(figures.historyCommits),
    `${(figures.historyBytes / megabyte).toFixed(2)} MiB`,
    String(figures.filtersCompiled),
  ])
  const header = ['minute', 'operations', 'rows', 'heap', 'per row', 'history commits', 'history', 'filters compiled']
  const { isFlat, growth, isPerRow } = verdict
  const what = isPerRow ? 'Heap per row' : 'Heap'
  return (
    `${title}\n\n${markdownTable(header, rows, 0)}\n` +
    `${what}: ${isFlat ? 'flat' : 'GROWS'}, the last third is ${growth.toFixed(3)}x the middle third.\n`
  )
}
