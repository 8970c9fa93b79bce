// The correct answers from plain arrays of rows: filter, sort, slice. Answers are compared as text.

/** The rows, and the values at a given fraction of them. */
export class Reference {
  /** @type {Map<string, import('../data.js').EmployeeRow[]> | null} */
  #byLastName = null

  /** @param {import('../data.js').BenchData} data */
  constructor(data) {
    this.data = data
    this.vocabulary = data.vocabulary
    this.employees = data.employees
    this.employeeCount = data.employeeCount
    this.cityOfCompany = new Map(data.companies.map(({ ID, city }) => [ID, city]))
    this.sortedSalaries = Float64Array.from(data.employees, ({ salary }) => salary).sort()
    this.sortedDates = data.employees.map(({ birthDate }) => birthDate).sort()
  }

  /** The salary that this fraction of the employees stays below. */
  salaryAt(fraction) {
    return this.sortedSalaries[
      Math.min(this.employeeCount - 1, Math.floor(this.employeeCount * fraction))
    ]
  }

  /** The birth date that this fraction of the employees stays below. */
  dateAt(fraction) {
    return this.sortedDates[
      Math.min(this.employeeCount - 1, Math.floor(this.employeeCount * fraction))
    ]
  }

  /** The employees that a predicate holds for, in record order. */
  where(predicate) {
    return this.employees.filter(predicate)
  }

  /** The employees of a last name, in record order; grouped at the first call. */
  named(lastName) {
    if (this.#byLastName === null) {
      this.#byLastName = new Map(this.vocabulary.lastNames.map((name) => [name, []]))
      for (const employee of this.employees) this.#byLastName.get(employee.lastName).push(employee)
    }
    return this.#byLastName.get(lastName)
  }

  /** How many employees a predicate holds for. */
  countWhere(predicate) {
    let count = 0
    for (const employee of this.employees) if (predicate(employee)) count++
    return count
  }

  /**
   * Describes a selection: its count, and whether its page holds the expected number of distinct
   * matching employees.
   */
  describeSelected({ count, known, members }, store, predicate) {
    const ids = store.memberIds(members)
    const distinct = new Set(ids)
    const expected = Math.min(100, count)
    if (ids.length !== expected || distinct.size !== expected)
      return `${distinct.size} members known of ${count}`
    if (known !== undefined && known !== expected) return `a page that counts ${known} of ${count}`
    for (const id of distinct)
      if (!predicate(this.employees[id - 1])) return `employee ${id} does not match`
    return describeCount(count)
  }

  /**
   * Describes a count with its first entities, which must match, be distinct and hold the right
   * values.
   */
  describeCounted({ count, entities }, predicate) {
    const ids = new Set(entities.map(({ ID }) => ID))
    const expected = Math.min(100, count)
    if (entities.length !== expected || ids.size !== expected)
      return `${ids.size} entities of ${count}`
    for (const entity of entities) {
      const row = this.employees[entity.ID - 1]
      if (!predicate(row)) return `employee ${entity.ID} does not match`
      if (describeEntity(entity) !== describeRow(row))
        return `employee ${entity.ID} has other values`
    }
    return describeCount(count)
  }
}

/** Text of a count. */
export function describeCount(count) {
  return `count ${count}`
}

/** The text of an entity, all nine attributes; a subject without booleans may use 0 and 1. */
export function describeEntity(entity) {
  return `${describeValues(entity)} ${entity.stamp}`
}

/** Text of the eight stored values alone. */
export function describeValues({
  ID,
  firstName,
  lastName,
  email,
  salary,
  birthDate,
  active,
  companyID,
}) {
  return [ID, firstName, lastName, email, salary, birthDate, Boolean(active), companyID].join(' ')
}

/** The text of a row as a loaded entity: its stamp is 1. */
export function describeRow(row) {
  return describeEntity({ ...row, stamp: 1 })
}

/** The text of entities regardless of order. */
export function describeSet(lines) {
  return lines.slice().sort().join('\n')
}

/** Text of entities in the order `salary desc, lastName`, which leaves further ties open. */
export function describeOrder(entities) {
  return entities.map(({ salary, lastName }) => `${salary} ${lastName}`).join('\n')
}

/** The comparator of `salary desc, lastName`. */
export function bySalaryDownThenLastName(a, b) {
  if (a.salary !== b.salary) return b.salary - a.salary
  return a.lastName < b.lastName ? -1 : a.lastName > b.lastName ? 1 : 0
}
