#!/usr/bin/env node
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request as send } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { markdownTable } from '../harness/text-table.js'
import { stallRequests } from './stall-requests.js'

const usage = `npm run bench:stall -- [options]

  --only TEXT      requests whose title holds the text
  --rounds 3       repetitions of requests that change nothing
  --n 100000       employees
  --limit 50       milliseconds; exits with 1 if a request blocks the event loop longer
`
const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    n: { type: 'string', default: '100000' },
    limit: { type: 'string', default: '50' },
  },
})
if (options.help) process.stdout.write(usage)
else await measure()

async function measure() {
  const child = fork(fileURLToPath(new URL('./stall-child.js', import.meta.url)), [options.n], {
    execArgv: ['--expose-gc'],
  })
  const ask = async (command) => {
    if (command !== undefined) child.send({ command })
    return (await once(child, 'message'))[0].answer
  }
  const port = await ask()
  const rows = []
  let isStalled = false
  for (const request of stallRequests()) {
    if (!request.title.includes(options.only)) continue
    const runs = []
    for (
      let round = request.changes ? Number(options.rounds) : 1;
      round <= Number(options.rounds);
      round++
    ) {
      await ask('begin')
      const start = performance.now()
      const { status, length } = await answerTo(port, request)
      const milliseconds = performance.now() - start
      runs.push({ status, length, milliseconds, ...(await ask('end')) })
    }
    // Equal work: a slower run was disturbed, so take the fastest.
    const best = (pick) => Math.min(...runs.map(pick))
    const longest = best((run) => run.longest)
    const work = runs[0].work === null ? null : best((run) => run.work)
    isStalled ||= (work ?? longest) > Number(options.limit)
    const { status, length } = runs[0]
    const row = [
      request.title,
      String(status),
      `${(length / 1024).toFixed(0)} KB`,
      best((run) => run.milliseconds).toFixed(0),
      longest.toFixed(1),
      work?.toFixed(1) ?? '',
    ]
    rows.push(row)
    process.stderr.write(`${row.join('  ')}\n`)
  }
  child.kill()
  process.stdout.write(
    markdownTable(
      ['request', 'status', 'answer', 'ms', 'longest block, ms', 'work in it, ms'],
      rows,
      1,
    ),
  )
  if (isStalled) process.exitCode = 1
}

function answerTo(port, { path, method = 'GET', body }) {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = send({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      let length = 0
      response.on('data', (chunk) => {
        length += chunk.length
      })
      response.on('end', () => resolve({ status: response.statusCode, length }))
    })
    request.on('error', reject)
    request.end(body)
  })
}
