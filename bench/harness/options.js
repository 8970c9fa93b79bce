import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { workloads } from '../workloads/index.js'
import { fromCaller, splitList } from './command-line.js'
import { baselineName, ourName } from './subject-names.js'

export const usage = `npm run bench -- [options]

  --n 100000            employees, 2 000 to 1 000 000
  --growth              at a hundredth, a tenth and all of --n (1 000 000 unless told), and how the times grow
  --only W5,W8          workloads; W8 means W8a and W8b
  --rounds 5            at least 3 for a table that is to be shown
  --milliseconds 100    of each round of each workload
  --peers               all stores of bench/peers, too
  --peer lokijs,alasql  these stores of bench/peers, too
  --peer-seconds 45     that a peer may take for everything; then it is stopped, and has no more results
  --subjects baseline,entia  names in bench/subjects or bench/peers/subjects, or paths of modules; ratios are to the first
  --against REF         this build beside that of a git reference; ends with 1 when a workload has become slower
  --json FILE           writes the numbers of every round
  --profile DIRECTORY   writes a CPU profile per workload and subject, and prints the functions with the most time
`

const peerFolder = new URL('../peers/subjects/', import.meta.url)
const installedPeers = new URL('../peers/node_modules', import.meta.url)
const limits = { n: [2_000, 1_000_000], rounds: [1, 99], milliseconds: [1, 60_000], 'peer-seconds': [1, 3_600] }
/** Of the size asked for, from the smallest on. */
const growthFractions = [0.01, 0.1, 1]

/**
 * @typedef {object} BenchSubject
 * @property {string} name
 * @property {string} url               of its module
 * @property {boolean} isPeer           neither Entia nor the baseline: it gets less time
 * @property {number} [employeeCount]   where it is not that of the run
 *
 * @typedef {object} BenchOptions
 * @property {'run'} kind
 * @property {number} employeeCount
 * @property {readonly number[] | null} sizes      employees, ascending: how do the times grow?
 * @property {readonly import('../workloads/workload.js').Workload[]} workloads
 * @property {number} rounds
 * @property {number} milliseconds
 * @property {readonly BenchSubject[]} subjects
 * @property {number} peerSeconds                  that a peer may take for everything
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
        n: { type: 'string' },
        growth: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        rounds: { type: 'string' },
        milliseconds: { type: 'string', default: '100' },
        subjects: { type: 'string', default: 'baseline,entia' },
        peers: { type: 'boolean', default: false },
        peer: { type: 'string', default: '' },
        'peer-seconds': { type: 'string', default: '45' },
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
  values.n ??= values.growth ? '1000000' : '100000'
  for (const [name, [least, most]] of Object.entries(limits)) {
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < least || value > most) {
      return { kind: 'refused', reason: `--${name} must be a whole number from ${least} to ${most}.` }
    }
  }
  const sizes = values.growth ? growthFractions.map((fraction) => Math.round(Number(values.n) * fraction)) : null
  if (sizes !== null && sizes[0] < limits.n[0]) {
    return { kind: 'refused', reason: `--growth needs --n ${limits.n[0] / growthFractions[0]} or more.` }
  }
  if (sizes !== null && values.against !== undefined) {
    return { kind: 'refused', reason: '--growth and --against are two questions.' }
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
    sizes,
    workloads: chosen.workloads,
    rounds: Number(values.rounds),
    milliseconds: Number(values.milliseconds),
    subjects,
    peerSeconds: Number(values['peer-seconds']),
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

/** A name such as `baseline` is a module of a subjects folder; a name with a slash is a path. */
function locateSubject(name) {
  if (name.includes('/')) {
    return { name: name.replace(/^.*\/|\.m?js$/g, ''), url: pathToFileURL(fromCaller(name)).href, isPeer: true }
  }
  const own = new URL(`../subjects/${name}.js`, import.meta.url)
  const isPeer = name !== baselineName && name !== ourName
  return { name, url: existsSync(own) ? own.href : new URL(`${name}.js`, peerFolder).href, isPeer }
}

const allIds = () => workloads.map(({ id }) => id).join(' ')
