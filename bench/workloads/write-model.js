import { makeEmployee, randomNumbers } from '../data.js'

const rangesChecked = 8
/** The time limit of the comparison, for stores that must search for every entity. */
const comparingMilliseconds = 2_000

/** The expected state of a store after the writes so far. */
export class WriteModel {
  /** @param {import('./reference.js').Reference} reference */
  constructor(reference) {
    this.reference = reference
    this.random = randomNumbers(13)
    /** By ID; index 0 is unused. */
    this.salaries = [0, ...reference.employees.map(({ salary }) => salary)]
    this.stamps = [0, ...reference.employees.map(() => 1)]
    /** IDs written since the last check. */
    this.written = new Set()
  }

  /** The greatest ID. */
  get lastId() {
    return this.salaries.length - 1
  }

  randomId() {
    return 1 + Math.floor(this.random() * this.reference.employeeCount)
  }

  randomSalary() {
    return 1000 + Math.floor(this.random() * 199_000)
  }

  /** Distinct IDs; fewer than `count` in a small store. */
  distinctIds(count) {
    const ids = new Set()
    while (ids.size < Math.min(count, this.reference.employeeCount)) ids.add(this.randomId())
    return [...ids]
  }

  /**
   * A change that the store must accept, recorded as accepted. Its salary differs, because an
   * update without changes may keep the stamp.
   */
  changed(id) {
    const random = this.randomSalary()
    const salary = random === this.salaries[id] ? random + 1 : random
    const change = { id, stamp: this.stamps[id], salary }
    this.salaries[id] = change.salary
    this.stamps[id]++
    this.written.add(id)
    return change
  }

  /** A change that the store must refuse together with others. */
  refused(id, stamp = this.stamps[id]) {
    this.written.add(id)
    return { id, stamp, salary: this.randomSalary() }
  }

  /** Values of a new employee, recorded as inserted. */
  inserted() {
    const values = makeEmployee(this.lastId + 1, this.random, this.reference.vocabulary)
    this.salaries.push(values.salary)
    this.stamps.push(1)
    this.written.add(values.ID)
    return values
  }

  /** Values to insert a removed employee again, recorded as reinserted. */
  reinserted(id) {
    const values = { ...this.reference.employees[id - 1] }
    this.salaries[id] = values.salary
    this.stamps[id] = 1
    this.written.add(id)
    return values
  }

  /** Writes that will be undone, a third of each kind; the model does not change. */
  undone(count) {
    const third = Math.floor(count / 3)
    const ids = this.distinctIds(count - third)
    const inserts = Array.from({ length: third }, (_, i) =>
      makeEmployee(this.lastId + 1 + i, this.random, this.reference.vocabulary),
    )
    for (const id of ids) this.written.add(id)
    return {
      updates: ids.slice(third).map((id) => this.refused(id)),
      inserts,
      removals: ids.slice(0, third),
    }
  }

  /**
   * Compares the store with the model: the entities written since the last check, the total count,
   * and the salary index by counts of ranges. Also runs the store's own verification. A slow store
   * gets two seconds. An asynchronous store returns promises.
   * @param {import('../subjects/subject.js').SubjectStore} store
   * @returns {Promise<string | null>}   the first difference
   */
  async findFault(store) {
    const started = performance.now()
    for (const id of this.written) {
      if (performance.now() - started > comparingMilliseconds) break
      const { salary, stamp } = await store.get(id)
      if (salary !== this.salaries[id] || stamp !== this.stamps[id]) {
        const expected = `salary ${this.salaries[id]} and stamp ${this.stamps[id]}`
        return `employee ${id} has salary ${salary} and stamp ${stamp}, expected ${expected}`
      }
    }
    this.written.clear()
    const count = await store.count()
    if (count !== this.lastId) return `${count} employees, expected ${this.lastId}`

    for (let i = 0; i < rangesChecked; i++) {
      const low = this.randomSalary()
      const high = low + 20_000
      const expected = this.salaries.filter((salary) => salary >= low && salary <= high).length
      const found = (await store.entitiesBySalary(low, high)).count
      if (found !== expected)
        return `salary ${low} to ${high} counts ${found}, expected ${expected}`
    }
    await store.verify?.()
    return null
  }
}
