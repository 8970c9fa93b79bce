import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { fromCaller, splitList } from '../harness/command-line.js'
import { ourName } from '../harness/subject-names.js'
import { mixes } from './mixes/index.js'

export const usage = `npm run bench:mixed -- [options]

  --n 100000            employees, or records of YCSB, 1 000 to 1 000 000
  --only web,ycsb       mixes; ycsb means ycsb-a to ycsb-f
  --rounds 3            that visit all stores in turn
  --seconds 1           of each round of each store
  --peers               all stores of bench/peers/mixed, too
  --peer sqljs,nedb     these stores of bench/peers/mixed, too
  --peer-seconds 60     that a peer may take for one mix; then it is stopped, and has no result
  --minutes 5 --heap    each mix on Entia alone for so long, with its heap every half minute
  --against REF         this build of Entia beside that of a git reference
  --json FILE           writes the numbers of every round
  --profile DIRECTORY   writes a CPU profile per mix and store, and prints the functions with the most time
`

const ownFolder = new URL('./subjects/', import.meta.url)
const peerFolder = new URL('../peers/mixed/', import.meta.url)
const ownServer = new URL('./http/servers/entia.js', import.meta.url)
const peerServer = new URL('../peers/mixed-servers/sqlite-node.js', import.meta.url)
const installedPeers = new URL('../peers/node_modules', import.meta.url)
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
 * @property {readonly { name: string, url: string, isPeer: boolean }[]} subjects   ours first
 * @property {readonly { name: string, url: string }[]} servers   for the mix over HTTP
 * @property {string | null} against   a git reference
 * @property {number} peerSeconds    that a peer may take for one mix
 * @property {string | null} jsonFile
 * @property {string | null} profileDirectory
 */

/**
 * @param {readonly string[]} argv
 * @returns {MixOptions | { kind: 'help' } | { kind: 'refused', reason: string }}
 */
export function parseMixOptions(argv) {
  let values
  try {
    values = parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', default: false },
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
    }).values
  } catch (error) {
    return { kind: 'refused', reason: error.message }
  }
  if (values.help) return { kind: 'help' }
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const value = Number(values[name])
    if (!(value >= least && value <= most))
      return { kind: 'refused', reason: `--${name} must be from ${least} to ${most}.` }
  }
  const unknown = splitList(values.only).find((name) => !mixes.some(({ id }) => id.startsWith(name)))
  if (unknown !== undefined) {
    return {
      kind: 'refused',
      reason: `--only: there is no mix ${unknown}. Known: ${mixes.map(({ id }) => id).join(' ')}.`,
    }
  }
  const peers = values.peers ? peerNames() : splitList(values.peer)
  const stranger = peers.find((name) => !existsSync(new URL(`${name}.js`, peerFolder)))
  if (stranger !== undefined) {
    return { kind: 'refused', reason: `There is no store ${stranger}. Peers: ${peerNames().join(' ')}.` }
  }
  if (peers.length > 0 && !existsSync(installedPeers)) {
    return { kind: 'refused', reason: 'The peers are not installed: npm ci --prefix bench/peers' }
  }
  return {
    kind: values.heap ? 'heap' : values.against === undefined ? 'run' : 'against',
    rows: Math.round(Number(values.n)),
    mixes: chosenMixes(splitList(values.only)),
    rounds: Math.round(Number(values.rounds)),
    milliseconds: Number(values.seconds) * 1000,
    minutes: Number(values.minutes),
    subjects: [
      { name: ourName, url: new URL(`${ourName}.js`, ownFolder).href, isPeer: false },
      ...[...new Set(peers)].map((name) => ({ name, url: new URL(`${name}.js`, peerFolder).href, isPeer: true })),
    ],
    servers: [
      { name: ourName, url: ownServer.href },
      ...(peers.includes('better-sqlite3') ? [{ name: 'sqlite-node', url: peerServer.href }] : []),
    ],
    against: values.against ?? null,
    peerSeconds: Number(values['peer-seconds']),
    jsonFile: values.json === undefined ? null : fromCaller(values.json),
    profileDirectory: values.profile === undefined ? null : fromCaller(values.profile),
  }
}

function chosenMixes(names) {
  return names.length === 0 ? mixes : mixes.filter(({ id }) => names.some((name) => id.startsWith(name)))
}

function peerNames() {
  return existsSync(peerFolder) ? readdirSync(peerFolder).map((file) => basename(file, '.js')) : []
}
