#!/usr/bin/env node
// The cost of a journal for a store of many entities. Measures the longest block of the event loop
// during compaction, and the time to open and close. Also measures the latency of reads while
// `durable` delays writes.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createDataStore } from '@entia/core'
import { openJournal } from '@entia/core/node'
import { createRestHandler } from '@entia/rest'
import { makeData } from '../data.js'
import { Company, Employee } from '../data-classes.js'
import { markdownTable } from '../harness/text-table.js'
import { watchEventLoop } from './event-loop.js'

const open = () => createDataStore({ name: 'journal', dataClasses: [Company, Employee] })

const ms = (time) => time.toFixed(0)

const usage = `npm run bench:journal -- [options]

  --n 1000000      employees
  --folder TEXT    folder for the journal; by default in the system's temporary folder
  --limit 50       milliseconds; exits with 1 if compaction blocks the event loop longer
`
const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    n: { type: 'string', default: '1000000' },
    folder: { type: 'string', default: tmpdir() },
    limit: { type: 'string', default: '50' },
  },
})
if (options.help) process.stdout.write(usage)
else await measure(Number(options.n), Number(options.limit))

async function timed(run) {
  const begun = performance.now()
  const result = await run()
  return [performance.now() - begun, result]
}

async function measure(n, limit) {
  const folder = await mkdtemp(join(options.folder, 'entia-journal-'))
  const rows = []
  const report = (...cells) => {
    rows.push(cells)
    process.stderr.write(`${cells.join('  ')}\n`)
  }
  try {
    const { companies, employees } = makeData(n)
    const store = open()
    store.Company.load(companies)
    store.Employee.load(employees)
    const settings = { compactAboveBytes: null }
    const [first, journal] = await timed(() => openJournal(store, folder, settings))
    report('open an empty folder: the first dump', ms(first), '')
    await readMix(store, journal, report)

    // Commit sequentially as a server's client does: each commit is on disk before the next one.
    let isCompacting = true
    let commits = 0
    const write = async () => {
      while (isCompacting) {
        store.Employee.update(1 + ((commits * 7919) % n), { salary: commits })
        commits++
        await journal.flush()
        await yieldToEventLoop()
      }
    }
    store.Employee.update(1, { salary: 0 })
    const eventLoop = await watchEventLoop()
    const writing = Promise.all([write(), write()])
    const [compacted] = await timed(() => journal.compact())
    isCompacting = false
    await writing
    const { longest, work } = await eventLoop.end()
    report(
      `compact during ${commits} commits`,
      ms(compacted),
      `${longest.toFixed(1)} (${work?.toFixed(1)} of work)`,
    )
    const [closed] = await timed(() => journal.close())
    report('close', ms(closed), '')
    store.close()
    const again = open()
    const [reopened, second] = await timed(() => openJournal(again, folder, settings))
    report('open an existing folder', ms(reopened), '')
    again.Employee.update(1, { salary: 1 })
    const stopping = second.compact()
    await sleep(20)
    const [stopped] = await timed(() => second.close())
    await stopping
    report('close during compaction', ms(stopped), '')
    process.stdout.write(
      markdownTable(['at ' + n + ' entities', 'ms', 'longest block, ms'], rows, 1),
    )
    if ((work ?? longest) > limit) process.exitCode = 1
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Milliseconds of a read of one entity: alone and during writes, with and without `durable`. */
async function readMix(store, journal, report) {
  for (const [title, rest] of [
    ['without `durable`', createRestHandler(store)],
    ['with `durable`', createRestHandler(store, { durable: () => journal.flush() })],
  ]) {
    for (const writers of [0, 1, 8]) {
      let isOver = false
      let writes = 0
      const write = async (client) => {
        for (let i = 0; !isOver; i++) {
          const body = JSON.stringify({ __KEY: String(client * 1000 + (i % 900) + 1), salary: i })
          await rest.handle({ method: 'POST', url: '/rest/Employee', headers: { host: 'x' }, body })
          writes++
          await yieldToEventLoop()
        }
      }
      const writing = Promise.all(Array.from({ length: writers }, (_, client) => write(client)))
      const times = []
      for (const until = performance.now() + 3000; performance.now() < until; ) {
        const url = `/rest/Employee(${1 + (times.length % 9000)})`
        const [time] = await timed(() =>
          rest.handle({ method: 'GET', url, headers: { host: 'x' } }),
        )
        times.push(time)
        await yieldToEventLoop()
      }
      isOver = true
      await writing
      times.sort((a, b) => a - b)
      const at = (part) => times[Math.floor((times.length - 1) * part)].toFixed(3)
      report(
        `a read ${title}, ${writers} clients write (${Math.round(writes / 3)}/s)`,
        `${at(0.5)} / ${at(0.99)}`,
        'median / 99 %',
      )
    }
  }
}
