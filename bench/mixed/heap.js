import { markdownTable } from '../harness/text-table.js'
import { startProcess } from './mix-runner.js'

const halfMinute = 30_000
/** The minimum number of heap measurements, also in a short run. */
const minSamples = 6
/** The allowed ratio of the last third to the middle third. */
const maxGrowth = 1.03
const megabyte = 2 ** 20

/**
 * The memory of a process after garbage collection.
 * @typedef {object} HeapSample
 * @property {number} minutes        since the first operation
 * @property {number} heapBytes      heap, external memory and array buffers
 * @property {number} operations     so far
 * @property {{ rows: number, historyCommits: number, historyBytes: number, filtersCompiled: number
 * }} figures
 */

/**
 * Runs a mix on Entia alone for some time and measures its heap every half minute.
 * @param {import('./mixes/mix.js').Mix} mix
 * @param {import('./mix-options.js').MixOptions} options
 * @param {(doing: string) => void} show
 * @returns {Promise<{ id: string, title: string, samples: readonly HeapSample[], verdict:
 * HeapVerdict }>}
 */
export async function watchHeap(mix, options, show) {
  const rows = mix.rows === undefined ? options.rows : Math.min(mix.rows, options.rows)
  const total = options.minutes * 60_000
  const step = Math.min(halfMinute, total / minSamples)
  show('loading')
  const process = await startProcess(options.subjects[0], rows, options)
  try {
    await process.request('open', { id: mix.id })
    const samples = []
    let operations = 0
    for (let spent = step; spent < total + step / 2; spent += step) {
      show(`minute ${(spent / 60_000).toFixed(1)}`)
      operations += (await process.request('measure', { milliseconds: step })).operations
      samples.push({ minutes: spent / 60_000, operations, ...(await process.request('figures')) })
    }
    return { id: mix.id, title: mix.title, samples, verdict: heapVerdict(samples) }
  } finally {
    process.stop()
  }
}

/**
 * Whether the last third of the samples exceeds the middle third. If the mix adds rows, bytes per
 * row count.
 * @typedef {{ isFlat: boolean, growth: number, isPerRow: boolean }} HeapVerdict
 * @param {readonly HeapSample[]} samples
 * @returns {HeapVerdict}
 */
export function heapVerdict(samples) {
  const third = Math.floor(samples.length / 3)
  const middle = samples.slice(third, samples.length - third)
  const last = samples.slice(samples.length - third)
  const isPerRow = last.at(-1).figures.rows > middle[0].figures.rows * 1.01
  const mean = (part) =>
    part.reduce(
      (sum, { heapBytes, figures }) => sum + (isPerRow ? heapBytes / figures.rows : heapBytes),
      0,
    ) / part.length
  const growth = mean(last) / mean(middle)
  return { isFlat: growth <= maxGrowth, growth, isPerRow }
}

/** The table of a mix, and the verdict below it. */
export function heapText({ title, samples, verdict }) {
  const rows = samples.map(({ minutes, heapBytes, operations, figures }) => [
    minutes.toFixed(2),
    String(operations),
    String(figures.rows),
    `${(heapBytes / megabyte).toFixed(1)} MiB`,
    `${(heapBytes / figures.rows).toFixed(0)} B`,
    String(figures.historyCommits),
    `${(figures.historyBytes / megabyte).toFixed(2)} MiB`,
    String(figures.filtersCompiled),
  ])
  const header = [
    'minute',
    'operations',
    'rows',
    'heap',
    'per row',
    'history commits',
    'history',
    'filters compiled',
  ]
  const { isFlat, growth, isPerRow } = verdict
  const what = isPerRow ? 'Heap per row' : 'Heap'
  return (
    `${title}\n\n${markdownTable(header, rows, 0)}\n` +
    `${what}: ${isFlat ? 'flat' : 'GROWS'}, the last third is ${growth.toFixed(3)}x the middle third.\n`
  )
}
