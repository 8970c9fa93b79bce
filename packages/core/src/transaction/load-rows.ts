import { EntiaError } from '../errors.ts'
import type { ClassModel, StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import type { LoadOptions } from '../model/table-types.ts'
import { describeFound } from '../value/refusal.ts'
import type { StoredValue } from '../value/types.ts'
import { loadError } from './load-errors.ts'
import { hasOwn, type Patch, readPatch } from './patch.ts'
import { readForeignKey, readValue } from './read-value.ts'
import { checkRules, hasRules } from './rules.ts'
import { entityInvalid } from './write-errors.ts'

/** Rows between two calls of `onProgress`. */
export const PROGRESS_ROWS = 10_000

/** Columns are created in the length of the rows to come, up to this length. */
const MAX_EXPECTED_ROWS = 1 << 24

/** Values by column and row. */
export type Columns = StoredValue[][]

/** Where a value of a row goes. */
interface Target {
  /** The name in the rows. */
  readonly name: string
  readonly attribute: StorageAttribute
  /** The relation, where rows give the value under its name. */
  readonly relation: ToOneAttribute | null
  /** The value where a row gives none. */
  readonly missing: StoredValue
  readonly hasRules: boolean
  readonly column: StoredValue[]
}

const readTarget = ({ attribute, relation }: Target, given: unknown): StoredValue =>
  relation === null ? readValue(attribute, given) : readForeignKey(relation, given)

/** The refusal of a row, counted from 1. Returns errors other than `EntiaError` unchanged. */
export function rowRefused(model: ClassModel, rowNumber: number, error: unknown): unknown {
  if (!(error instanceof EntiaError)) return error
  const details = { dataClass: model.name, rowNumber, problem: error.message }
  return loadError('loadRefused', details, { cause: error })
}

/**
 * Calls `read` with every row and returns their number. A refused row refuses the load, with its
 * number.
 */
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

/** As `eachRow`, for an async iterable. */
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

/** Counts rows from 1, for refusals and `onProgress`. */
class CountedRows {
  readonly #model: ClassModel
  readonly #onProgress: LoadOptions['onProgress']
  readonly #read: (row: unknown) => void
  #count = 0

  constructor(
    model: ClassModel,
    onProgress: LoadOptions['onProgress'],
    read: (row: unknown) => void,
  ) {
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
 * Coerces rows into columns, with defaults, and checks the rules of their attributes, but not keys,
 * uniqueness and relations. It looks up names once for consecutive rows of one shape.
 */
export class RowReader {
  readonly columns: Columns
  readonly #model: ClassModel
  /** Targets of the known shape, in the order of its names. */
  #targets: readonly Target[] = []
  #count = 0
  /** Columns without a value in the known shape. */
  #others: readonly Target[] = []
  #isShapeKnown = false

  /** `expected`: the number of rows, where it is known. Columns then need not grow. */
  constructor(model: ClassModel, expected = 0) {
    this.#model = model
    this.columns = model.storage.map(() => new Array(Math.min(expected, MAX_EXPECTED_ROWS)))
  }

  /** Call it after the last row. Returns the values by column and row. */
  end(): Columns {
    for (const column of this.columns) column.length = this.#count
    return this.columns
  }

  read(row: unknown): void {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      const argument = `A row for the "${this.#model.name}" dataclass`
      throw new EntiaError('argumentInvalid', {
        argument,
        expected: 'an object of attributes',
        found: describeFound(row),
      })
    }
    if (!this.#readShape(row) && !(this.#learnShape(Object.keys(row)) && this.#readShape(row))) {
      this.#add(readPatch(this.#model, row))
    }
    this.#count++
  }

  /**
   * Reads a row of the known shape into the columns. Returns false for another shape; the caller
   * then overwrites what this has written. The loop is that of `readPatch`: it reads values in the
   * same order, so that both refuse the same value first.
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

  /** False where a row needs more than copying its values to columns. */
  #learnShape(names: readonly string[]): boolean {
    const targets: Target[] = []
    const given = new Set<number>()
    for (const name of names) {
      const found = this.#model.attributes.get(name)
      if (found === undefined || (found.kind !== 'storage' && found.kind !== 'relatedEntity'))
        return false
      const target =
        found.kind === 'storage' ? this.#target(found, null) : this.#target(found.foreignKey, found)
      given.add(target.attribute.ordinal)
      targets.push(target)
    }
    // The row gives a relation under both of its names.
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
