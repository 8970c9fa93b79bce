// The process of the server: answers requests, and tells the longest turn of its event loop.

import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import { makeData } from '../data.js'
import { listen } from '../http/listen.js'
import { openStallStore } from './stall-store.js'

const resolution = 1
const delay = monitorEventLoopDelay({ resolution })
delay.enable()

/** Nanoseconds that this thread has worked, where the system tells: what others do on the machine is not in it. */
function worked() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0])
  } catch {
    return null
  }
}

let isWatching = false
let longestWork = null
let last = null

/** Looks at the clock in every turn. */
function watch() {
  const now = worked()
  if (now !== null && last !== null) longestWork = Math.max(longestWork ?? 0, now - last)
  last = now
  if (isWatching) setImmediate(watch)
}

process.on('message', async ({ command }) => {
  if (command === 'begin') {
    globalThis.gc?.()
    await sleep(5)
    delay.reset()
    // Its first tick is where it counts from.
    await sleep(5)
    longestWork = null
    last = null
    isWatching = true
    watch()
    process.send({ answer: null })
  } else {
    // The timer behind the histogram has to come once more to see the last turn.
    await sleep(5)
    isWatching = false
    const longest = Math.max(0, delay.max / 1e6 - resolution)
    process.send({ answer: { longest, work: longestWork === null ? null : longestWork / 1e6 } })
  }
})
const store = openStallStore(makeData(Number(process.argv[2])))
process.send({ answer: await listen(toNodeHandler(createRestHandler(store))) })
