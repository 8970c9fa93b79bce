import { goals, goalsEmployeeCount, leadsOf } from '../goals.js'
import { baselineName, ourName } from './subject-names.js'
import { formatDuration, markdownTable } from './text-table.js'

/** The multiple of the baseline from which a workload is marked. */
const markedRatio = 4

/** @typedef {import('./report.js').Report} Report */
/** @typedef {import('./report.js').ReportedWorkload} ReportedWorkload */

/** The tables of a run as GitHub-flavoured Markdown, below a line with the conditions. */
export function printTables(report) {
  const names = Object.keys(report.subjects)
  const peers = peersOf(report)
  const hasRivals = peers.length > 0 && names.includes(baselineName) && names.includes(ourName)
  const main = hasRivals ? goalTable(report) : ratioTable(report)
  const all = hasRivals && peers.length > 1 ? `\nEvery subject:\n\n${valueTable(report)}` : ''
  return `${aboutRun(report)}\n\n${main}${all}`
}

/** The stores to compare with. */
export function peersOf({ subjects }) {
  return Object.keys(subjects).filter((name) => name !== baselineName && name !== ourName)
}

/** The conditions of a run in one line. */
export function aboutRun({ employeeCount, ...report }) {
  return `${employeeCount} employees, ${aboutMeasuring(report)}`
}

/**
 * The number of employees at each size, and the conditions of `aboutRun`. @param
 * {import('./growth.js').GrowthReport} growth
 */
export function aboutGrowth({ reports }) {
  return `${reports.map(({ employeeCount }) => employeeCount).join(', ')} employees, ${aboutMeasuring(reports[0])}`
}

function aboutMeasuring({ runs, rounds, subjects, missing, node, machine, seconds }) {
  const measured = Object.entries(subjects).map(([name, version]) => `${name} (${version})`)
  const absent = Object.keys(missing).map((name) => `${name} (could not be started)`)
  const repeated = runs > 1 ? `medians of ${runs} runs, ` : ''
  return (
    `10000 companies, ${repeated}${rounds} rounds, ${[...measured, ...absent].join(', ')}, ` +
    `Node ${node}, ${machine}, ${seconds} s`
  )
}

/**
 * Baseline, Entia and the best peer; at the size of the goals also each goal and whether it is
 * reached, unless they are left out.
 * @param {Report} report
 */
export function goalTable(report, { hasGoals = report.employeeCount === goalsEmployeeCount } = {}) {
  const goalColumns = hasGoals ? ['goal', ''] : []
  const header = [
    ...['', 'workload', baselineName, ourName, 'best peer', '', 'ahead'],
    ...goalColumns,
    `of ${baselineName}`,
    ...goalColumns,
  ]
  return markdownTable(
    header,
    report.workloads.map((workload) => goalRow(report, workload, hasGoals)),
  )
}

function goalRow(report, workload, hasGoals) {
  const { id, title, results } = workload
  const best = bestPeer(report, workload)
  const goal = goals.get(id)
  const ratio = ratioOf(results[ourName], results[baselineName])
  const leads =
    goal === undefined || !isMeasured(results[ourName])
      ? []
      : leadsOf(goal, results[ourName].value, measuredPeers(report, workload))
  const several = leads.length > 1
  const eachLead = (describe) => (leads.length === 0 ? '-' : leads.map(describe).join(', '))
  return [
    id,
    title,
    formatCell(results[baselineName], workload),
    formatCell(results[ourName], workload),
    best?.name ?? '-',
    best === null ? '-' : formatCell(results[best.name], workload),
    eachLead((lead) => (several ? `${factor(lead.ratio)} ${lead.peer}` : factor(lead.ratio))),
    ...(hasGoals
      ? [eachLead((lead) => factor(lead.goal)), eachLead(({ isReached }) => yesOrNo(isReached))]
      : []),
    ratio === null ? '-' : factor(ratio),
    ...(hasGoals ? baselineGoal(goal, ratio) : []),
  ]
}

function baselineGoal(goal, ratio) {
  if (goal === undefined) return ['-', '-']
  return [factor(goal.withinBaseline), ratio === null ? '-' : yesOrNo(ratio <= goal.withinBaseline)]
}

/** The values of all subjects, and the ratios to the first one. @param {Report} report */
function ratioTable({ subjects, workloads }) {
  const [first, ...others] = Object.keys(subjects)
  const header = ['', 'workload', first, ...others, ...others.map((name) => `${name}/${first}`)]
  const rows = workloads.map((workload) => {
    const { id, title, results } = workload
    const ratios = others.map((name) => markedFactor(ratioOf(results[name], results[first])))
    return [
      id,
      title,
      ...[first, ...others].map((name) => formatCell(results[name], workload)),
      ...ratios,
    ]
  })
  return markdownTable(header, rows)
}

/** The values of all subjects, with the best peer in bold. @param {Report} report */
export function valueTable(report, names = Object.keys(report.subjects)) {
  const rows = report.workloads.map((workload) => {
    const best = bestPeer(report, workload)
    return [
      workload.id,
      ...names.map((name) => {
        const text = formatCell(workload.results[name], workload)
        return name === best?.name ? `**${text}**` : text
      }),
    ]
  })
  return markdownTable(['', ...names], rows, 1)
}

/** @returns {{ name: string, value: number } | null} */
export function bestPeer(report, workload) {
  const values = [...measuredPeers(report, workload)]
  if (values.length === 0) return null
  const [name, value] = values.reduce((best, other) => (other[1] < best[1] ? other : best))
  return { name, value }
}

/** @returns {ReadonlyMap<string, number>} */
export function measuredPeers(report, { results }) {
  const measured = peersOf(report).filter((name) => isMeasured(results[name]))
  return new Map(measured.map((name) => [name, results[name].value]))
}

const isMeasured = (cell) => cell?.kind === 'measured'
/** The quotient of two measured values; null without one of them. */
export const ratioOf = (cell, base) =>
  isMeasured(cell) && isMeasured(base) ? cell.value / base.value : null
const yesOrNo = (isReached) => (isReached ? 'yes' : 'no')
const factor = (ratio) => `${ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2)}x`
const markedFactor = (ratio) =>
  ratio === null ? '-' : `${factor(ratio)}${ratio > markedRatio ? ' (!)' : ''}`

/** A value in its unit, or the reason for a missing one. */
export const formatCell = (cell, { unit }) =>
  cellText(cell, ({ value }) =>
    unit === 'bytes per employee' ? `${value.toFixed(0)} B` : formatDuration(value),
  )

/** A measured value in the given format, or the reason for a missing one. */
export function cellText(cell, format) {
  switch (cell?.kind) {
    case 'measured':
      return format(cell)
    case 'wrong':
      return 'WRONG'
    case 'timeout':
      return 'timeout'
    default:
      return 'n/a'
  }
}
