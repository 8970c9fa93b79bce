import { pick, randomNumbers } from '../data.js'
import { describeEntity, describeRow, describeValues } from './reference.js'
import { readAll } from './workload.js'

const randomIds = (seed, count) => (reference) => {
  const random = randomNumbers(seed)
  return Array.from({ length: count }, () => 1 + Math.floor(random() * reference.employeeCount))
}
const expectedById = (reference, id) => describeRow(reference.employees[id - 1])

/** Reads by primary key: one entity, or a page of a hundred as JSON; and parsing filter text. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const pointReads = [
  {
    kind: 'read',
    id: 'W2',
    title: 'get by primary key',
    needs: ['get'],
    argumentsOf: randomIds(2, 4096),
    run: (store, id) => store.get(id),
    expected: expectedById,
    found: describeEntity,
  },
  {
    kind: 'read',
    id: 'W2b',
    title: 'get by primary key, all 9 attributes read',
    needs: ['get'],
    argumentsOf: randomIds(21, 4096),
    run: (store, id) => store.get(id),
    read: readAll,
    expected: expectedById,
    found: describeEntity,
  },
]

/** @type {import('./workload.js').ReadWorkload[]} */
export const textReads = [
  {
    kind: 'read',
    id: 'W17',
    title: 'JSON of a page of 100 entities (stored values)',
    needs: ['pageAsJson'],
    argumentsOf: (reference) => {
      const random = randomNumbers(17)
      return Array.from(
        { length: 64 },
        () => 1 + Math.floor(random() * (reference.employeeCount - 200)),
      )
    },
    run: (store, firstId) => store.pageAsJson(firstId),
    expected: (reference, firstId) =>
      reference.employees
        .slice(firstId - 1, firstId + 99)
        .map(describeValues)
        .join('\n'),
    found: (json) => JSON.parse(json).map(describeValues).join('\n'),
  },
  {
    kind: 'read',
    id: 'W18a',
    title: 'text query by primary key, fresh text: parse, plan, run',
    needs: ['findByText'],
    argumentsOf: randomIds(18, 20_000),
    run: (store, id) => store.findByText(`ID = ${id}`),
    expected: expectedById,
    found: describeEntity,
  },
  {
    kind: 'read',
    id: 'W18b',
    title: 'compile a fresh filter text of 6 terms',
    needs: ['compile'],
    argumentsOf: () => {
      const random = randomNumbers(19)
      return Array.from({ length: 20_000 }, () => Math.floor(random() * 1e9))
    },
    run: (store, number) => store.compile(sixTerms(number), number),
    expected: () => 'compiled',
    found: (compiled) => (compiled ? 'compiled' : 'nothing'),
  },
]

/** The data has no Smith, so a subject that must run the compiled filter has hardly any work. */
function sixTerms(number) {
  return (
    `salary > ${number} AND active = true AND company.city begin 'A' AND birthDate < '1990-01-01'` +
    ` AND lastName = 'Smith' AND firstName != 'Bob'`
  )
}

/** Random names of the vocabulary. */
export const randomNames = (seed, count, list) => (reference) => {
  const random = randomNumbers(seed)
  return Array.from({ length: count }, () => pick(random, reference.vocabulary[list]))
}
