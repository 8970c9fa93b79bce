import { cpuUsage, memoryUsage, resourceUsage } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { dataFile } from '@entia/example-flights/read-data.mjs'
import createStore from './flights-3m.mjs'
import { queries } from './queries.mjs'
import { openFlights } from './read-flights.mjs'

/** Runs per query: one cold, the others warm. */
const times = 7

/**
 * Loads the flights and runs the queries.
 * @param {(text: string) => void} print
 */
export async function report(print) {
  const reading = await timed(readAlone)
  const before = await occupiedBytes()
  const loading = await timed(createStore)
  const store = loading.result
  const bytes = (await occupiedBytes()) - before
  const flights = store.Flight.count
  const { milliseconds, processor } = loading
  print(
    `load      ${seconds(milliseconds)}, ${seconds(processor)} of processor time: ` +
      `${Math.round(flights / milliseconds)} flights per millisecond\n` +
      `          reading the parquet file alone takes ${seconds(reading.milliseconds)}, ` +
      `${seconds(reading.processor)} of processor time\n` +
      `memory    ${(bytes / flights).toFixed(0)} bytes per flight, with indexes and airports: ${mebibytes(bytes)} in total\n` +
      `          peak of the whole process: ${mebibytes(resourceUsage().maxRSS * 1024)}\n\n`,
  )

  for (const { title, run, plan } of queries) {
    const durations = []
    let answer = ''
    for (let time = 0; time < times; time++) {
      const { result, milliseconds } = await timed(async () => run(store))
      durations.push(milliseconds)
      answer = result
    }
    const [first, ...warm] = durations
    const median = warm.sort((a, b) => a - b)[warm.length >> 1] ?? 0
    print(`${title}\n  ${answer}\n  ${duration(median)}, first run ${duration(first ?? 0)}\n`)
    if (plan !== undefined) print(indented(plan(store)))
    print('\n')
  }
}

async function readAlone() {
  let count = 0
  for await (const _ of (await openFlights(dataFile('flights-3m.parquet'))).rows()) count++
  return count
}

/**
 * Measures elapsed and processor time: on a busy machine only the processor time is comparable.
 * @template T
 * @param {() => Promise<T>} work
 */
async function timed(work) {
  const startedAt = performance.now()
  const used = cpuUsage()
  const result = await work()
  const { user, system } = cpuUsage(used)
  return { result, milliseconds: performance.now() - startedAt, processor: (user + system) / 1000 }
}

/** Heap, external memory and array buffers in use. Needs `--expose-gc`. */
async function occupiedBytes() {
  // Twice: the target of a new WeakRef lives until the current task ends.
  for (let i = 0; i < 2; i++) {
    await setImmediate()
    globalThis.gc?.()
  }
  const { heapUsed, external } = memoryUsage()
  return heapUsed + external
}

/** @type {(milliseconds: number) => string} */
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`
/** @type {(milliseconds: number) => string} */
const duration = (milliseconds) =>
  milliseconds < 1
    ? `${(milliseconds * 1000).toPrecision(3)} us`
    : `${milliseconds.toPrecision(3)} ms`
/** @type {(bytes: number) => string} */
const mebibytes = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`
/** @type {(text: string) => string} */
const indented = (text) => text.trimEnd().replace(/^/gm, '    ') + '\n'
