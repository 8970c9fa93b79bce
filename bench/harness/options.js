import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { workloads } from '../workloads/index.js'

export const usage = `npm run bench -- [options]

  --n 100000            employees, 2 000 to 1 000 000
  --only W5,W8          workloads; W8 means W8a and W8b
  --rounds 5            at least 3 for a table that is to be shown
  --milliseconds 100    of each round of each workload
  --subjects limit,entia  names in bench/subjects, or paths of modules; ratios are to the first
  --json FILE           writes the numbers of every round
  --profile DIRECTORY   writes a CPU profile per workload and subject, and prints the functions with the most time
`

const limits = { n: [2_000, 1_000_000], rounds: [1, 99], milliseconds: [1, 60_000] }

/**
 * @typedef {object} BenchOptions
 * @property {'run'} kind
 * @property {number} employeeCount
 * @property {readonly import('../workloads/workload.js').Workload[]} workloads
 * @property {number} rounds
 * @property {number} milliseconds
 * @property {readonly { name: string, url: string }[]} subjects
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
        rounds: { type: 'string', default: '5' },
        milliseconds: { type: 'string', default: '100' },
        subjects: { type: 'string', default: 'limit,entia' },
        json: { type: 'string' },
        profile: { type: 'string' },
      },
    }).values
  } catch (error) {
    return { kind: 'refused', reason: error.message }
  }
  if (values.help) return { kind: 'help' }
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
  return {
    kind: 'run',
    employeeCount: Number(values.n),
    workloads: chosen.workloads,
    rounds: Number(values.rounds),
    milliseconds: Number(values.milliseconds),
    subjects: splitList(values.subjects).map(locateSubject),
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

/** `limit` is a module of the subjects folder; what holds a slash is a path. */
function locateSubject(name) {
  if (name.includes('/')) {
    return { name: name.replace(/^.*\/|\.m?js$/g, ''), url: pathToFileURL(fromCaller(name)).href }
  }
  return { name, url: new URL(`../subjects/${name}.js`, import.meta.url).href }
}

/** Paths are those of the shell in which `npm run` was typed: npm itself changes to the folder of the package. */
const fromCaller = (path) => resolve(process.env.INIT_CWD ?? process.cwd(), path)
const splitList = (text) => text.split(',').filter((part) => part !== '')
const allIds = () => workloads.map(({ id }) => id).join(' ')
