/**
 * The records of YCSB as plain objects in a map, with sorted keys. @implements
 * {import('../mixes/mix.js').Reference}
 */
export class RecordsReference {
  #records
  /** The sorted keys; null after an insert, until the next scan. */
  #keys = null

  constructor({ records }) {
    this.#records = new Map(records.map((record) => [record.key, record]))
  }

  run(operation) {
    return this[operation.kind](operation)
  }

  all() {
    return [...this.#records.values()]
  }

  read({ key }) {
    return this.#records.get(key)
  }

  update({ key, field, value }) {
    this.#records.set(key, { ...this.#records.get(key), [field]: value })
  }

  modify({ key, field, suffix }) {
    const record = this.#records.get(key)
    this.update({ key, field, value: record[field].slice(suffix.length) + suffix })
    return record
  }

  insert({ record }) {
    this.#records.set(record.key, record)
    this.#keys = null
  }

  scan({ key, length }) {
    this.#keys ??= [...this.#records.keys()].sort()
    const first = this.#keys.findIndex((other) => other >= key)
    return this.#keys.slice(first, first + length).map((other) => this.#records.get(other))
  }
}
