import os from 'node:os'
import { defaultSeed } from '../data.js'
import { median } from './runner.js'
import { shareLines } from './text-table.js'

/**
 * A run as plain data: the content of the JSON file, and the source of the tables.
 * @typedef {object} Report
 * @property {string} node
 * @property {string} machine
 * @property {string} measuredAt
 * @property {number} runs                          the number of runs that the medians cover
 * @property {number} seconds
 * @property {number} employeeCount
 * @property {number} seed
 * @property {number} rounds
 * @property {number} milliseconds                  of a round
 * @property {Record<string, string>} subjects      versions by name
 * @property {Record<string, string>} missing       reasons by name
 * @property {readonly ReportedWorkload[]} workloads
 *
 * @typedef {object} ReportedWorkload
 * @property {string} id
 * @property {string} title
 * @property {'bytes per employee' | 'nanoseconds per operation'} unit
 * @property {Record<string, import('./runner.js').Cell>} results   by subject
 */

/**
 * @param {import('./runner.js').BenchResult} result
 * @returns {Report}
 */
export function makeReport({ options, versions, missing, cells, seconds }) {
  return {
    ...whereAndWhen(),
    runs: 1,
    seconds: Math.round(seconds),
    employeeCount: options.employeeCount,
    seed: defaultSeed,
    rounds: options.rounds,
    milliseconds: options.milliseconds,
    subjects: Object.fromEntries(versions),
    missing: Object.fromEntries(missing),
    workloads: options.workloads.map(({ id, title, kind }) => ({
      id,
      title,
      unit: kind === 'memory' ? 'bytes per employee' : 'nanoseconds per operation',
      results: Object.fromEntries(
        [...cells.get(id)].map(([name, { functions: _, ...cell }]) => [name, cell]),
      ),
    })),
  }
}

/** The machine and the time of a measurement. */
export function whereAndWhen() {
  const processors = os.cpus()
  return {
    node: process.versions.node,
    machine: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    measuredAt: new Date().toISOString(),
  }
}

/**
 * Merges runs of the same workloads and subjects: each value becomes the median over the runs.
 * @param {readonly Report[]} reports   at least one
 * @returns {Report}
 */
export function mergeReports(reports) {
  const [first] = reports
  const workloads = first.workloads.map((workload) => {
    const same = reports.map((report) => report.workloads.find(({ id }) => id === workload.id))
    const results = Object.keys(workload.results).map((name) => {
      const cells = same
        .map((other) => other?.results[name])
        .filter((cell) => cell?.kind === 'measured')
      // If a run failed to measure a cell, its reason replaces the median: WRONG stays WRONG.
      if (cells.length < reports.length)
        return [
          name,
          same.find((other) => other?.results[name]?.kind !== 'measured')?.results[name],
        ]
      const values = cells.map(({ value }) => value)
      return [name, { kind: 'measured', value: median(values), rounds: values }]
    })
    return {
      ...workload,
      results: Object.fromEntries(results.filter(([, cell]) => cell !== undefined)),
    }
  })
  return {
    ...first,
    runs: reports.length,
    seconds: Math.round(median(reports.map(({ seconds }) => seconds))),
    workloads,
  }
}

/** The reasons for WRONG cells and the missing subjects, one line each. */
export function listFaults({ workloads, missing }) {
  const wrong = workloads.flatMap(({ id, results }) =>
    Object.entries(results)
      .filter(([, cell]) => cell.kind === 'wrong')
      .map(([name, { reason }]) => `WRONG ${id} ${name}: ${reason}\n`),
  )
  const absent = Object.entries(missing).map(([name, reason]) => `NOT STARTED ${name}: ${reason}\n`)
  const lines = [...wrong, ...absent]
  return lines.length === 0 ? '' : `\n${lines.join('')}`
}

/** The busiest functions of each workload, if profiles were requested. */
export function profileText({ options, cells }) {
  if (options.profileDirectory === null) return ''
  const parts = options.workloads.flatMap(({ id }) =>
    [...cells.get(id)]
      .filter(([, cell]) => cell.kind === 'measured' && cell.functions.length > 0)
      .map(([name, { functions }]) => `\n${id} ${name}\n${shareLines(functions)}`),
  )
  return parts.join('')
}
