import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { workloads } from '../workloads/index.js'
import {
  checkBounds,
  fromCaller,
  moduleNames,
  optionalPath,
  readCommandLine,
  requirePeers,
  splitList,
} from './command-line.js'
import { baselineName, ourName } from './subject-names.js'

const usage = `npm run bench -- [options]

  --n 100000            employees, 2 000 to 1 000 000
  --growth              at 1 %, 10 % and 100 % of --n (default 1 000 000), with the growth of the times
  --only W5,W8          workloads; W8 means W8a and W8b
  --rounds 5            at least 3 for a table to publish
  --milliseconds 100    of each round of each workload
  --peers               also all stores of bench/peers
  --peer lokijs,alasql  also these stores of bench/peers
  --peer-seconds 45     time limit of a peer for all workloads; it is stopped after that
  --subjects baseline,entia  names in bench/subjects or bench/peers/subjects, or paths of modules; the first is
                        the base of the ratios
  --against REF         compares this build with that of a git reference; exits with 1 if a workload is slower
  --json FILE           writes the numbers of every round
  --profile DIRECTORY   writes a CPU profile per workload and subject, and prints the busiest functions
`

const peerFolder = new URL('../peers/subjects/', import.meta.url)
const bounds = {
  n: [2_000, 1_000_000],
  rounds: [1, 99],
  milliseconds: [1, 60_000],
  'peer-seconds': [1, 3_600],
}
/** The sizes as fractions of --n, ascending. */
const growthFractions = [0.01, 0.1, 1]

/**
 * @typedef {object} BenchSubject
 * @property {string} name
 * @property {string} url               of its module
 * @property {boolean} isPeer           neither Entia nor the baseline: it has a time limit
 * @property {number} [employeeCount]   if it differs from that of the run
 *
 * @typedef {object} BenchOptions
 * @property {number} employeeCount
 * @property {readonly number[] | null} sizes      employees, ascending, to measure growth
 * @property {readonly import('../workloads/workload.js').Workload[]} workloads
 * @property {number} rounds
 * @property {number} milliseconds
 * @property {readonly BenchSubject[]} subjects
 * @property {number} peerSeconds                  the time limit of a peer for all workloads
 * @property {string | null} against               a git reference
 * @property {string | null} jsonFile
 * @property {string | null} profileDirectory
 */

/** Reads the command line of the benchmark. @returns {BenchOptions} */
export const parseOptions = () =>
  readCommandLine(
    usage,
    {
      n: { type: 'string' },
      growth: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      rounds: { type: 'string' },
      milliseconds: { type: 'string', default: '100' },
      subjects: { type: 'string', default: `${baselineName},${ourName}` },
      peers: { type: 'boolean', default: false },
      peer: { type: 'string', default: '' },
      'peer-seconds': { type: 'string', default: '45' },
      against: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
    optionsOf,
  )

function optionsOf(values) {
  // Comparing two builds takes the medians of many rounds.
  values.rounds ??= values.against === undefined ? '5' : '9'
  values.n ??= values.growth ? '1000000' : '100000'
  checkBounds(values, bounds)
  const sizes = values.growth
    ? growthFractions.map((fraction) => Math.round(Number(values.n) * fraction))
    : null
  if (sizes !== null && sizes[0] < bounds.n[0])
    throw new Error(`--growth needs --n ${bounds.n[0] / growthFractions[0]} or more.`)
  if (sizes !== null && values.against !== undefined)
    throw new Error('--growth and --against cannot be combined.')
  const chosen = chooseWorkloads(values.only)
  if (chosen.unknown !== null)
    throw new Error(`--only: there is no workload ${chosen.unknown}. Workloads: ${allIds()}.`)
  const names = [
    ...splitList(values.subjects),
    ...(values.peers ? moduleNames(peerFolder) : splitList(values.peer)),
  ]
  const subjects = [...new Set(names)].map(locateSubject)
  const unknownSubject = subjects.find(({ url }) => !existsSync(fileURLToPath(url)))
  if (unknownSubject !== undefined)
    throw new Error(
      `There is no subject ${unknownSubject.name}. Peers: ${moduleNames(peerFolder).join(' ')}.`,
    )
  requirePeers(subjects.some(({ url }) => url.startsWith(peerFolder.href)))
  return {
    employeeCount: Number(values.n),
    sizes,
    workloads: chosen.workloads,
    rounds: Number(values.rounds),
    milliseconds: Number(values.milliseconds),
    subjects,
    peerSeconds: Number(values['peer-seconds']),
    against: values.against ?? null,
    jsonFile: optionalPath(values.json),
    profileDirectory: optionalPath(values.profile),
  }
}

/** An id selects itself and its lettered variants: W1 selects W1 and W1m, but not W10a. */
function chooseWorkloads(only) {
  const names = splitList(only)
  if (names.length === 0) return { workloads, unknown: null }
  const isChosenBy = (name) => (workload) =>
    workload.id.startsWith(name) && /^[a-z]*$/.test(workload.id.slice(name.length))
  const unknown = names.find((name) => !workloads.some(isChosenBy(name))) ?? null
  return {
    workloads: workloads.filter((workload) => names.some((name) => isChosenBy(name)(workload))),
    unknown,
  }
}

/** A name is a module of a subjects folder; with a slash it is a path. */
function locateSubject(name) {
  if (name.includes('/')) {
    return {
      name: name.replace(/^.*\/|\.m?js$/g, ''),
      url: pathToFileURL(fromCaller(name)).href,
      isPeer: true,
    }
  }
  const own = new URL(`../subjects/${name}.js`, import.meta.url)
  const isPeer = name !== baselineName && name !== ourName
  return { name, url: existsSync(own) ? own.href : new URL(`${name}.js`, peerFolder).href, isPeer }
}

const allIds = () => workloads.map(({ id }) => id).join(' ')
