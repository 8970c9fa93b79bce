import { EntiaError } from '../errors.ts'
import type { ClassModel, StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import { numberedAttributes } from '../model/names.ts'
import { isRowBlock, type RowBlock, rowAt } from '../model/row-block.ts'
import type { LoadOptions } from '../model/table-types.ts'
import { HashIndex } from '../storage/hash-index.ts'
import type { Key } from '../storage/stored-key.ts'
import { hashKey, type Table } from '../storage/table.ts'
import { reserveKeys } from '../storage/table-load.ts'
import { describeFound, isAttributes, refused } from '../value/check-options.ts'
import type { StoredValue } from '../value/types.ts'
import { hasOwn, type Patch, readForeignKey, readPatch, readValue } from './patch.ts'
import { lastNumberOf, numberFor, type Sequence } from './port.ts'
import { targetMissing } from './referential.ts'
import { checkRules, hasRules } from './rules.ts'
import { entityInvalid, keyMissing, keyTaken, loadError, valueTaken } from './write-errors.ts'

/** Rows between two calls of `onProgress`. */
const PROGRESS_ROWS = 10_000

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

/** What takes the rows of a load, one by one. */
interface RowSink {
  read(row: unknown): void
  /** Reads all rows of a block, or nothing: then each is read by itself. */
  readBlock?(block: RowBlock): boolean
}

/**
 * Gives every row to a sink, and counts them from 1, for `onProgress` and for the refusal of the
 * load by a row.
 */
export class CountedRows {
  readonly #model: ClassModel
  readonly #onProgress: LoadOptions['onProgress']
  readonly #sink: RowSink
  #count = 0

  constructor(model: ClassModel, { onProgress }: LoadOptions, sink: RowSink) {
    this.#model = model
    this.#onProgress = onProgress
    this.#sink = sink
  }

  /** Takes a row or a block of rows. */
  next(row: unknown): void {
    if (isRowBlock(row)) this.#nextBlock(row)
    else this.#nextRow(row)
  }

  #nextBlock(block: RowBlock): void {
    if (!this.#sink.readBlock?.(block)) {
      for (let at = 0; at < block.count; at++) this.#nextRow(rowAt(block, at))
      return
    }
    const before = this.#count
    this.#count += block.count
    const isDue = Math.floor(before / PROGRESS_ROWS) < Math.floor(this.#count / PROGRESS_ROWS)
    if (isDue) this.#onProgress?.(this.#count)
  }

  #nextRow(row: unknown): void {
    const count = ++this.#count
    try {
      this.#sink.read(row)
    } catch (error) {
      throw rowRefused(this.#model, count, error)
    }
    if (this.#onProgress !== undefined && count % PROGRESS_ROWS === 0) this.#onProgress(count)
  }

  /** Call it after the last row. Returns their number. */
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
  /** Longer than the number of rows before `end`. */
  readonly columns: Columns
  readonly #model: ClassModel
  /** Targets of the known shape, in the order of its names. */
  #targets: readonly Target[] = []
  /** The number of rows. */
  count = 0
  /** Columns without a value in the known shape. */
  #others: readonly Target[] = []
  #isShapeKnown = false

  /** `expected`: the number of rows, where it is known. Columns then need not grow. */
  constructor(model: ClassModel, expected = 0) {
    this.#model = model
    this.columns = model.storage.map(() => new Array(Math.min(expected, MAX_EXPECTED_ROWS)))
  }

  /** Call it after the last row. */
  end(): this {
    for (const column of this.columns) column.length = this.count
    return this
  }

  read(row: unknown): void {
    if (!isAttributes(row))
      throw refused(
        `A row for the "${this.#model.name}" dataclass`,
        'an object of attributes',
        describeFound(row),
      )
    if (!this.#readShape(row) && !(this.#learnShape(Object.keys(row)) && this.#readShape(row))) {
      this.#add(readPatch(this.#model, row))
    }
    this.count++
  }

  /**
   * Reads a block column by column. False for a block that needs more, or that has a value to
   * refuse: read by row, it is refused as objects are.
   */
  readBlock({ names, columns, count }: RowBlock): boolean {
    const isKnown =
      this.#isShapeKnown &&
      names.length === this.#targets.length &&
      this.#targets.every(({ name }, at) => name === names[at])
    if (!isKnown && !this.#learnShape(names)) return false
    try {
      for (const [at, target] of this.#targets.entries())
        if (!this.#readColumn(target, columns[at], count)) return false
    } catch (error) {
      if (error instanceof EntiaError) return false
      throw error
    }
    for (const { attribute, missing, hasRules, column } of this.#others) {
      if (hasRules && checkRules(attribute, missing, null) !== null) return false
      for (let row = 0; row < count; row++) column[this.count + row] = missing
    }
    this.count += count
    return true
  }

  #readColumn(target: Target, values: readonly unknown[], count: number): boolean {
    const { attribute, missing, hasRules, column } = target
    const first = this.count
    for (let row = 0; row < count; row++) {
      const given = values[row]
      const value = given === undefined ? missing : readTarget(target, given)
      if (hasRules && checkRules(attribute, value, null) !== null) return false
      column[first + row] = value
    }
    return true
  }

  /**
   * Reads a row of the known shape into the columns. Returns false for another shape; the caller
   * then overwrites what this has written. The loop is that of `readPatch`: it reads values in the
   * same order, so that both refuse the same value first.
   */
  #readShape(row: object): boolean {
    if (!this.#isShapeKnown) return false
    const targets = this.#targets
    const place = this.count
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
      this.columns[attribute.ordinal][this.count] = value
    }
    if (failures !== null) throw entityInvalid(this.#model, null, failures)
  }
}

/**
 * Gives every row its automatic numbers, as single insertions would, and advances `sequence`.
 * Throws `loadRefused`.
 */
export function fillLoad(table: Table, columns: Columns, sequence: Sequence): void {
  const { model } = table
  const last = lastNumberOf(model)
  const numbered = numberedAttributes(model)
  const count = numbered.length === 0 ? 0 : columns[model.key.ordinal].length
  for (let row = 0; row < count; row++) {
    try {
      for (const attribute of numbered) {
        const values = columns[attribute.ordinal]
        const given = values[row] as number | null
        values[row] = numberFor(table, sequence, attribute, last, given)
        if (given === null) checkValue(attribute, values[row])
      }
    } catch (error) {
      throw rowRefused(model, row + 1, error)
    }
  }
}

/** Throws `validationFailed` for a value of a row that breaks the rules of its attribute. */
export function checkValue(attribute: StorageAttribute, value: StoredValue): void {
  const failures = checkRules(attribute, value, null)
  if (failures !== null) throw entityInvalid(attribute.owner, null, failures)
}

/** Hashes of the rows' keys and unique values. Rows count from 0. */
export interface LoadHashes {
  readonly keys: HashIndex
  /** By column. */
  readonly unique: readonly (HashIndex | undefined)[]
}

/**
 * Checks keys and unique values for duplicates, among the rows and in the table. Throws
 * `loadRefused`.
 */
export function checkLoadUnique(table: Table, columns: Columns): LoadHashes {
  const { model } = table
  const keys = columns[model.key.ordinal]
  const loaded = new HashIndex((row) => hashKey(keys[row] as string) as string)
  if (typeof keys[0] === 'string') loaded.reserveTexts(keys.length)
  else reserveKeys(loaded, keys)
  for (let row = 0; row < keys.length; row++) {
    const key = keys[row] as Key | null
    if (key === null || key === '') {
      throw rowRefused(model, row + 1, keyMissing(model, key))
    }
    const hash = hashKey(key)
    loaded.set(hash, row)
    // A duplicate key does not grow the hash.
    if (loaded.size === row || (table.liveCount > 0 && table.keys.find(hash) >= 0)) {
      throw rowRefused(model, row + 1, keyTaken(model, key))
    }
  }
  const unique: (HashIndex | undefined)[] = []
  for (const attribute of model.storage) {
    const index = table.indexes[attribute.ordinal]
    if (index?.unique == null) continue
    const values = columns[attribute.ordinal]
    const seen = new HashIndex((row) => index.uniqueKey(values[row]) as string)
    if (typeof values[0] === 'string') seen.reserveTexts(values.length)
    unique[attribute.ordinal] = seen
    let given = 0
    for (let row = 0; row < values.length; row++) {
      if (values[row] === null) continue
      const hash = index.uniqueKey(values[row])
      seen.set(hash, row)
      if (seen.size === given++ || (table.liveCount > 0 && index.unique.find(hash) >= 0)) {
        throw rowRefused(model, row + 1, valueTaken(attribute))
      }
    }
  }
  return { keys: loaded, unique }
}

/**
 * Checks that relations have targets, in the table or among the rows, or sets the others to null.
 * Throws `loadRefused`.
 */
export function checkLoadRelations(
  table: Table,
  columns: Columns,
  tables: readonly Table[],
  loaded: HashIndex,
  relations: 'check' | 'null',
): void {
  const { model } = table
  for (const attribute of model.storage) {
    const { relation } = attribute
    if (relation === null) continue
    const target = tables[relation.target.ordinal]
    const values = columns[attribute.ordinal]
    for (let row = 0; row < values.length; row++) {
      const key = values[row] as Key | null
      if (
        key === null ||
        target.findKey(key) >= 0 ||
        (target === table && loaded.find(hashKey(key)) >= 0)
      )
        continue
      try {
        if (relations === 'check') throw targetMissing(relation, key)
        checkValue(attribute, null)
      } catch (error) {
        throw rowRefused(model, row + 1, error)
      }
      values[row] = null
    }
  }
}
