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

/** What an application without live queries writes by hand: the row of before and the row of now, tested against every filter. */
export class WatchedByHand {
  #tests

  /** @param {readonly WatchedFilter[]} filters */
  constructor(filters) {
    this.#tests = filters.map((filter) => tests[filter.kind](filter))
  }

  /**
   * @param {object | undefined} before   undefined: the row is new
   * @param {object | undefined} now      undefined: the row was deleted
   * @returns {readonly import('./mixes/dashboard.js').Told[]}
   */
  told(before, now) {
    const told = []
    for (let index = 0; index < this.#tests.length; index++) {
      const test = this.#tests[index]
      const was = before !== undefined && test(before)
      const is = now !== undefined && test(now)
      if (was && is) told.push({ index, entered: [], changed: [now], left: [] })
      else if (is) told.push({ index, entered: [now], changed: [], left: [] })
      else if (was) told.push({ index, entered: [], changed: [], left: [before.ID] })
    }
    return told
  }
}
