import { pick, randomNumbers } from '../data.js'
import { describeCount, describeEntity, describeRow, describeSet } from './reference.js'

/** Filters of several terms: without an index, with one, and over a relation. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const filteredReads = [
  {
    kind: 'read',
    id: 'W5',
    title: 'unindexed scan: active and birthDate < and firstName =, count and 100 entities',
    needs: ['scan'],
    argumentsOf: (reference) => {
      const random = randomNumbers(5)
      return Array.from({ length: 16 }, () => ({
        before: reference.dateAt(0.3 + 0.4 * random()),
        name: pick(random, reference.vocabulary.firstNames),
      }))
    },
    run: (store, { before, name }) => store.scan(before, name),
    expected: (reference, argument) => describeCount(reference.countWhere(isScanned(argument))),
    found: (counted, argument, reference) =>
      reference.describeCounted(counted, isScanned(argument)),
  },
  {
    kind: 'read',
    id: 'W6',
    title: 'compound: lastName = (indexed) and salary > and active and birthDate <, entities',
    needs: ['compound'],
    argumentsOf: (reference) => {
      const random = randomNumbers(6)
      return Array.from({ length: 64 }, () => ({
        name: pick(random, reference.vocabulary.lastNames),
        above: reference.salaryAt(0.3),
        before: reference.dateAt(0.7),
      }))
    },
    run: (store, { name, above, before }) => store.compound(name, above, before),
    expected: (reference, { name, above, before }) =>
      describeSet(
        reference
          .named(name)
          .filter((e) => e.salary > above && e.active && e.birthDate < before)
          .map(describeRow),
      ),
    found: (entities) => describeSet(entities.map(describeEntity)),
  },
  {
    kind: 'read',
    id: 'W7',
    title: 'relation: company.city = x and salary > y, count and 100 entities',
    needs: ['related'],
    argumentsOf: (reference) => {
      const random = randomNumbers(8)
      return Array.from({ length: 32 }, () => ({
        city: pick(random, reference.vocabulary.cities),
        above: reference.salaryAt(0.5),
      }))
    },
    run: (store, { city, above }) => store.related(city, above),
    expected: (reference, argument) =>
      describeCount(reference.countWhere(isRelated(reference, argument))),
    found: (counted, argument, reference) =>
      reference.describeCounted(counted, isRelated(reference, argument)),
  },
]

const isScanned =
  ({ before, name }) =>
  ({ active, birthDate, firstName }) =>
    active && birthDate < before && firstName === name

const isRelated =
  (reference, { city, above }) =>
  ({ salary, companyID }) =>
    salary > above && reference.cityOfCompany.get(companyID) === city
