import { makeData, pick, randomNumbers } from '../../data.js'
import { digestEmployees, readEmployees } from '../describe.js'
import { OfficeReference } from '../reference/office.js'
import { WatchedByHand } from '../watched-by-hand.js'
import { drawnOperations } from './office-operations.js'

const seed = 43

const shares = [
  ['update', 85],
  ['insert', 10],
  ['remove', 5],
]
const titles = new Map([
  ['update', 'update'],
  ['insert', 'insert'],
  ['remove', 'delete'],
])

/**
 * The effect of a write on a watched filter.
 * @typedef {object} FilterChange
 * @property {number} index                    of the filter
 * @property {readonly object[]} entered employees that satisfy the filter now but did not before
 * @property {readonly object[]} changed       employees that satisfied it before and now
 * @property {readonly number[]} left          keys of employees that no longer satisfy it
 */

/**
 * Watches 200 filters; each write reports to the filters whose result it changes. @type
 * {import('./mix.js').Mix}
 */
export const dashboard = {
  id: 'dashboard',
  title: 'a dashboard: 200 live queries; each write reports to those whose result it changes',
  family: 'office',
  kinds: new Map(
    shares.map(([kind, share]) => [
      kind,
      {
        title: titles.get(kind),
        share,
        isWrite: true,
        describe: describeChanges,
        read: readChanges,
      },
    ]),
  ),
  needs: ['watch'],
  prepare: (store, data) => store.watch(watchedFilters(data)),
  makeData: (size) => makeData(size),
  operations: (data) => drawnOperations(data, shares, seed),
  reference: (data) => new WatchingReference(data),
  digest: digestEmployees,
}

/** @returns {readonly import('../watched-by-hand.js').WatchedFilter[]} */
function watchedFilters({ vocabulary: { lastNames, days } }) {
  const random = randomNumbers(seed + 1)
  const times = (count, make) => Array.from({ length: count }, make)
  return [
    ...times(100, (_, i) => ({
      kind: 'salary',
      low: 1000 + i * 1990,
      high: 1000 + i * 1990 + 3980,
    })),
    ...times(50, () => ({ kind: 'name', lastName: pick(random, lastNames) })),
    ...times(30, () => ({ kind: 'prefix', prefix: pick(random, lastNames).slice(0, 3) })),
    ...times(20, () => ({
      kind: 'senior',
      before: pick(random, days),
      salary: 100_000 + Math.floor(random() * 90_000),
    })),
  ]
}

function describeChanges(changes) {
  const texts = changes.flatMap(({ index, entered, changed, left }) => [
    ...entered.map((row) => `${index} entered ${row.ID} ${row.salary} ${row.lastName}`),
    ...changed.map((row) => `${index} changed ${row.ID} ${row.salary} ${row.lastName}`),
    ...left.map((key) => `${index} left ${key}`),
  ])
  return texts.sort().join('\n')
}

function readChanges(changes) {
  let sum = 0
  for (const { entered, changed, left } of changes)
    sum += readEmployees(entered) + readEmployees(changed) + left.length
  return sum
}

/** The reference, which tests every write against every filter. */
class WatchingReference {
  #rows
  #watched

  constructor(data) {
    this.#rows = new OfficeReference(data)
    this.#watched = new WatchedByHand(watchedFilters(data))
  }

  all() {
    return this.#rows.all()
  }

  run(operation) {
    const id = operation.id ?? operation.values.ID
    const before = this.#rows.get({ id })
    this.#rows.run(operation)
    return this.#watched.changes(before, this.#rows.get({ id }))
  }
}
