import { textToDay } from '../data.js'
import { pageSize } from '../subjects/subject.js'
import { BitsetPair } from './bitset-kernel.js'
import { BlockIndex } from './block-index.js'
import { cachedTextToDay, EmployeeColumns } from './columns.js'
import { orderOf } from './dictionary.js'
import { parseFilterText } from './filter-text.js'
import { buildPostingLists } from './posting-lists.js'

const absent = -1

/**
 * Hand-written JavaScript for exactly these workloads. It has typed columns, a counted ordered
 * index on the salary, and posting lists on last name and company. A map leads from ID to record,
 * and saved selections are bitsets.
 *
 * It is a lower bound and not a database: it plans, checks and undoes only what a workload needs.
 * Posting lists are those of the load. Later inserts go to `arrivals` and later removals stay in
 * the lists, because no workload reads them afterwards.
 */
export class BaselineStore {
  /**
   * @param {import('../data.js').BenchData} data
   * @param {number} spareRecords   capacity for later inserts
   */
  constructor(data, spareRecords) {
    const { employees, companies } = data
    this.recordCount = employees.length
    const capacity = employees.length + spareRecords
    this.columns = new EmployeeColumns(capacity, employees.length)
    this.recordOfId = new Int32Array(capacity + 1).fill(absent)
    this.recordOfEmail = new Map()
    /** @type {number[]} records of removed employees */
    this.freeRecords = []
    const toDay = cachedTextToDay()
    for (let record = 0; record < employees.length; record++) {
      this.addRecord(record, employees[record], toDay(employees[record].birthDate))
    }

    const { columns, recordCount } = this
    this.bySalary = new BlockIndex(columns.salaries, recordCount)
    this.byLastName = buildPostingLists(
      columns.lastNames,
      recordCount,
      columns.lastNameTexts.texts.length,
    )
    this.byCompany = buildPostingLists(columns.companyIds, recordCount, companies.length + 1)
    this.lastNameOrder = orderOf(columns.lastNameTexts)
    this.arrivals = { lastName: new Map(), company: new Map() }
    this.companies = companies.map((company) => ({ ...company }))
    /** @type {Map<string, number[]>} */
    this.companyIdsOfCity = new Map()
    for (const { ID, city } of companies) append(this.companyIdsOfCity, city, ID)
  }

  /** Writes the columns and the two unique indexes. */
  addRecord(record, values, day) {
    const emails = this.recordOfEmail.size
    this.recordOfEmail.set(values.email, record)
    if (this.recordOfEmail.size === emails)
      throw new Error(`The e-mail address ${values.email} is already in use.`)
    this.columns.write(record, values, day)
    this.recordOfId[values.ID] = record
  }

  get(id) {
    const record = this.recordOfId[id]
    return record < 0 ? undefined : this.columns.entity(record)
  }

  selectByLastName(name) {
    const code = this.columns.lastNameTexts.find(name)
    if (code === undefined) return { count: 0, members: [] }
    const { starts, records } = this.byLastName
    const from = starts[code]
    const count = starts[code + 1] - from
    const members = new Array(Math.min(count, pageSize))
    for (let i = 0; i < members.length; i++) members[i] = records[from + i]
    return { count, members }
  }

  entitiesByLastName(name) {
    const code = this.columns.lastNameTexts.find(name)
    if (code === undefined) return []
    const { starts, records } = this.byLastName
    const from = starts[code]
    const entities = new Array(starts[code + 1] - from)
    for (let i = 0; i < entities.length; i++) entities[i] = this.columns.entity(records[from + i])
    return entities
  }

  selectBySalary(low, high) {
    return {
      count: this.bySalary.countRange(low, high),
      members: this.bySalary.take(low, high, pageSize),
    }
  }

  entitiesBySalary(low, high) {
    const { count, members } = this.selectBySalary(low, high)
    return { count, entities: this.columns.entities(members) }
  }

  selectByPrefix(prefix) {
    const { texts, codes } = this.lastNameOrder
    const { starts, records } = this.byLastName
    const members = []
    let count = 0
    for (
      let rank = firstNotBelow(texts, prefix);
      rank < texts.length && texts[rank].startsWith(prefix);
      rank++
    ) {
      const code = codes[rank]
      const end = starts[code + 1]
      for (let at = starts[code]; at < end && members.length < pageSize; at++)
        members.push(records[at])
      count += end - starts[code]
    }
    return { count, members }
  }

  entitiesByPrefix(prefix) {
    const { count, members } = this.selectByPrefix(prefix)
    return { count, entities: this.columns.entities(members) }
  }

  scan(before, firstName) {
    const { firstNames, birthDays, isActive } = this.columns
    const code = this.columns.firstNameTexts.find(firstName)
    const day = textToDay(before)
    const recordCount = this.recordCount
    const records = []
    let count = 0
    for (let record = 0; record < recordCount; record++) {
      if (firstNames[record] === code && birthDays[record] < day && isActive[record] === 1) {
        if (count++ < pageSize) records.push(record)
      }
    }
    return { count, entities: this.columns.entities(records) }
  }

  compound(lastName, salary, before) {
    const { salaries, isActive, birthDays } = this.columns
    const { starts, records } = this.byLastName
    const code = this.columns.lastNameTexts.find(lastName)
    const day = textToDay(before)
    const entities = []
    for (let at = starts[code], end = starts[code + 1]; at < end; at++) {
      const record = records[at]
      if (salaries[record] > salary && isActive[record] === 1 && birthDays[record] < day) {
        entities.push(this.columns.entity(record))
      }
    }
    return entities
  }

  related(city, salary) {
    const { salaries } = this.columns
    const { starts, records } = this.byCompany
    const entities = []
    let count = 0
    for (const company of this.companyIdsOfCity.get(city)) {
      for (let at = starts[company], end = starts[company + 1]; at < end; at++) {
        const record = records[at]
        if (salaries[record] > salary && count++ < pageSize)
          entities.push(this.columns.entity(record))
      }
    }
    return { count, entities }
  }

  aggregate(before) {
    return before === null ? this.#aggregateAll() : this.#aggregateBefore(textToDay(before))
  }

  #aggregateAll() {
    const { salaries } = this.columns
    const count = this.recordCount
    let sum = 0
    let min = Number.POSITIVE_INFINITY
    let max = Number.NEGATIVE_INFINITY
    for (let record = 0; record < count; record++) {
      const salary = salaries[record]
      sum += salary
      if (salary < min) min = salary
      if (salary > max) max = salary
    }
    return { count, sum, average: sum / count, min, max }
  }

  #aggregateBefore(day) {
    const { salaries, birthDays } = this.columns
    const recordCount = this.recordCount
    let count = 0
    let sum = 0
    let min = Number.POSITIVE_INFINITY
    let max = Number.NEGATIVE_INFINITY
    for (let record = 0; record < recordCount; record++) {
      if (birthDays[record] < day) {
        const salary = salaries[record]
        count++
        sum += salary
        if (salary < min) min = salary
        if (salary > max) max = salary
      }
    }
    return { count, sum, average: sum / count, min, max }
  }

  distinctLastNames() {
    return this.columns.lastNameTexts.texts.slice()
  }

  groupByFirstName(before) {
    const { firstNames, firstNameTexts, birthDays } = this.columns
    const end = before === null ? Number.POSITIVE_INFINITY : textToDay(before)
    return this.#groups(firstNames, firstNameTexts.texts, birthDays, end)
  }

  groupByCity() {
    const { companyIds, birthDays } = this.columns
    const cities = [...this.companyIdsOfCity.keys()]
    const cityOf = new Uint16Array(this.companies.length + 1)
    cities.forEach((city, code) => {
      for (const id of this.companyIdsOfCity.get(city)) cityOf[id] = code
    })
    const codes = new Uint16Array(this.recordCount)
    for (let record = 0; record < codes.length; record++) codes[record] = cityOf[companyIds[record]]
    return this.#groups(codes, cities, birthDays, Number.POSITIVE_INFINITY)
  }

  #groups(codes, names, birthDays, end) {
    const { salaries } = this.columns
    const counts = new Int32Array(names.length)
    const sums = new Float64Array(names.length)
    const largest = new Float64Array(names.length).fill(Number.NEGATIVE_INFINITY)
    for (let record = 0; record < this.recordCount; record++) {
      if (birthDays[record] >= end) continue
      const code = codes[record]
      const salary = salaries[record]
      counts[code]++
      sums[code] += salary
      if (salary > largest[code]) largest[code] = salary
    }
    const groups = []
    for (let code = 0; code < names.length; code++) {
      const count = counts[code]
      if (count > 0)
        groups.push({ name: names[code], count, average: sums[code] / count, max: largest[code] })
    }
    return groups
  }

  saveSelections(salary, before) {
    const { salaries, birthDays } = this.columns
    const day = textToDay(before)
    this.saved = new BitsetPair(
      this.recordCount,
      (record) => salaries[record] >= salary,
      (record) => birthDays[record] < day,
    )
  }

  combine(operator) {
    return this.saved.combine(operator)
  }

  pageAsJson(firstId) {
    let text = '['
    for (let i = 0; i < pageSize; i++) {
      if (i > 0) text += ','
      text += this.columns.json(this.recordOfId[firstId + i])
    }
    return `${text}]`
  }

  findByText(text) {
    const [{ attribute, operator, value }] = parseFilterText(text)
    return attribute === 'ID' && operator === '=' ? this.get(value) : undefined
  }
}

/** Appends to the list of a key. */
export function append(lists, key, value) {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function firstNotBelow(texts, text) {
  let low = 0
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (texts[middle] < text) low = middle + 1
    else high = middle
  }
  return low
}
