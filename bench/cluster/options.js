import { existsSync } from 'node:fs'
import { checkBounds, optionalPath, readCommandLine, splitList } from '../harness/command-line.js'
import { mixes } from '../mixed/mixes/index.js'

const usage = `npm run bench:cluster -- [options]

  --database URL        a server; the run makes a database of its own there, and drops it;
                        postgres://postgres@127.0.0.1:5432/postgres unless given
  --n 20000             employees, or records of YCSB, 1 000 to 1 000 000
  --only web,ycsb-a     mixes; ycsb means ycsb-a to ycsb-f
  --servers A,B         entia,pg-json,postgraphile unless given
  --processes 1,2,4     numbers of serving processes
  --connections 16      kept open by the load, spread over the processes
  --rounds 3            each visits all servers and numbers of processes
  --seconds 2           of each round
  --json FILE           writes the numbers of every round
`
const clusterMixes = mixes.filter(({ id, isOverHttp }) => /^(ycsb-|web$)/.test(id) && !isOverHttp)
const folders = ['./servers/', '../peers/cluster-servers/'].map(
  (folder) => new URL(folder, import.meta.url),
)
const bounds = {
  n: [1_000, 1_000_000],
  connections: [1, 1_000],
  rounds: [1, 99],
  seconds: [0.1, 600],
}

/**
 * @typedef {object} ClusterOptions
 * @property {string} database
 * @property {number} rows
 * @property {readonly import('../mixed/mixes/mix.js').Mix[]} mixes
 * @property {readonly { name: string, url: string }[]} servers
 * @property {readonly number[]} processes    in ascending order
 * @property {number} connections
 * @property {number} rounds
 * @property {number} milliseconds
 * @property {string | null} jsonFile
 */

/** Reads the command line. @returns {ClusterOptions} */
export const parseClusterOptions = () =>
  readCommandLine(
    usage,
    {
      database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
      n: { type: 'string', default: '20000' },
      only: { type: 'string', default: 'ycsb,web' },
      servers: { type: 'string', default: 'entia,pg-json,postgraphile' },
      processes: { type: 'string', default: '1,2,4' },
      connections: { type: 'string', default: '16' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      json: { type: 'string' },
    },
    optionsOf,
  )

function optionsOf(values) {
  checkBounds(values, bounds)
  const names = splitList(values.only)
  const processes = splitList(values.processes).map(Number)
  if (processes.length === 0 || !processes.every((count) => Number.isInteger(count) && count > 0))
    throw new Error('--processes must be whole numbers from 1, such as 1,2,4.')
  return {
    database: values.database,
    rows: Number(values.n),
    mixes: clusterMixes.filter(({ id }) => names.some((name) => id.startsWith(name))),
    servers: splitList(values.servers).map(locate),
    processes: processes.sort((a, b) => a - b),
    connections: Number(values.connections),
    rounds: Number(values.rounds),
    milliseconds: Number(values.seconds) * 1000,
    jsonFile: optionalPath(values.json),
  }
}

function locate(name) {
  const url = folders
    .map((folder) => new URL(`${name}.js`, folder))
    .find((file) => existsSync(file))
  if (url === undefined) throw new Error(`--servers: there is no server ${name}.`)
  return { name, url: url.href }
}
