import { CLASS_NAMES, type ClassName, type PlainData, type Row, SHAPE } from './office.ts'
import { Refused } from './plain-value.ts'

/**
 * An entity of the plain office. The object is its identity: an update replaces values, never the
 * record.
 */
export interface PlainRecord {
  row: Row
  stamp: number
}
type Places = { [K in ClassName]: (PlainRecord | null)[] }
type Sequences = { [K in ClassName]: number }
/** The whole state at one moment. */
export interface PlainSnapshot {
  readonly places: Places
  readonly sequences: Sequences
  readonly values: ReadonlyMap<PlainRecord, { readonly row: Row; readonly stamp: number }>
}

/**
 * An office in plain arrays, with the rules of its dataclasses as code. Freed slots are reused, the
 * lowest first. Every write throws `Refused` where the engine must refuse, and `transact` then
 * rolls back.
 */
export class PlainOffice {
  places: Places = { Company: [], Employee: [], Badge: [] }
  sequences: Sequences = { Company: 1, Employee: 1, Badge: 1 }
  #depth = 0

  /** The rows in record order. */
  get data(): PlainData {
    const rows = (className: ClassName): Row[] => this.living(className).map(({ row }) => row)
    return { Company: rows('Company'), Employee: rows('Employee'), Badge: rows('Badge') }
  }
  living(className: ClassName): PlainRecord[] {
    return this.places[className].filter((record) => record !== null)
  }
  isLiving(className: ClassName, record: PlainRecord): boolean {
    return this.places[className].includes(record)
  }
  find(className: ClassName, key: unknown): PlainRecord | undefined {
    return this.living(className).find(({ row }) => row[SHAPE[className].key] === key)
  }

  insert(className: ClassName, values: Row): PlainRecord {
    const { key } = SHAPE[className]
    const row: { [name: string]: unknown } = {}
    for (const name of storedNames(className)) row[name] = values[name] ?? null
    if (className === 'Badge' && values.colour === undefined) row.colour = 'red'
    if (className !== 'Badge') {
      row[key] ??= this.sequences[className]
      this.sequences[className] = Math.max(this.sequences[className], Number(row[key]) + 1)
    }
    const record: PlainRecord = { row, stamp: 1 }
    if (row[key] === null || this.find(className, row[key]) !== undefined) throw new Refused('key')
    this.#check(className, record, row)
    const places = this.places[className]
    const free = places.indexOf(null)
    places[free < 0 ? places.length : free] = record
    return record
  }

  update(className: ClassName, key: unknown, patch: Row, stamp?: number): PlainRecord {
    const record = this.find(className, key)
    if (record === undefined || (stamp !== undefined && stamp !== record.stamp))
      throw new Refused('stamp')
    const row = { ...record.row, ...patch }
    this.#check(className, record, row)
    this.#save(record, row)
    return record
  }

  remove(className: ClassName, key: unknown, stamp?: number): void {
    const record = this.find(className, key)
    if (record === undefined || (stamp !== undefined && stamp !== record.stamp))
      throw new Refused('stamp')
    this.places[className][this.places[className].indexOf(record)] = null
    for (const owner of CLASS_NAMES) {
      for (const attribute of Object.values(SHAPE[owner].attributes)) {
        if (attribute.kind !== 'one' || attribute.target !== className) continue
        for (const other of this.living(owner)) {
          if (other.row[attribute.foreignKey] !== key) continue
          if (attribute.onDelete === 'cascade') this.remove(owner, other.row[SHAPE[owner].key])
          if (attribute.onDelete === 'null')
            this.#save(other, { ...other.row, [attribute.foreignKey]: null })
        }
      }
    }
  }

  /**
   * Commits everything or nothing. Relations are checked when the outermost transaction ends: a
   * dangling key refuses it. A refused inner one rolls back only its own writes.
   */
  transact<R>(body: () => R): R {
    const before = this.snapshot()
    this.#depth++
    try {
      const result = body()
      if (this.#depth === 1) this.#settle(before)
      return result
    } catch (error) {
      this.restore(before)
      throw error
    } finally {
      this.#depth--
    }
  }

  snapshot(): PlainSnapshot {
    const values = new Map<PlainRecord, { readonly row: Row; readonly stamp: number }>()
    for (const className of CLASS_NAMES)
      for (const record of this.living(className))
        values.set(record, { row: record.row, stamp: record.stamp })
    return { places: copied(this.places), sequences: { ...this.sequences }, values }
  }
  /** Restores values, stamps, slots and sequences of the snapshot; records keep their identity. */
  restore(snapshot: PlainSnapshot): void {
    this.places = copied(snapshot.places)
    this.sequences = { ...snapshot.sequences }
    for (const [record, values] of snapshot.values) Object.assign(record, values)
  }

  #save(record: PlainRecord, row: Row): void {
    if (isSame(record.row, row)) return
    record.row = row
    record.stamp++
  }

  #check(className: ClassName, record: PlainRecord, row: Row): void {
    if (className === 'Employee' && typeof row.level === 'number' && row.level < -5)
      throw new Refused('level')
    if (className !== 'Badge') return
    if (row.colour === null || [...String(row.colour)].length > 8) throw new Refused('colour')
    const isTaken = (other: PlainRecord) =>
      other !== record && row.number !== null && other.row.number === row.number
    if (this.living('Badge').some(isTaken)) throw new Refused('number')
  }

  #settle(before: PlainSnapshot): void {
    const isTraceless = CLASS_NAMES.every((className) =>
      this.places[className].every((record, i) => {
        return (
          record === (before.places[className][i] ?? null) &&
          (record === null || record.stamp === before.values.get(record)?.stamp)
        )
      }),
    )
    // An assigned key that was never committed may be assigned again.
    if (isTraceless) this.sequences = before.sequences
    if (this.hasDangling()) throw new Refused('relation')
  }

  /** True if a relation is dangling, as is possible inside a transaction. */
  hasDangling(): boolean {
    return CLASS_NAMES.some((owner) =>
      Object.values(SHAPE[owner].attributes).some((attribute) => {
        if (attribute.kind !== 'one') return false
        const keys = this.living(owner).map(({ row }) => row[attribute.foreignKey])
        return keys.some((key) => key !== null && this.find(attribute.target, key) === undefined)
      }),
    )
  }
}

/** The attributes a row holds: stored ones, and foreign keys under the name of their relation. */
function storedNames(className: ClassName): readonly string[] {
  return Object.entries(SHAPE[className].attributes).flatMap(([name, attribute]) =>
    attribute.kind === 'value' || (attribute.kind === 'one' && attribute.foreignKey === name)
      ? [name]
      : [],
  )
}

function copied(places: Places): Places {
  return { Company: [...places.Company], Employee: [...places.Employee], Badge: [...places.Badge] }
}

/** Makes bytes and objects comparable by content. */
function isSame(a: Row, b: Row): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
