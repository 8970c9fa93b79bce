import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { threadNanoseconds } from '../harness/thread-time.js'

const RESOLUTION = 1

/** Begins to watch the event loop; `end` answers its longest turn and the most work in one, in milliseconds. */
export async function longestTurn() {
  globalThis.gc?.()
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  await sleep(5)
  delay.reset()
  // Its first tick is where it counts from.
  await sleep(5)
  let isWatching = true
  let longestWork = null
  let last = null
  /** Looks at the clock in every turn. */
  const watch = () => {
    const now = threadNanoseconds()
    if (now !== null && last !== null) longestWork = Math.max(longestWork ?? 0, now - last)
    last = now
    if (isWatching) setImmediate(watch)
  }
  watch()
  return {
    async end() {
      // The timer behind the histogram has to come once more to see the last turn.
      await sleep(5)
      isWatching = false
      delay.disable()
      const longest = Math.max(0, delay.max / 1e6 - RESOLUTION)
      return { longest, work: longestWork === null ? null : longestWork / 1e6 }
    },
  }
}
