#!/usr/bin/env node
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { fromCaller, splitList } from '../harness/command-line.js'
import { progressLine } from '../harness/progress.js'
import { whereAndWhen } from '../harness/report.js'
import { runHttpBench } from './http-bench.js'
import { printHttpTable } from './http-table.js'
import { requestKinds } from './requests.js'

const usage = `npm run bench:http -- [options]

  --servers fastify,hono   beside raw and entia; all of bench/peers/servers when those are installed
  --only one,page,post     kinds of requests
  --rounds 4               each visits all servers in turn
  --seconds 1              of each round of each server
  --connections 16
  --n 100000               employees
  --json FILE              writes the numbers of every round
  --profile DIRECTORY      writes CPU profiles of entia, and prints the functions with the most time
`
const ownFolder = new URL('./servers/', import.meta.url)
const peerFolder = new URL('../peers/servers/', import.meta.url)
const hasPeers = existsSync(new URL('../peers/node_modules', import.meta.url))

function parseOptions() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      servers: { type: 'string' },
      only: { type: 'string', default: [...requestKinds.keys()].join(',') },
      rounds: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '1' },
      connections: { type: 'string', default: '16' },
      n: { type: 'string', default: '100000' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  for (const name of ['rounds', 'seconds', 'connections', 'n']) {
    if (!(Number.isInteger(Number(values[name])) && Number(values[name]) > 0))
      throw new Error(`--${name} must be a whole number.`)
  }
  const only = splitList(values.only)
  const unknown = only.find((kind) => !requestKinds.has(kind))
  if (unknown !== undefined)
    throw new Error(`--only: there is no kind ${unknown}. Known: ${[...requestKinds.keys()].join(' ')}.`)
  const peers = values.servers === undefined ? (hasPeers ? peerNames() : []) : splitList(values.servers)
  const names = [...new Set(['raw', 'entia', ...peers])]
  const stranger = names.find((name) => !existsSync(locate(name)))
  if (stranger !== undefined) throw new Error(`There is no server ${stranger}. Known: ${peerNames().join(' ')}.`)
  if (!hasPeers && peers.length > 0) throw new Error('The peers are not installed: npm ci --prefix bench/peers')
  return { ...values, only, servers: names }
}

const peerNames = () => readdirSync(peerFolder).map((file) => basename(file, '.js'))
const locate = (name) => {
  const own = new URL(`${name}.js`, ownFolder)
  return existsSync(own) ? own : new URL(`${name}.js`, peerFolder)
}

let options
try {
  options = parseOptions()
} catch (error) {
  process.stderr.write(`${error.message}\n\n${usage}`)
  process.exit(2)
}
if (options.help) process.stdout.write(usage)
else await measure()

async function measure() {
  const progress = progressLine(process.stderr)
  const result = await runHttpBench(
    {
      servers: options.servers.map((name) => ({ name, url: locate(name).href })),
      kinds: options.only,
      rounds: Number(options.rounds),
      seconds: Number(options.seconds),
      connections: Number(options.connections),
      employeeCount: Number(options.n),
      profileDirectory: options.profile === undefined ? null : fromCaller(options.profile),
    },
    progress.show,
  )
  progress.clear()
  const report = { ...whereAndWhen(), ...result }
  process.stdout.write(printHttpTable(report))
  if (report.faults.length > 0) process.exitCode = 1
  if (options.json !== undefined) writeFileSync(fromCaller(options.json), `${JSON.stringify(report, null, 2)}\n`)
}
