import { existsSync, readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { workloads } from '../workloads/index.js'

export const usage = `npm run bench -- [options]

  --n 100000            employees, 2 000 to 1 000 000
  --only W5,W8          workloads; W8 means W8a and W8b
  --rounds 5            at least 3 for a table that is to be shown
  --milliseconds 100    of each round of each workload
  --peers               all stores of bench/peers, too
  --peer lokijs,alasql  these stores of bench/peers, too
  --subjects limit,entia  names in bench/subjects or bench/peers/subjects, or paths of modules; ratios are to the first
  --against REF         this build beside that of a git reference; ends with 1 when a workload has become slower
  --json FILE           writes the numbers of every round
  --profile DIRECTORY   writes a CPU profile per workload and subject, and prints the functions with the most time
`

const peerFolder = new URL('../peers/subjects/', import.meta.url)
const installedPeers = new URL('../peers/node_modules', import.meta.url)
const limits = { n: [2_000, 1_000_000], rounds: [1, 99], milliseconds: [1, 60_000] }

/**
 * @typedef {object} BenchOptions
 * @property {'run'} kind
 * @property {number} employeeCount
 * @property {readonly import('../workloads/workload.js').Workload[]} workloads
 * @property {number} rounds
 * @property {number} milliseconds
 * @property {readonly { name: string, url: string }[]} subjects
 * @property {string | null} against               a git reference
 * @property {string | null} jsonFile
 * @property {string | null} profileDirectory
 */

/**
 * @param {readonly string[]} argv
 * @returns {BenchOptions | { kind: 'help' } | { kind: 'refused', reason: string }}
 */
export function parseOptions(argv) {
  let values
  try {
    values = parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', default: false },
        n: { type: 'string', default: '100000' },
        only: { type: 'string', default: '' },
        rounds: { type: 'string' },
        milliseconds: { type: 'string', default: '100' },
        subjects: { type: 'string', default: 'limit,entia' },
        peers: { type: 'boolean', default: false },
        peer: { type: 'string', default: '' },
        against: { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'string' },
      },
    }).values
  } catch (error) {
    return { kind: 'refused', reason: error.message }
  }
  if (values.help) return { kind: 'help' }
  // Two builds are told apart by the medians of many rounds.
  values.rounds ??= values.against === undefined ? '5' : '9'
  for (const [name, [least, most]] of Object.entries(limits)) {
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < least || value > most) {
      return { kind: 'refused', reason: `--${name} must be a whole number from ${least} to ${most}.` }
    }
  }
  const chosen = chooseWorkloads(values.only)
  if (chosen.unknown !== null) {
    return { kind: 'refused', reason: `--only: there is no workload ${chosen.unknown}. Known: ${allIds()}.` }
  }
  const names = [...splitList(values.subjects), ...(values.peers ? peerNames() : splitList(values.peer))]
  const subjects = [...new Set(names)].map(locateSubject)
  const stranger = subjects.find(({ url }) => !existsSync(fileURLToPath(url)))
  if (stranger !== undefined) {
    return { kind: 'refused', reason: `There is no subject ${stranger.name}. Peers: ${peerNames().join(' ')}.` }
  }
  if (subjects.some(({ url }) => url.startsWith(peerFolder.href)) && !existsSync(installedPeers)) {
    return { kind: 'refused', reason: 'The peers are not installed: npm ci --prefix bench/peers' }
  }
  return {
    kind: 'run',
    employeeCount: Number(values.n),
    workloads: chosen.workloads,
    rounds: Number(values.rounds),
    milliseconds: Number(values.milliseconds),
    subjects,
    against: values.against ?? null,
    jsonFile: values.json === undefined ? null : fromCaller(values.json),
    profileDirectory: values.profile === undefined ? null : fromCaller(values.profile),
  }
}

/** An id chooses itself and those that continue it with letters: W1 is W1 and W1m, and not W10a. */
function chooseWorkloads(only) {
  const names = splitList(only)
  if (names.length === 0) return { workloads, unknown: null }
  const isChosenBy = (name) => (workload) =>
    workload.id.startsWith(name) && /^[a-z]*$/.test(workload.id.slice(name.length))
  const unknown = names.find((name) => !workloads.some(isChosenBy(name))) ?? null
  return { workloads: workloads.filter((workload) => names.some((name) => isChosenBy(name)(workload))), unknown }
}

/** The stores that the benchmark can be run against. */
function peerNames() {
  return readdirSync(peerFolder).map((file) => basename(file, '.js'))
}

/** `limit` is a module of a subjects folder; what holds a slash is a path. */
function locateSubject(name) {
  if (name.includes('/')) {
    return { name: name.replace(/^.*\/|\.m?js$/g, ''), url: pathToFileURL(fromCaller(name)).href }
  }
  const own = new URL(`../subjects/${name}.js`, import.meta.url)
  return { name, url: existsSync(own) ? own.href : new URL(`${name}.js`, peerFolder).href }
}

/** Paths are those of the shell in which `npm run` was typed: npm itself changes to the folder of the package. */
const fromCaller = (path) => resolve(process.env.INIT_CWD ?? process.cwd(), path)
const splitList = (text) => text.split(',').filter((part) => part !== '')
const allIds = () => workloads.map(({ id }) => id).join(' ')
