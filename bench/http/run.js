#!/usr/bin/env node
import { existsSync, writeFileSync } from 'node:fs'
import {
  checkBounds,
  hasPeers,
  moduleNames,
  optionalPath,
  readCommandLine,
  requirePeers,
  splitList,
} from '../harness/command-line.js'
import { progressLine } from '../harness/progress.js'
import { whereAndWhen } from '../harness/report.js'
import { runHttpBench } from './http-bench.js'
import { printHttpTable } from './http-table.js'
import { requestKinds } from './requests.js'

const usage = `npm run bench:http -- [options]

  --servers fastify,hono   in addition to raw and entia; by default all of bench/peers/servers if installed
  --only one,page,post     kinds of requests
  --rounds 4               each visits all servers
  --seconds 1              of each round of each server
  --connections 16
  --n 100000               employees
  --json FILE              writes the numbers of every round
  --profile DIRECTORY      writes CPU profiles of entia, and prints the busiest functions
`
const ownFolder = new URL('./servers/', import.meta.url)
const peerFolder = new URL('../peers/servers/', import.meta.url)
const counts = { rounds: [1, 99], seconds: [1, 600], connections: [1, 1_000], n: [100, 1_000_000] }

const locate = (name) => {
  const own = new URL(`${name}.js`, ownFolder)
  return existsSync(own) ? own : new URL(`${name}.js`, peerFolder)
}

const options = readCommandLine(
  usage,
  {
    servers: { type: 'string' },
    only: { type: 'string', default: [...requestKinds.keys()].join(',') },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    n: { type: 'string', default: '100000' },
    json: { type: 'string' },
    profile: { type: 'string' },
  },
  optionsOf,
)
await measure()

function optionsOf(values) {
  checkBounds(values, counts)
  const only = splitList(values.only)
  const unknown = only.find((kind) => !requestKinds.has(kind))
  if (unknown !== undefined)
    throw new Error(
      `--only: there is no kind ${unknown}. Kinds: ${[...requestKinds.keys()].join(' ')}.`,
    )
  const peers =
    values.servers === undefined
      ? hasPeers
        ? moduleNames(peerFolder)
        : []
      : splitList(values.servers)
  const servers = [...new Set(['raw', 'entia', ...peers])]
  const unknownServer = servers.find((name) => !existsSync(locate(name)))
  if (unknownServer !== undefined)
    throw new Error(
      `There is no server ${unknownServer}. Servers: ${moduleNames(peerFolder).join(' ')}.`,
    )
  requirePeers(peers.some((name) => !existsSync(new URL(`${name}.js`, ownFolder))))
  return { ...values, only, servers }
}

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
      profileDirectory: optionalPath(options.profile),
    },
    progress.show,
  )
  progress.clear()
  const report = { ...whereAndWhen(), ...result }
  process.stdout.write(printHttpTable(report))
  if (report.faults.length > 0) process.exitCode = 1
  const jsonFile = optionalPath(options.json)
  if (jsonFile !== null) writeFileSync(jsonFile, `${JSON.stringify(report, null, 2)}\n`)
}
