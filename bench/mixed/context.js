import { createDataStore } from '@entia/core'
import { makeData, randomNumbers } from '../data.js'
import { Company, Employee } from '../data-classes.js'

/**
 * A store of `size` employees, and what the shapes of reads and writes draw their values from.
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
  return {
    store,
    E,
    size,
    random: randomNumbers(seed),
    emails: data.employees.map(({ email }) => email),
    ...data.vocabulary,
    vocabulary: data.vocabulary,
    next: () => ++counter,
    freshKey: () => ++key,
    held: { left: E.query('salary >= :1', [60_000]), right: E.query('birthDate < :1', ['1980-01-01']) },
  }
}
