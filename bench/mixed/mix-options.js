import { existsSync } from 'node:fs'
import {
  checkBounds,
  moduleNames,
  optionalPath,
  readCommandLine,
  requirePeers,
  splitList,
} from '../harness/command-line.js'
import { ourName } from '../harness/subject-names.js'
import { mixes } from './mixes/index.js'

const usage = `npm run bench:mixed -- [options]

  --n 100000            employees, or records of YCSB, 1 000 to 1 000 000
  --only web,ycsb       mixes; ycsb means ycsb-a to ycsb-f
  --rounds 3            each visits all stores
  --seconds 1           of each round of each store
  --peers               also all stores of bench/peers/mixed
  --peer sqljs,nedb     also these stores of bench/peers/mixed
  --peer-seconds 60     time limit of a peer for one mix; it is stopped after that
  --minutes 5 --heap    runs each mix on Entia alone and measures its heap every half minute
  --against REF         compares this build with that of a git reference
  --json FILE           writes the numbers of every round
  --profile DIRECTORY   writes a CPU profile per mix and store, and prints the busiest functions
`

const ownFolder = new URL('./subjects/', import.meta.url)
const peerFolder = new URL('../peers/mixed/', import.meta.url)
const ownServer = new URL('./http/servers/entia.js', import.meta.url)
const peerServer = new URL('../peers/mixed-servers/sqlite-node.js', import.meta.url)
const bounds = {
  n: [1_000, 1_000_000],
  rounds: [1, 99],
  seconds: [0.01, 600],
  'peer-seconds': [1, 3_600],
  minutes: [0.05, 1_440],
}

/**
 * @typedef {object} MixOptions
 * @property {'run' | 'heap' | 'against'} kind
 * @property {number} rows
 * @property {readonly import('./mixes/mix.js').Mix[]} mixes
 * @property {number} rounds
 * @property {number} milliseconds   of a round
 * @property {number} minutes        of each mix, for `heap`
 * @property {readonly { name: string, url: string, isPeer: boolean }[]} subjects   Entia first
 * @property {readonly { name: string, url: string }[]} servers   for the mix over HTTP
 * @property {string | null} against   a git reference
 * @property {number} peerSeconds    the time limit of a peer for one mix
 * @property {string | null} jsonFile
 * @property {string | null} profileDirectory
 */

/** Reads the command line of the mixes. @returns {MixOptions} */
export const parseMixOptions = () =>
  readCommandLine(
    usage,
    {
      n: { type: 'string', default: '100000' },
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '1' },
      peers: { type: 'boolean', default: false },
      peer: { type: 'string', default: '' },
      'peer-seconds': { type: 'string', default: '60' },
      minutes: { type: 'string', default: '5' },
      heap: { type: 'boolean', default: false },
      against: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
    optionsOf,
  )

function optionsOf(values) {
  checkBounds(values, bounds)
  const names = splitList(values.only)
  const unknown = names.find((name) => !mixes.some(({ id }) => id.startsWith(name)))
  if (unknown !== undefined)
    throw new Error(
      `--only: there is no mix ${unknown}. Mixes: ${mixes.map(({ id }) => id).join(' ')}.`,
    )
  const peers = values.peers ? moduleNames(peerFolder) : splitList(values.peer)
  const unknownStore = peers.find((name) => !existsSync(new URL(`${name}.js`, peerFolder)))
  if (unknownStore !== undefined)
    throw new Error(
      `There is no store ${unknownStore}. Peers: ${moduleNames(peerFolder).join(' ')}.`,
    )
  requirePeers(peers.length > 0)
  return {
    kind: values.heap ? 'heap' : values.against === undefined ? 'run' : 'against',
    rows: Number(values.n),
    mixes:
      names.length === 0
        ? mixes
        : mixes.filter(({ id }) => names.some((name) => id.startsWith(name))),
    rounds: Number(values.rounds),
    milliseconds: Number(values.seconds) * 1000,
    minutes: Number(values.minutes),
    subjects: [
      { name: ourName, url: new URL(`${ourName}.js`, ownFolder).href, isPeer: false },
      ...[...new Set(peers)].map((name) => ({
        name,
        url: new URL(`${name}.js`, peerFolder).href,
        isPeer: true,
      })),
    ],
    servers: [
      { name: ourName, url: ownServer.href },
      ...(peers.includes('better-sqlite3') ? [{ name: 'sqlite-node', url: peerServer.href }] : []),
    ],
    against: values.against ?? null,
    peerSeconds: Number(values['peer-seconds']),
    jsonFile: optionalPath(values.json),
    profileDirectory: optionalPath(values.profile),
  }
}
