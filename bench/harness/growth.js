import { makeReport, mergeReports } from './report.js'
import { formatCell } from './report-tables.js'
import { runBenchmark } from './runner.js'
import { ourName } from './subject-names.js'
import { markdownTable } from './text-table.js'

/**
 * The excess over the expected exponent that the table marks. Cache misses of larger tables alone
 * cause smaller ones.
 */
const markedExcess = 0.35

/**
 * Workloads whose work grows with the table in any store, with the exponent. `rows`: they scan the
 * table, or read, combine or return a share of it. `page`: at 10 000 employees their page of 100 is
 * not full, or the skipped entries are the whole table. All other workloads could be independent of
 * the size.
 */
const rows = { text: 'rows', exponent: 1 }
const page = { text: 'page fills', exponent: 0.5 }
const same = { text: '-', exponent: 0 }
const work = new Map([
  ...['W1', 'W3e', 'W5', 'W6', 'W7', 'W10a', 'W10b', 'W12a', 'W12b', 'W12c'].map((id) => [
    id,
    rows,
  ]),
  ...['W3', 'W4a', 'W4ea', 'W8b'].map((id) => [id, page]),
])

/**
 * The same workloads at several sizes.
 * @typedef {object} GrowthReport
 * @property {'growth'} kind
 * @property {readonly import('./report.js').Report[]} reports   one per size, ascending
 */

/**
 * Measures all sizes in one run, in separate processes with alternating rounds, so that noise
 * affects all sizes alike.
 * @param {import('./options.js').BenchOptions} options   with `sizes`
 * @param {(step: object) => void} onProgress
 * @returns {Promise<GrowthReport>}
 */
export async function measureGrowth(options, onProgress) {
  const subjects = options.subjects.flatMap((subject) =>
    options.sizes.map((size) => ({
      ...subject,
      name: nameAt(subject.name, size),
      employeeCount: size,
    })),
  )
  const result = await runBenchmark({ ...options, subjects }, onProgress)
  const reports = options.sizes.map((size) => {
    const names = options.subjects.map(({ name }) => name)
    const ofSize = (entries) =>
      new Map(
        names
          .filter((name) => entries.has(nameAt(name, size)))
          .map((name) => [name, entries.get(nameAt(name, size))]),
      )
    return makeReport({
      ...result,
      options: { ...options, employeeCount: size },
      versions: ofSize(result.versions),
      missing: ofSize(result.missing),
      cells: new Map([...result.cells].map(([id, cells]) => [id, ofSize(cells)])),
    })
  })
  return { kind: 'growth', reports }
}

/**
 * Merges measurements of the same sizes by their medians. @param {readonly GrowthReport[]} growths
 * at least one
 */
export function mergeGrowths(growths) {
  return {
    kind: 'growth',
    reports: growths[0].reports.map((_, place) =>
      mergeReports(growths.map(({ reports }) => reports[place])),
    ),
  }
}

/**
 * The times of Entia at each size per workload, and the exponents of all subjects.
 * @param {GrowthReport} growth
 * @returns {string} GitHub-flavoured Markdown
 */
export function growthTable({ reports }) {
  const sizes = reports.map(({ employeeCount }) => employeeCount)
  const names = Object.keys(reports[0].subjects)
  const shown = names.includes(ourName) ? ourName : names[0]
  const others = names.filter((name) => name !== shown)
  const exponentTitle = (name) => `exponent of ${name}`
  const header = [
    ...['', 'workload'],
    ...sizes.map((size) => `${shown}, ${size}`),
    ...['work', exponentTitle(shown)],
    ...others.map(exponentTitle),
  ]
  const lines = reports[0].workloads.map((workload) => {
    const { id, title } = workload
    const cellsOf = (name) =>
      reports.map((report) => report.workloads.find((other) => other.id === id).results[name])
    const { text, exponent } = work.get(id) ?? same
    return [
      ...[id, title],
      ...cellsOf(shown).map((cell) => formatCell(cell, workload)),
      ...[text, exponentText(exponentOf(sizes, cellsOf(shown)), exponent)],
      ...others.map((name) => exponentText(exponentOf(sizes, cellsOf(name)), exponent)),
    ]
  })
  return markdownTable(header, lines)
}

/**
 * The exponents of Entia by the work of the task: the median and the highest.
 * @param {GrowthReport} growth
 */
export function growthSummary({ reports }) {
  const sizes = reports.map(({ employeeCount }) => employeeCount)
  const exponents = reports[0].workloads.flatMap(({ id }) => {
    const cells = reports.map(
      (report) => report.workloads.find((other) => other.id === id).results[ourName],
    )
    const exponent = exponentOf(sizes, cells)
    return exponent === null ? [] : [{ exponent, work: work.get(id) ?? same }]
  })
  const lines = [
    ['independent of the size', same],
    ['fills its page only in a larger table', page],
    ['a share of the table', rows],
  ].flatMap(([title, kind]) => {
    const found = exponents
      .filter((each) => each.work === kind)
      .map(({ exponent }) => exponent)
      .sort((a, b) => a - b)
    if (found.length === 0) return []
    const median = found[found.length >> 1]
    return [
      [
        title,
        String(found.length),
        kind.exponent.toString(),
        ...[median, found.at(-1)].map((exponent) => exponent.toFixed(2)),
      ],
    ]
  })
  return markdownTable(
    ['what the task needs', 'workloads', 'expected', 'median', 'highest'],
    lines,
    1,
  )
}

/**
 * The exponent of growth: 0 if the value does not depend on the size, 1 if it is proportional to
 * it. It is the least-squares slope through the logarithms of sizes and values.
 * @param {readonly number[]} sizes
 * @param {readonly import('./runner.js').Cell[]} cells
 * @returns {number | null} null if fewer than two sizes are measured
 */
function exponentOf(sizes, cells) {
  const points = sizes.flatMap((size, place) =>
    cells[place]?.kind === 'measured'
      ? [{ x: Math.log(size), y: Math.log(cells[place].value) }]
      : [],
  )
  if (points.length < 2) return null
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const centre = { x: mean(({ x }) => x), y: mean(({ y }) => y) }
  const together = mean(({ x, y }) => (x - centre.x) * (y - centre.y))
  return together / mean(({ x }) => (x - centre.x) ** 2)
}

const nameAt = (name, size) => `${name} at ${size}`

function exponentText(exponent, expected) {
  if (exponent === null) return '-'
  // `+ 0` converts a rounded -0 to 0.
  const text = (Math.round(exponent * 100) / 100 + 0).toFixed(2)
  return exponent > expected + markedExcess ? `${text} (!)` : text
}
