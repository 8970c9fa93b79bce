// The cost of live queries per commit:
// `node bench/live.js [queries,queries] [employees] [commits]`; --shapes or --commits for one
// table.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { randomNumbers } from './data.js'

const given = process.argv.slice(2)
const numbers = given.filter((text) => !text.startsWith('--'))
const counts = (numbers[0] ?? '200,10000').split(',').map(Number)
const employees = Number(numbers[1] ?? 100_000)
const commits = Number(numbers[2] ?? 5000)
const NAMES = 5000
const CITIES = 1000
const COMPANIES = 2000
const SALARIES = 100_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  city: attribute.string({ indexed: true }),
  revenue: attribute.number(),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true }),
  hired: attribute.number({ indexed: true }),
  active: attribute.bool(),
  note: attribute.string(),
  employer: attribute.relatedEntity('Company'),
})

const random = randomNumbers(11)
const below = (end) => Math.floor(random() * end)
const nameOf = (i) => `Name ${String(i % NAMES).padStart(5, '0')}`
const cityOf = (i) => `City ${i % CITIES}`
const rowOf = () => ({
  lastName: nameOf(below(NAMES)),
  salary: below(SALARIES),
  hired: below(1_000_000),
  active: random() < 0.5,
  note: 'none',
  employer: 1 + below(COMPANIES),
})

const store = createDataStore({ name: 'live', dataClasses: [Company, Employee] })
store.Company.load(
  Array.from({ length: COMPANIES }, (_, i) => ({
    name: `Company ${i}`,
    city: cityOf(i),
    revenue: below(1000),
  })),
)
store.Employee.load(Array.from({ length: employees }, rowOf))
const view = store.view({ rows: { Employee: 'active = true' } }).dataClass('Employee')

/** The lower end and the width of the i-th of `count` equal ranges. */
const part = (i, count) => [(i * SALARIES) / count, SALARIES / count]
const within = (table, i, count, more = '') => {
  const [from, width] = part(i, count)
  return table.query(`salary >= :1 and salary < :2${more}`, [from, from + width])
}
const half = (table, i, count) => table.query('salary > :1', [(i * SALARIES) / count / 2])

/**
 * By name: the i-th of `count` live queries. Except in the last rows, a record is in few of them.
 */
const shapes = {
  'lastName = x': (i) => store.Employee.query('lastName = :1', [nameOf(i)]),
  'a narrow range of salary': (i, count) => within(store.Employee, i, count),
  'lastName begins with': (i) => store.Employee.query(`lastName begin '${nameOf(i)}'`),
  'lastName = x or a narrow range': (i, count) => {
    const [from, width] = part(i, count)
    return store.Employee.query('lastName = :1 or (salary >= :2 and salary < :3)', [
      nameOf(i),
      from,
      from + width,
    ])
  },
  'a narrow range and not lastName = x': (i, count) =>
    within(store.Employee, i, count, ` and not (lastName = '${nameOf(i)}')`),
  'active and a narrow range': (i, count) => within(store.Employee, i, count, ' and active = true'),
  'the first 20 of a narrow range': (i, count) =>
    within(store.Employee, i, count).orderBy('salary').page(0, 20),
  'the first 20 of half, by salary': (i, count) =>
    half(store.Employee, i, count).orderBy('salary').page(0, 20),
  'the first 20 of half, by hired': (i, count) =>
    half(store.Employee, i, count).orderBy('hired').page(0, 20),
  'employer.city = x': (i) => store.Employee.query('employer.city = :1', [cityOf(i)]),
  'employer.city = x and a narrow range': (i, count) =>
    within(store.Employee, i, count, ` and employer.city = '${cityOf(i)}'`),
  'the first 20 of a city, by salary': (i) =>
    store.Employee.query('employer.city = :1', [cityOf(i)])
      .orderBy('salary')
      .page(0, 20),
  'the first 20 of a name, by city': (i) =>
    store.Employee.query('lastName = :1', [nameOf(i)])
      .orderBy('employer.city, salary')
      .page(0, 20),
  'a view: lastName = x': (i) => view.query('lastName = :1', [nameOf(i)]),
  'half of all (notified of half of the commits)': (i, count) => half(store.Employee, i, count),
}
const ofHalf = Object.keys(shapes).at(-1)
const few = Object.keys(shapes).slice(0, -1)
const mixed = (i, count) => shapes[few[i % few.length]](i, count)

const someone = () => 1 + below(employees)
const kinds = {
  'update of salary': () => store.Employee.update(someone(), { salary: below(SALARIES) }),
  'update of lastName': () => store.Employee.update(someone(), { lastName: nameOf(below(NAMES)) }),
  'update of employer': () => store.Employee.update(someone(), { employer: 1 + below(COMPANIES) }),
  'update of an attribute without queries': () =>
    store.Employee.update(someone(), { note: `note ${below(100)}` }),
  'update of a city': () =>
    store.Company.update(1 + below(COMPANIES), { city: cityOf(below(CITIES)) }),
  'update of a revenue': () => store.Company.update(1 + below(COMPANIES), { revenue: below(1000) }),
  'insert and remove': () => store.Employee.remove(store.Employee.insert(rowOf()).ID),
  'transact of ten updates': () =>
    store.transact((tx) => {
      for (let i = 0; i < 10; i++) tx.Employee.update(someone(), { salary: below(SALARIES) })
    }),
  'updateAll of 1000': () => {
    const from = below(employees - 1000)
    store.Employee.updateAll(
      Array.from({ length: 1000 }, (_, i) => ({
        key: from + i + 1,
        patch: { salary: below(SALARIES) },
      })),
    )
  },
}

/** Microseconds of some commits, sorted. */
function time(commit, count) {
  const all = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const before = performance.now()
    commit()
    all[i] = (performance.now() - before) * 1000
  }
  return all.sort()
}
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

function heapMegabytes() {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1024 / 1024
}

let deltas = 0
function open(make, count) {
  const before = performance.now()
  // For queries over half of all entities, skip the initial result, which would dominate the
  // measurement.
  const options = make === shapes[ofHalf] ? { since: store.globalStamp } : {}
  const lives = Array.from({ length: count }, (_, i) =>
    make(i, count).live(() => deltas++, options),
  )
  return { lives, milliseconds: performance.now() - before }
}
function close(lives) {
  const before = performance.now()
  for (const live of lives) live.stop()
  return performance.now() - before
}

/**
 * Alternates commits with and without live queries: three times, or once for thousands of queries,
 * whose opening takes long. Returns the figures of each kind of commit, and the cost of opening and
 * closing.
 */
function compare(make, count, kinds, timesOf) {
  const results = kinds.map(() => ({ alone: [], beside: [], deltas: 0, runs: 0 }))
  const queries = { opening: [], closing: [], during: 0, after: 0 }
  const rounds = count > 1000 ? 1 : 3
  const measure = (commit, times) => {
    time(commit, Math.max(3, times >> 2))
    return time(commit, times)
  }
  for (let round = 0; round < rounds; round++) {
    for (const [at, commit] of kinds.entries()) results[at].alone.push(measure(commit, timesOf(at)))
    const before = heapMegabytes()
    let { lives, milliseconds } = open(make, count)
    queries.opening.push(milliseconds)
    queries.during = heapMegabytes() - before
    for (const [at, commit] of kinds.entries()) {
      const runsOf = () => lives.reduce((sum, { work }) => sum + work.runs, 0)
      const [runs, deltasBefore] = [runsOf(), deltas]
      const sorted = measure(commit, timesOf(at))
      results[at].beside.push(sorted)
      results[at].deltas += (deltas - deltasBefore) / sorted.length / 1.25 / rounds
      results[at].runs += (runsOf() - runs) / sorted.length / 1.25 / rounds
    }
    queries.closing.push(close(lives))
    lives = null
    queries.after = heapMegabytes() - before
    for (const [at, commit] of kinds.entries()) results[at].alone.push(measure(commit, timesOf(at)))
  }
  return { results, queries }
}

const row = (cells) => console.log(`| ${cells.join(' | ')} |`)
function table(heads) {
  console.log()
  row(heads)
  row(heads.map(() => '---'))
}
const best = (all, share) => Math.min(...all.map((sorted) => at(sorted, share)))
const measured = ({ alone, beside, deltas, runs }) => [
  best(alone, 0.5).toFixed(1),
  best(beside, 0.5).toFixed(1),
  `${(best(beside, 0.5) / best(alone, 0.5)).toFixed(1)}x`,
  `${best(beside, 0.99).toFixed(0)} (${best(alone, 0.99).toFixed(0)})`,
  `${best(beside, 0.999).toFixed(0)} (${best(alone, 0.999).toFixed(0)})`,
  deltas.toFixed(2),
  runs.toFixed(2),
]
const FIGURES = [
  'us',
  'with live queries',
  'ratio',
  '99 % (alone)',
  '99.9 % (alone)',
  'deltas',
  'run again',
]

console.log(
  `${employees} employees, ${COMPANIES} companies; node ${process.version}. Microseconds a commit, best of three rounds.`,
)
const fewer = (name) =>
  /1000/.test(name) ? commits / 100 : /ten|city/.test(name) ? commits / 5 : commits
for (const count of counts) {
  const share = count > 1000 ? 0.2 : 1
  if (!given.includes('--commits')) {
    table([
      `an update of a salary, ${count} live queries`,
      ...FIGURES,
      'opening, ms',
      'closing, ms',
      'MB',
      'MB after closing',
    ])
    for (const [name, make] of Object.entries(shapes)) {
      const times = Math.ceil(commits * share * (name === ofHalf ? 0.1 : 1))
      const { results, queries } = compare(make, count, [kinds['update of salary']], () => times)
      const { opening, closing, during, after } = queries
      const costs = [
        Math.min(...opening).toFixed(0),
        Math.min(...closing).toFixed(1),
        during.toFixed(1),
        after.toFixed(1),
      ]
      row([name, ...measured(results[0]), ...costs])
    }
  }
  if (!given.includes('--shapes')) {
    const names = Object.keys(kinds)
    const timesOf = (at) => Math.ceil(fewer(names[at]) * share)
    const { results } = compare(mixed, count, Object.values(kinds), timesOf)
    table([`with ${count} live queries of all shapes except the last`, ...FIGURES])
    for (const [at, result] of results.entries()) row([names[at], ...measured(result)])
  }
}
store.close()
