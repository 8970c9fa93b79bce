import { createDataStore } from '@entia/core'
import { makeData, randomNumbers } from '../data.js'
import { Company, Employee } from '../data-classes.js'

/** The number of live queries during the measurements. */
const LIVE_QUERIES = 20

/**
 * A store of `size` employees, and the values that reads and writes draw from.
 * @typedef {ReturnType<typeof createContext>} Context
 * @param {number} size
 */
export function createContext(size, seed = 7) {
  const data = makeData(size)
  const store = createDataStore({ name: 'mixed', dataClasses: [Company, Employee] })
  store.Company.load(data.companies)
  store.Employee.load(data.employees)
  const E = store.Employee
  let counter = 0
  let key = size + 1
  const context = {
    store,
    E,
    size,
    random: randomNumbers(seed),
    emails: data.employees.map(({ email }) => email),
    ...data.vocabulary,
    vocabulary: data.vocabulary,
    next: () => ++counter,
    freshKey: () => ++key,
    held: { ...hold(store), ...select(E) },
    /** Releases the held objects and creates them again from the current store. */
    renewHeld() {
      context.held.release()
      context.held = { ...hold(store), ...select(E) }
    },
    /** Creates the held selections again; the other objects stay. */
    renewSelections() {
      context.held = { ...context.held, ...select(E) }
    },
  }
  return context
}

/**
 * A view, a snapshot, a past that has been read, and live queries, held during reads and writes.
 */
function hold(store) {
  const E = store.Employee
  const view = store.view({ rows: { Employee: 'salary >= 20000' } })
  const snapshot = store.snapshot()
  const past = store.at(store.globalStamp)
  past.Employee.get(1)
  const received = { events: 0 }
  const lives = Array.from({ length: LIVE_QUERIES }, (_, i) =>
    E.query('salary >= :1 and salary < :2', [i * 10_000, (i + 1) * 10_000]).live(
      () => received.events++,
    ),
  )
  return {
    received,
    viewed: view.dataClass('Employee'),
    past: past.Employee,
    release() {
      for (const live of lives) live.stop()
      past.dispose()
      snapshot.dispose()
    },
  }
}

/**
 * Selections whose members are fixed at their creation; the first two have explicit members, as
 * entity sets do.
 */
function select(E) {
  return {
    left: E.query('salary >= 60000').settle(),
    right: E.query("birthDate < '1980-01-01'").settle(),
    range: E.query('salary >= 30000 and salary < 90000'),
    ordered: E.query('salary >= 30000').orderBy('salary desc, lastName'),
    scan: E.query("birthDate < '1970-01-01'").orderBy('salary desc, lastName'),
  }
}
