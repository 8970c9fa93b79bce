import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

const functionsShown = 12
const samplingMicroseconds = 100
/** Frames outside the subject's work: idling and the profiler. */
const foreignFrames = new Set(['(idle)', 'dispatch'])

/**
 * Runs work under the CPU profiler and writes the profile.
 * @template T
 * @param {string} directory
 * @param {string} name               of the file, without its extension
 * @param {() => Promise<T>} work
 * @returns {Promise<{ result: T, functions: readonly { name: string, share: number }[] }>} shares
 * of the busy time, descending
 */
export async function profiled(directory, name, work) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: samplingMicroseconds })
  await session.post('Profiler.start')
  const result = await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${name}.cpuprofile`), JSON.stringify(profile))
  return { result, functions: busiestFunctions(profile) }
}

function busiestFunctions({ nodes, samples, timeDeltas }) {
  const labels = new Map(nodes.map(({ id, callFrame }) => [id, labelOf(callFrame)]))
  const microseconds = new Map()
  let total = 0
  for (let i = 0; i < samples.length; i++) {
    const label = labels.get(samples[i])
    if (foreignFrames.has(label)) continue
    microseconds.set(label, (microseconds.get(label) ?? 0) + timeDeltas[i])
    total += timeDeltas[i]
  }
  return [...microseconds]
    .map(([name, time]) => ({ name, share: time / total }))
    .sort((a, b) => b.share - a.share)
    .slice(0, functionsShown)
}

function labelOf({ functionName, url, lineNumber }) {
  const file = url.split('/').slice(-3).join('/')
  return url === '' ? functionName : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`
}
