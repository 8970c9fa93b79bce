import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { threadNanoseconds } from '../harness/thread-time.js'

const RESOLUTION = 1

/**
 * Starts to watch the event loop. `end` returns its longest block and the most processor time in
 * one, in milliseconds.
 */
export async function watchEventLoop() {
  globalThis.gc?.()
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  await sleep(5)
  delay.reset()
  // The histogram starts counting at its first tick.
  await sleep(5)
  let isWatching = true
  let longestWork = null
  let last = null
  /** Reads the processor time in every iteration of the event loop. */
  const watch = () => {
    const now = threadNanoseconds()
    if (now !== null && last !== null) longestWork = Math.max(longestWork ?? 0, now - last)
    last = now
    if (isWatching) setImmediate(watch)
  }
  watch()
  return {
    async end() {
      // The timer of the histogram must fire once more to record the last block.
      await sleep(5)
      isWatching = false
      delay.disable()
      const longest = Math.max(0, delay.max / 1e6 - RESOLUTION)
      return { longest, work: longestWork === null ? null : longestWork / 1e6 }
    },
  }
}
