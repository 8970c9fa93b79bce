import { randomNumbers } from '../data.js'
import { pageSize } from '../subjects/subject.js'
import { randomNames } from './point-reads.js'
import { describeCount, describeEntity, describeRow, describeSet } from './reference.js'
import { readAllOfEach, readOneOfEach } from './workload.js'

/** `lastName = x`, as a selection and with every entity. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const equalityReads = [
  {
    kind: 'read',
    id: 'W3',
    title: 'indexed lastName = x, as a selection (count, members known)',
    needs: ['selectByLastName', 'memberIds'],
    argumentsOf: randomNames(3, 256, 'lastNames'),
    run: (store, name) => store.selectByLastName(name),
    expected: (reference, name) => {
      const matching = reference.named(name)
      return describeIds(
        matching.length,
        matching.slice(0, pageSize).map(({ ID }) => ID),
      )
    },
    found: ({ count, members }, _name, _reference, store) =>
      describeIds(count, store.memberIds(members)),
  },
  {
    kind: 'read',
    id: 'W3e',
    title: 'lastName = x, every entity, all 9 attributes read',
    needs: ['entitiesByLastName'],
    isPrivate: true,
    argumentsOf: randomNames(3, 256, 'lastNames'),
    run: (store, name) => store.entitiesByLastName(name),
    read: readAllOfEach,
    expected: (reference, name) => describeSet(reference.named(name).map(describeRow)),
    found: (entities) => describeSet(entities.map(describeEntity)),
  },
]

/** `salary` in a range of 0.1 %, 1 % and 10 % of the employees. */
/** @type {import('./workload.js').ReadWorkload[]} */
export const rangeReads = [
  ['W4a', 'W4ea', 0.001],
  ['W4b', 'W4eb', 0.01],
  ['W4c', 'W4ec', 0.1],
].flatMap(([selectionId, entitiesId, fraction]) => {
  const range = {
    kind: 'read',
    argumentsOf: (reference) => {
      const random = randomNumbers(7)
      return Array.from({ length: 16 }, () => {
        const from = random() * (1 - fraction)
        return { low: reference.salaryAt(from), high: reference.salaryAt(from + fraction) }
      })
    },
    expected: (reference, bounds) => describeCount(reference.countWhere(inRange(bounds))),
  }
  return [
    {
      ...range,
      id: selectionId,
      title: `indexed salary range ${fraction * 100} %, as a selection (count, first 100 known)`,
      needs: ['selectBySalary', 'memberIds'],
      run: (store, { low, high }) => store.selectBySalary(low, high),
      found: (selected, bounds, reference, store) =>
        reference.describeSelected(selected, store, inRange(bounds)),
    },
    {
      ...range,
      id: entitiesId,
      title: `indexed salary range ${fraction * 100} %, count and 100 entities, one attribute read`,
      needs: ['entitiesBySalary'],
      isPrivate: true,
      run: (store, { low, high }) => store.entitiesBySalary(low, high),
      read: readOneOfEach,
      found: (counted, bounds, reference) => reference.describeCounted(counted, inRange(bounds)),
    },
  ]
})

/** `lastName begin x`. */
const prefixes = {
  kind: 'read',
  argumentsOf: () => ['Ma', 'Be', 'Malo', 'Zean', 'Ka'],
  expected: (reference, prefix) => describeCount(reference.countWhere(hasPrefix(prefix))),
}
/** @type {import('./workload.js').ReadWorkload[]} */
export const prefixReads = [
  {
    ...prefixes,
    id: 'W9',
    title: "prefix lastName begins 'Ma..', as a selection (count, first 100 known)",
    needs: ['selectByPrefix', 'memberIds'],
    run: (store, prefix) => store.selectByPrefix(prefix),
    found: (selected, prefix, reference, store) =>
      reference.describeSelected(selected, store, hasPrefix(prefix)),
  },
  {
    ...prefixes,
    id: 'W9e',
    title: "prefix lastName begins 'Ma..', count and 100 entities, one attribute read",
    needs: ['entitiesByPrefix'],
    isPrivate: true,
    run: (store, prefix) => store.entitiesByPrefix(prefix),
    read: readOneOfEach,
    found: (counted, prefix, reference) => reference.describeCounted(counted, hasPrefix(prefix)),
  },
]

const inRange =
  ({ low, high }) =>
  ({ salary }) =>
    salary >= low && salary <= high

const hasPrefix =
  (prefix) =>
  ({ lastName }) =>
    lastName.startsWith(prefix)

function describeIds(count, ids) {
  return `${describeCount(count)}: ${ids.slice().sort((a, b) => a - b)}`
}
