/**
 * Employees and companies as plain rows: every answer is a filter, a sort or a slice over all rows.
 * Writes replace rows and never modify them.
 * @implements {import('../mixes/mix.js').Reference}
 */
export class OfficeReference {
  #loaded
  #rows
  #companies
  #held = []

  /** @param {import('../../data.js').BenchData} data */
  constructor({ employees, companies }) {
    this.#loaded = employees
    this.#companies = companies
    this.restore()
  }

  /** @param {import('../mixes/mix.js').Operation} operation */
  run(operation) {
    return this[operation.kind](operation)
  }

  all() {
    return [...this.#rows.values()]
  }

  get({ id }) {
    return this.#rows.get(id)
  }

  pageByName({ lastName, skip, top }) {
    return this.#page((row) => row.lastName === lastName, [byText('firstName')], skip, top)
  }

  pageBornBefore({ before, skip, top }) {
    return this.#page((row) => row.birthDate < before, [salaryDown, byText('lastName')], skip, top)
  }

  pageByCity({ city, salary, skip, top }) {
    const isFound = (row) => this.#companies[row.companyID - 1].city === city && row.salary > salary
    return this.#page(isFound, [salaryDown], skip, top)
  }

  pageByPrefix({ prefix, skip, top }) {
    return this.#page(
      (row) => row.lastName.startsWith(prefix),
      [byText('lastName'), byText('firstName')],
      skip,
      top,
    )
  }

  pageBySalary({ low, high, skip, top }) {
    return this.#page((row) => row.salary >= low && row.salary <= high, [salaryUp], skip, top)
  }

  companyOf({ id }) {
    return this.#companies[this.#rows.get(id).companyID - 1]
  }

  staffOf({ companyId }) {
    return this.#where((row) => row.companyID === companyId)
  }

  aggregateOfCity({ city }) {
    return aggregate(this.#where((row) => this.#companies[row.companyID - 1].city === city))
  }

  aggregateBornBefore({ before }) {
    return aggregate(this.#where((row) => row.birthDate < before))
  }

  update({ id, patch }) {
    this.#rows.set(id, { ...this.#rows.get(id), ...patch })
  }

  insert({ values }) {
    this.#rows.set(values.ID, values)
  }

  remove({ id }) {
    this.#rows.delete(id)
  }

  restore() {
    this.#rows = new Map(this.#loaded.map((row) => [row.ID, row]))
  }

  hold({ low, high, isActive, isOrdered }) {
    const found = this.#where(
      (row) => row.salary >= low && row.salary <= high && (!isActive || row.active),
    )
    this.#held = (isOrdered ? found.sort(byText('email')) : found).map(({ ID }) => ID)
    return found.length
  }

  pageOfHeld({ skip, top }) {
    return this.#held.slice(skip, skip + top).flatMap((id) => this.#rows.get(id) ?? [])
  }

  #where(isFound) {
    const found = []
    for (const row of this.#rows.values()) if (isFound(row)) found.push(row)
    return found
  }

  #page(isFound, order, skip, top) {
    return this.#where(isFound)
      .sort((a, b) => {
        for (const compare of order) {
          const found = compare(a, b)
          if (found !== 0) return found
        }
        return 0
      })
      .slice(skip, skip + top)
  }
}

const salaryUp = (a, b) => a.salary - b.salary
const salaryDown = (a, b) => b.salary - a.salary
const byText = (name) => (a, b) => (a[name] < b[name] ? -1 : a[name] > b[name] ? 1 : 0)

function aggregate(rows) {
  const found = { count: rows.length, sum: 0, average: null, min: null, max: null }
  for (const { salary } of rows) {
    found.sum += salary
    if (found.min === null || salary < found.min) found.min = salary
    if (found.max === null || salary > found.max) found.max = salary
  }
  if (rows.length > 0) found.average = found.sum / rows.length
  return found
}
