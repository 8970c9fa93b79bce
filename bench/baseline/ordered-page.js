// Pages in the order `salary desc, lastName`. They walk the salary index downwards and sort each
// group of equal salaries by the rank of the last name.

import { textToDay } from '../data.js'

/**
 * A page of the whole table. Block counts lead to the group of equal salaries at position `skip`,
 * without visiting the pairs before it.
 * @param {import('./baseline-store.js').BaselineStore} store
 */
export function pageOfAll(store, skip, top) {
  const { bySalary, columns } = store
  const { blocks } = bySalary
  const starts = bySalary.starts()
  const total = starts[blocks.length]
  if (skip >= total) return []

  const ascendingPosition = total - 1 - skip
  const salary = salaryAt(blocks, starts, ascendingPosition)
  const groupEnd = bySalary.countUpTo(salary)
  const groupStart = total - groupEnd // counted from the top: the number of higher salaries
  const walk = new GroupedWalk(store, skip - groupStart + top)
  let at = blockHolding(starts, blocks.length, groupEnd - 1)
  let place = groupEnd - 1 - starts[at]
  for (; at >= 0; at--, place = at >= 0 ? blocks[at].length - 1 : 0) {
    const { keys, records } = blocks[at]
    for (; place >= 0; place--) {
      if (keys[place] !== walk.salary && walk.isCompleteBefore(keys[place])) {
        return columns.entities(walk.records.slice(skip - groupStart, skip - groupStart + top))
      }
      walk.records.push(records[place])
    }
  }
  walk.closeGroup()
  return columns.entities(walk.records.slice(skip - groupStart, skip - groupStart + top))
}

/**
 * A page of the employees born before a date: walks the index from the top and tests each birth
 * date.
 */
export function pageOfBornBefore(store, before, skip, top) {
  const { columns } = store
  const { birthDays } = columns
  const { blocks } = store.bySalary
  const day = textToDay(before)
  const walk = new GroupedWalk(store, skip + top)
  for (let at = blocks.length - 1; at >= 0; at--) {
    const { keys, records, length } = blocks[at]
    for (let place = length - 1; place >= 0; place--) {
      const record = records[place]
      if (birthDays[record] >= day) continue
      if (keys[place] !== walk.salary && walk.isCompleteBefore(keys[place])) {
        return columns.entities(walk.records.slice(skip, skip + top))
      }
      walk.records.push(record)
    }
  }
  walk.closeGroup()
  return columns.entities(walk.records.slice(skip, skip + top))
}

/** The records so far; the last group of equal salaries is still in record order. */
class GroupedWalk {
  /** @type {number[]} */
  records = []
  salary = Number.NaN
  #groupStart = 0

  constructor(store, needed) {
    this.needed = needed
    this.lastNames = store.columns.lastNames
    this.ranks = store.lastNameOrder.ranks
  }

  /**
   * Sorts the previous group before a record with another salary. Returns whether the walk is
   * complete.
   */
  isCompleteBefore(salary) {
    this.closeGroup()
    this.salary = salary
    return this.records.length >= this.needed
  }

  closeGroup() {
    const { records, ranks, lastNames } = this
    if (records.length - this.#groupStart > 1) {
      const group = records.splice(this.#groupStart)
      group.sort((a, b) => ranks[lastNames[a]] - ranks[lastNames[b]])
      for (const record of group) records.push(record)
    }
    this.#groupStart = records.length
  }
}

function salaryAt(blocks, starts, position) {
  const at = blockHolding(starts, blocks.length, position)
  return blocks[at].keys[position - starts[at]]
}

function blockHolding(starts, blockCount, position) {
  let low = 0
  let high = blockCount - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle] <= position) low = middle
    else high = middle - 1
  }
  return low
}
