// What live queries add to a commit: `node bench/live.js [entities] [queries] [commits]`.
import { performance } from 'node:perf_hooks'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { randomNumbers } from './data.js'

const [entities = 100_000, queries = 100, commits = 20_000] = process.argv.slice(2).map(Number)

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  city: attribute.string({ indexed: true }),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true }),
  active: attribute.bool(),
  employer: attribute.relatedEntity('Company'),
})

function open() {
  const random = randomNumbers(11)
  const store = createDataStore({ name: 'live', dataClasses: [Company, Employee] })
  store.Company.load(Array.from({ length: 500 }, (_, i) => ({ city: `City ${i % 20}` })))
  store.Employee.load(
    Array.from({ length: entities }, () => ({
      lastName: `Name ${Math.floor(random() * 5000)}`,
      salary: Math.floor(random() * 100_000),
      active: random() < 0.5,
      employer: 1 + Math.floor(random() * 500),
    })),
  )
  return store
}

/** Microseconds of one update of one entity, in the middle of many. */
function measure(start, count = commits) {
  const store = open()
  let deltas = 0
  const lives = start(store, () => deltas++)
  const random = randomNumbers(12)
  const update = () =>
    store.Employee.update(1 + Math.floor(random() * entities), { salary: Math.floor(random() * 100_000) })
  for (let i = 0; i < Math.min(2000, count); i++) update()
  deltas = 0
  const before = performance.now()
  for (let i = 0; i < count; i++) update()
  const microseconds = ((performance.now() - before) * 1000) / count
  for (const live of lives) live.stop()
  return { microseconds, deltas: deltas / count, work: lives[0]?.work ?? null }
}

function listenToCommits(store, heard) {
  store.on('commit', heard)
  return []
}
const width = 100_000 / queries
const many = (make) => (store, heard) => Array.from({ length: queries }, (_, i) => make(store, i).live(heard))
const range = (store, i) => store.Employee.query('salary >= :1 and salary < :2', [i * width, (i + 1) * width])

const rows = [
  ['no live query', () => [], commits],
  ['one listener of commits', listenToCommits, commits],
  [`${queries} live: ranges of salary`, many(range), commits],
  [
    `${queries} live: three tests each`,
    many((store, i) => range(store, i).query('active = true or lastName begin "Name 1"')),
    commits,
  ],
  [
    `${queries} live: the first 20 of a range`,
    many((store, i) => range(store, i).orderBy('salary desc').page(0, 20)),
    commits / 100,
  ],
  [
    `${queries} live: of a city, recomputed`,
    many((store, i) => range(store, i).query(`employer.city = "City ${i % 20}"`)),
    commits / 100,
  ],
]
console.log(`${entities} entities, ${queries} live queries; node ${process.version}`)
console.log('| | a commit of one update | events a commit |\n|---|---|---|')
for (const [name, start, count] of rows) {
  const { microseconds, deltas } = measure(start, count)
  console.log(`| ${name} | ${microseconds.toFixed(1)} µs | ${deltas.toFixed(2)} |`)
}
