import { pageSize } from '../subjects/subject.js'

/**
 * The hand-written alternative to a store: rows in a Map by key, and an array sorted by salary. The
 * framework servers use it, so that the benchmark measures the framework alone.
 */
export class PlainTable {
  #byId
  #bySalary
  #notes = new Map()

  /** @param {import('../data.js').BenchData} data */
  constructor({ employees }) {
    this.#byId = new Map(employees.map((row) => [row.ID, { ...row, stamp: 1 }]))
    this.#bySalary = [...this.#byId.values()].sort((a, b) => a.salary - b.salary)
  }

  get(id) {
    return this.#byId.get(id)
  }

  /** @returns {{ count: number, entities: readonly object[] }} */
  page(low, high) {
    const from = this.#firstFrom(low)
    const count = this.#firstFrom(high + 1) - from
    return { count, entities: this.#bySalary.slice(from, from + Math.min(count, pageSize)) }
  }

  /** Stores a note and returns it with its key. */
  addNote(values) {
    const kept = { ID: this.#notes.size + 1, ...values, stamp: 1 }
    this.#notes.set(kept.ID, kept)
    return kept
  }

  /** The index of the first row with at least this salary. */
  #firstFrom(salary) {
    let low = 0
    let high = this.#bySalary.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#bySalary[middle].salary < salary) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Shared by the servers over a `PlainTable`: their addresses, and how to read their responses. */
export const plainAddresses = {
  onePath: (id) => `/employees/${id}`,
  pagePath: (low, high) => `/employees?low=${low}&high=${high}`,
  post: (values) => ({ path: '/notes', body: JSON.stringify(values) }),
  readOne: (body) => body,
  readPage: (body) => body,
  readNote: (body) => body,
}
