import { median } from '../harness/runner.js'
import { markdownTable } from '../harness/text-table.js'

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`
const bytes = (count) =>
  count < 10_000
    ? `${count.toFixed(0)} B`
    : count < 1e6
      ? `${(count / 1000).toFixed(0)} kB`
      : `${(count / 1e6).toFixed(1)} MB`
/** A collection between the two readings may free more than a replica takes. */
const growth = (count) => (count > 0 ? bytes(count) : 'none')

const total = ({ up, down }) => up + down
/** Lines of the table: title, step, value, unit. */
const LINES = [
  ['all contents from the server: until the first answer', 'first', 'milliseconds', seconds],
  ['— processors of the browser', 'first', 'pageCpu', seconds],
  ['— processors of the server', 'first', 'serverCpu', seconds],
  ['— bytes', 'first', total, bytes],
  ['one query alone: until its answer', 'narrow', 'milliseconds', seconds],
  ['— bytes', 'narrow', total, bytes],
  ['from the storage of the browser: until the first answer', 'kept', 'milliseconds', seconds],
  ['— processors of the browser', 'kept', 'pageCpu', seconds],
  ['— bytes, nothing has changed', 'kept', total, bytes],
  ['one changed number of another: bytes', 'single', total, bytes],
  ['back after 100 changes of others', 'changed100', 'milliseconds', seconds],
  ['— bytes', 'changed100', total, bytes],
  ['1000 own transactions without a connection', 'hourWrites', 'milliseconds', seconds],
  ['back after these and 20,000 changes of others', 'hour', 'milliseconds', seconds],
  ['— processors of the browser', 'hour', 'pageCpu', seconds],
  ['— processors of the server', 'hour', 'serverCpu', seconds],
  ['— bytes', 'hour', total, bytes],
  ['each further replica: processors of the server', 'tabs', 'serverCpu', seconds],
  ['— growth of the memory of the server', 'tabs', 'serverBytes', growth],
]

/** All printed text. */
export function printReplicas({ entities, node, chromium, machine, missing, results }) {
  const names = [...new Set(results.map(({ name }) => name))]
  const rounds = Math.max(...results.map(({ round }) => round)) + 1
  const lines = LINES.map(([title, step, value, unit]) => [
    title,
    ...names.map((name) => {
      const given = results
        .filter((each) => each.name === name && each.steps[step] !== undefined)
        .map(({ steps }) => (typeof value === 'string' ? steps[step][value] : value(steps[step])))
      return given.length === 0 ? 'n/a' : unit(median(given))
    }),
  ])
  const notes = [
    ...Object.entries(missing).map(([name, reason]) => `${name} is missing: ${reason}`),
    ...results
      .filter(({ fault }) => fault !== null)
      .map(({ name, round, fault }) => `${name}, round ${round + 1}, is WRONG: ${fault}`),
  ]
  const about = `${entities} entities of ten attributes, medians of ${rounds} round${rounds === 1 ? '' : 's'}, Chromium ${chromium}, Node ${node}, ${machine}`
  return [about, markdownTable([' ', ...names], lines, 1), ...notes].join('\n\n')
}
