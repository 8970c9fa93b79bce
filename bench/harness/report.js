import os from 'node:os'
import { defaultSeed } from '../data.js'

/** Beyond this many times its limit a workload is marked. */
const markedRatio = 4

/** The table of a run as GitHub-flavoured Markdown, with a line above that says where it was measured. */
export function printTable({ options, versions, cells }) {
  const names = options.subjects.map(({ name }) => name)
  const [base, ...others] = names
  const header = ['', 'workload', ...names, ...others.map((name) => `${name}/${base}`)]
  const rows = options.workloads.map(({ id, title, kind }) => {
    const bySubject = cells.get(id)
    const ratios = others.map((name) => formatRatio(ratioOf(bySubject.get(name), bySubject.get(base))))
    return [id, title, ...names.map((name) => formatCell(bySubject.get(name), kind)), ...ratios]
  })
  const { machine, node } = environment()
  const about =
    `${options.employeeCount} employees, 10000 companies, ${options.rounds} rounds, ` +
    `${names.map((name) => `${name} (${versions.get(name)})`).join(', ')}, Node ${node}, ${machine}`
  return `${about}\n\n${markdownTable(header, rows)}${profileText(options, cells)}`
}

/** Why cells are WRONG, one line each; empty when none is. */
export function listFaults({ options, cells }) {
  const lines = options.workloads.flatMap(({ id }) =>
    [...cells.get(id)]
      .filter(([, cell]) => cell.kind === 'wrong')
      .map(([name, cell]) => `WRONG ${id} ${name}: ${cell.reason}\n`),
  )
  return lines.length === 0 ? '' : `\n${lines.join('')}`
}

/** Everything that was measured, as plain data. */
export function jsonReport({ options, versions, cells }) {
  return {
    ...environment(),
    measuredAt: new Date().toISOString(),
    employeeCount: options.employeeCount,
    seed: defaultSeed,
    rounds: options.rounds,
    milliseconds: options.milliseconds,
    subjects: Object.fromEntries(versions),
    workloads: options.workloads.map(({ id, title, kind }) => ({
      id,
      title,
      unit: kind === 'memory' ? 'bytes per employee' : 'nanoseconds per operation',
      results: Object.fromEntries([...cells.get(id)].map(([name, { functions: _, ...cell }]) => [name, cell])),
    })),
  }
}

function environment() {
  const processors = os.cpus()
  return { node: process.versions.node, machine: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}` }
}

function ratioOf(cell, baseCell) {
  return cell.kind === 'measured' && baseCell.kind === 'measured' ? cell.value / baseCell.value : null
}

function formatRatio(ratio) {
  if (ratio === null) return '-'
  return `${ratio.toFixed(2)}x${ratio > markedRatio ? ' (!)' : ''}`
}

function formatCell(cell, kind) {
  switch (cell.kind) {
    case 'absent':
      return 'n/a'
    case 'wrong':
      return 'WRONG'
    default:
      return kind === 'memory' ? `${cell.value.toFixed(0)} B` : formatDuration(cell.value)
  }
}

/** Three significant digits. */
function formatDuration(nanoseconds) {
  const units = [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'us'],
    [1, 'ns'],
  ]
  const [size, name] = units.find(([least]) => nanoseconds >= least) ?? [1, 'ns']
  return `${(nanoseconds / size).toPrecision(3)} ${name}`
}

function markdownTable(header, rows) {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column].length)))
  // Numbers are set to the right, ids and titles to the left.
  const line = (row) =>
    `| ${row.map((text, column) => (column < 2 ? text.padEnd(widths[column]) : text.padStart(widths[column]))).join(' | ')} |\n`
  const rule = `|${widths.map((width, column) => (column < 2 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|\n`
  return line(header) + rule + rows.map(line).join('')
}

function profileText(options, cells) {
  if (options.profileDirectory === null) return ''
  const parts = options.workloads.flatMap(({ id }) =>
    [...cells.get(id)]
      .filter(([, cell]) => cell.kind === 'measured' && cell.functions.length > 0)
      .map(([name, { functions }]) => {
        const lines = functions.map(({ name, share }) => `  ${(share * 100).toFixed(1).padStart(5)} %  ${name}\n`)
        return `\n${id} ${name}\n${lines.join('')}`
      }),
  )
  return parts.join('')
}
