import { EntiaError } from '../errors.ts'
import type { ClassModel, StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { LoadOptions } from '../model/table-types.ts'
import { describeFound } from '../value/refusal.ts'
import type { StoredValue } from '../value/types.ts'
import { loadError } from './load-errors.ts'
import { hasOwn, type Patch, readForeignKey, readPatch, readValue } from './patch.ts'
import { checkRules, hasRules } from './rules.ts'
import { entityInvalid } from './write-errors.ts'

/** Rows between two calls of `onProgress`. */
export const PROGRESS_ROWS = 10_000

/** Columns are made as long as the rows to come, if those are not more than this. */
const MOST_EXPECTED = 1 << 24

/** Values by column and row. */
export type Columns = StoredValue[][]

/** Where a value of a row goes. */
interface Target {
  /** By which rows give it. */
  readonly name: string
  readonly attribute: StorageAttribute
  /** The relation under whose name the value is given, if it is. */
  readonly relation: ToOneAttribute | null
  /** What is stored where nothing is given. */
  readonly missing: StoredValue
  readonly hasRules: boolean
  readonly column: StoredValue[]
}

const readTarget = ({ attribute, relation }: Target, given: unknown): StoredValue =>
  relation === null ? readValue(attribute, given) : readForeignKey(relation, given)

/** A refusal of one row, from 1; what is no error of ours passes as it is. */
export function rowRefused(model: ClassModel, rowNumber: number, error: unknown): unknown {
  if (!(error instanceof EntiaError)) return error
  const details = { dataClass: model.name, rowNumber, problem: error.message }
  return loadError('loadRefused', details, { cause: error })
}

/** Calls `read` with every row; a row that is refused refuses the load by its number. Returns how many there were. */
export function eachRow(
  model: ClassModel,
  rows: Iterable<unknown>,
  onProgress: LoadOptions['onProgress'],
  read: (row: unknown) => void,
): number {
  const counted = new CountedRows(model, onProgress, read)
  for (const row of rows) counted.next(row)
  return counted.end()
}

/** The same for rows that are still to come. */
export async function eachRowToCome(
  model: ClassModel,
  rows: AsyncIterable<unknown>,
  onProgress: LoadOptions['onProgress'],
  read: (row: unknown) => void,
): Promise<number> {
  const counted = new CountedRows(model, onProgress, read)
  for await (const row of rows) counted.next(row)
  return counted.end()
}

/** Numbers rows from 1, for refusals and for who wants to see progress. */
class CountedRows {
  readonly #model: ClassModel
  readonly #onProgress: LoadOptions['onProgress']
  readonly #read: (row: unknown) => void
  #count = 0

  constructor(model: ClassModel, onProgress: LoadOptions['onProgress'], read: (row: unknown) => void) {
    this.#model = model
    this.#onProgress = onProgress
    this.#read = read
  }

  next(row: unknown): void {
    const count = ++this.#count
    try {
      this.#read(row)
    } catch (error) {
      throw rowRefused(this.#model, count, error)
    }
    if (this.#onProgress !== undefined && count % PROGRESS_ROWS === 0) this.#onProgress(count)
  }

  end(): number {
    const count = this.#count
    if (this.#onProgress !== undefined && count % PROGRESS_ROWS !== 0) this.#onProgress(count)
    return count
  }
}

/**
 * Coerces rows into columns, with defaults, and checks them against the rules of their attributes; keys, uniqueness and
 * relations are not looked at. Rows of one shape are read without looking any name up.
 */
export class RowReader {
  readonly columns: Columns
  readonly #model: ClassModel
  /** In the order in which rows of the known shape name them. */
  #targets: readonly Target[] = []
  #count = 0
  /** Columns that the known shape does not give. */
  #others: readonly Target[] = []
  #isShapeKnown = false

  /** Takes how many rows are to come, where that is known: columns are then not made longer again and again. */
  constructor(model: ClassModel, expected = 0) {
    this.#model = model
    this.columns = model.storage.map(() => new Array(Math.min(expected, MOST_EXPECTED)))
  }

  /** The values by column and row, when all are read. */
  end(): Columns {
    for (const column of this.columns) column.length = this.#count
    return this.columns
  }

  read(row: unknown): void {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      const argument = `What is loaded into the "${this.#model.name}" dataclass`
      throw new EntiaError('argumentInvalid', { argument, expected: 'rows of attributes', found: describeFound(row) })
    }
    if (!this.#readShape(row) && !(this.#learnShape(Object.keys(row)) && this.#readShape(row))) {
      this.#add(readPatch(this.#model, row))
    }
    this.#count++
  }

  /**
   * Reads a row of the known shape into the columns; false for another row, which is then read anew and written over what this wrote of
   * it. See `readPatch` for the loop, which meets values in the same order, and so refuses the same one first.
   */
  #readShape(row: object): boolean {
    if (!this.#isShapeKnown) return false
    const targets = this.#targets
    const place = this.#count
    let failures: EntiaError[] | null = null
    let next = 0
    for (const name in row) {
      if (!hasOwn.call(row, name)) continue
      if (next === targets.length || targets[next].name !== name) return false
      const target = targets[next++]
      const given = (row as { readonly [name: string]: unknown })[name]
      const value = given === undefined ? target.missing : readTarget(target, given)
      if (target.hasRules) failures = checkRules(target.attribute, value, failures)
      target.column[place] = value
    }
    if (next < targets.length) return false
    for (const { attribute, missing, hasRules, column } of this.#others) {
      if (hasRules) failures = checkRules(attribute, missing, failures)
      column[place] = missing
    }
    if (failures !== null) throw entityInvalid(this.#model, null, failures)
    return true
  }

  /** False where a row needs more than its values put into columns. */
  #learnShape(names: readonly string[]): boolean {
    const targets: Target[] = []
    const given = new Set<number>()
    for (const name of names) {
      const found = this.#model.attributes.get(name)
      if (found === undefined || (found.kind !== 'storage' && found.kind !== 'relatedEntity')) return false
      const target = found.kind === 'storage' ? this.#target(found, null) : this.#target(found.foreignKey, found)
      given.add(target.attribute.ordinal)
      targets.push(target)
    }
    // A relation given under both of its names.
    if (given.size < names.length) return false
    this.#targets = targets
    const others = this.#model.storage.filter(({ ordinal }) => !given.has(ordinal))
    this.#others = others.map((attribute) => this.#target(attribute, null))
    this.#isShapeKnown = true
    return true
  }

  #target(attribute: StorageAttribute, relation: ToOneAttribute | null): Target {
    const missing = attribute.defaultValue ?? null
    const { name } = relation ?? attribute
    const column = this.columns[attribute.ordinal]
    return { name, attribute, relation, missing, hasRules: hasRules(attribute), column }
  }

  #add({ ordinals, values }: Patch): void {
    let failures: EntiaError[] | null = null
    for (const attribute of this.#model.storage) {
      const place = ordinals.indexOf(attribute.ordinal)
      const value = place < 0 ? (attribute.defaultValue ?? null) : values[place]
      failures = checkRules(attribute, value, failures)
      this.columns[attribute.ordinal][this.#count] = value
    }
    if (failures !== null) throw entityInvalid(this.#model, null, failures)
  }
}
