import { makeEmployee, randomNumbers } from '../data.js'

const rangesChecked = 8
/** A store that must search for every entity cannot be asked for all of them. */
const comparingMilliseconds = 2_000

/** What the store should hold after the writes asked for so far. */
export class WriteModel {
  /** @param {import('./reference.js').Reference} reference */
  constructor(reference) {
    this.reference = reference
    this.random = randomNumbers(13)
    /** By ID; the place of ID 0 is not used. */
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

  /** As many different IDs; fewer when there are not so many employees. */
  distinctIds(count) {
    const ids = new Set()
    while (ids.size < Math.min(count, this.reference.employeeCount)) ids.add(this.randomId())
    return [...ids]
  }

  /** A change that the store must accept, taken as accepted. A save that changes nothing need not raise the stamp: the salary is another. */
  changed(id) {
    const random = this.randomSalary()
    const salary = random === this.salaries[id] ? random + 1 : random
    const change = { id, stamp: this.stamps[id], salary }
    this.salaries[id] = change.salary
    this.stamps[id]++
    this.written.add(id)
    return change
  }

  /** A change that is to be tried and refused with others. */
  refused(id, stamp = this.stamps[id]) {
    this.written.add(id)
    return { id, stamp, salary: this.randomSalary() }
  }

  /** Values of a new employee, taken as inserted. */
  inserted() {
    const values = makeEmployee(this.lastId + 1, this.random, this.reference.vocabulary)
    this.salaries.push(values.salary)
    this.stamps.push(1)
    this.written.add(values.ID)
    return values
  }

  /** Values with which a removed employee is inserted again, taken as removed and inserted. */
  reinserted(id) {
    const values = { ...this.reference.employees[id - 1] }
    this.salaries[id] = values.salary
    this.stamps[id] = 1
    this.written.add(id)
    return values
  }

  /** As many writes that are to be undone, a third of each kind: the model stays as it is. */
  undone(count) {
    const third = Math.floor(count / 3)
    const ids = this.distinctIds(count - third)
    const inserts = Array.from({ length: third }, (_, i) =>
      makeEmployee(this.lastId + 1 + i, this.random, this.reference.vocabulary),
    )
    for (const id of ids) this.written.add(id)
    return { updates: ids.slice(third).map((id) => this.refused(id)), inserts, removals: ids.slice(0, third) }
  }

  /**
   * Compares the store with the model: the entities written since the last check (all of them, or as many as a slow store answers
   * in two seconds), the count of all, the salary index by the counts of ranges, and what the store can verify about itself. An
   * asynchronous store answers promises.
   * @param {import('../subjects/subject.js').SubjectStore} store
   * @returns {Promise<string | null>}   what is wrong
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
      if (found !== expected) return `salary ${low} to ${high} counts ${found}, expected ${expected}`
    }
    await store.verify?.()
    return null
  }
}
