// The process of one subject in one mix: answers the parent's requests, one at a time.

import { profiled } from '../harness/profile.js'
import { serveCommands } from '../harness/serve-commands.js'
import { MixSession } from './mix-session.js'
import { mixes } from './mixes/index.js'

const [subjectUrl, rows, profileDirectory] = process.argv.slice(2)
const { default: subject } = await import(subjectUrl).catch((error) => {
  process.send({ error: error.message })
  process.exit()
})
/** @type {MixSession} */
let session
let mixId = ''

const commands = {
  async open({ id }) {
    mixId = id
    const mix = mixes.find((known) => known.id === id)
    if (subject[mix.family] === undefined) return { missing: [mix.family] }
    session = await MixSession.open(subject, mix, Number(rows))
    // Collect the garbage of loading now, so that it does not slow the first operations.
    globalThis.gc()
    return { missing: session.missing }
  },
  answers: ({ count, milliseconds }) => session.answers(count, milliseconds),
  async warmUp({ milliseconds }) {
    await session.measure(milliseconds)
    session.forget()
    return null
  },
  async measure({ milliseconds }) {
    if (profileDirectory === undefined) return session.measure(milliseconds)
    const work = () => session.measure(milliseconds)
    const { result, functions } = await profiled(profileDirectory, `${mixId}-${subject.name}`, work)
    return { ...result, functions }
  },
  async settle() {
    return { latencies: session.latencies(), ...(await session.settle()) }
  },
  figures() {
    globalThis.gc()
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    return { heapBytes: heapUsed + external, arrayBuffers, figures: session.figures() }
  },
}

serveCommands(commands, subject.version)
