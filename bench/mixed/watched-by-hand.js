/**
 * @typedef {object} WatchedFilter
 * @property {'salary' | 'name' | 'prefix' | 'senior'} kind
 * @property {number} [low]       salary: both ends included
 * @property {number} [high]
 * @property {string} [lastName]  name
 * @property {string} [prefix]    prefix of the last name
 * @property {string} [before]    senior: active, born before, earning more
 * @property {number} [salary]
 */

const tests = {
  salary:
    ({ low, high }) =>
    (row) =>
      row.salary >= low && row.salary <= high,
  name:
    ({ lastName }) =>
    (row) =>
      row.lastName === lastName,
  prefix:
    ({ prefix }) =>
    (row) =>
      row.lastName.startsWith(prefix),
  senior:
    ({ before, salary }) =>
    (row) =>
      row.active && row.birthDate < before && row.salary > salary,
}

/**
 * The hand-written alternative to live queries: tests the old and the new row against every filter.
 */
export class WatchedByHand {
  #tests

  /** @param {readonly WatchedFilter[]} filters */
  constructor(filters) {
    this.#tests = filters.map((filter) => tests[filter.kind](filter))
  }

  /**
   * @param {object | undefined} before   undefined for a new row
   * @param {object | undefined} now      undefined for a deleted row
   * @returns {readonly import('./mixes/dashboard.js').FilterChange[]}
   */
  changes(before, now) {
    const changes = []
    for (let index = 0; index < this.#tests.length; index++) {
      const test = this.#tests[index]
      const was = before !== undefined && test(before)
      const is = now !== undefined && test(now)
      if (was && is) changes.push({ index, entered: [], changed: [now], left: [] })
      else if (is) changes.push({ index, entered: [now], changed: [], left: [] })
      else if (was) changes.push({ index, entered: [], changed: [], left: [before.ID] })
    }
    return changes
  }
}
