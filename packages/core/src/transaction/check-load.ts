import type { StorageAttribute } from '../model/catalog.ts'
import { HashIndex } from '../storage/hash-index.ts'
import type { Key } from '../storage/stored-key.ts'
import { hashKey, type Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import { type Columns, rowRefused } from './load-rows.ts'
import { lastNumberOf, nextNumber, passNumber, type Sequence } from './new-values.ts'
import { targetMissing } from './referential.ts'
import { checkRules } from './rules.ts'
import { entityInvalid, keyMissing, keyTaken, valueTaken } from './write-errors.ts'

/** Gives every row its automatic numbers and advances `sequence`. Throws `loadRefused`. */
export function fillLoad(table: Table, columns: Columns, sequence: Sequence): void {
  const { model } = table
  const last = lastNumberOf(model)
  for (const attribute of model.storage) {
    if (!attribute.autoSequence || attribute.type === 'uuid') continue
    const values = columns[attribute.ordinal]
    for (let row = 0; row < values.length; row++) {
      try {
        values[row] = numberFor(table, attribute, values[row] as number | null, sequence, last)
      } catch (error) {
        throw rowRefused(model, row + 1, error)
      }
    }
  }
}

function numberFor(
  table: Table,
  attribute: StorageAttribute,
  given: number | null,
  sequence: Sequence,
  last: number,
): StoredValue {
  if (given !== null) {
    passNumber(table, sequence, attribute, last, given)
    return given
  }
  const value = nextNumber(table, sequence, attribute, last)
  const failures = checkRules(attribute, value, null)
  if (failures !== null) throw entityInvalid(attribute.owner, null, failures)
  return value
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
  else reserveDense(loaded, keys)
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

/** Reserves the vector of dense whole-number keys at once instead of by doubling. */
function reserveDense(hash: HashIndex, keys: readonly StoredValue[]): void {
  let max = 0
  for (const key of keys)
    if (typeof key === 'number' && key > max && Number.isInteger(key)) max = key
  if (max > 0) hash.reserve(max, keys.length)
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
      if (relations === 'check') throw rowRefused(model, row + 1, targetMissing(relation, key))
      values[row] = null
      const failures = checkRules(attribute, null, null)
      if (failures !== null) throw rowRefused(model, row + 1, entityInvalid(model, null, failures))
    }
  }
}
