import {
  attributeReader,
  comparableReader,
  relatedVisitor,
  visitValues,
} from '../entity/path-reader.ts'
import type { Database } from '../execute/database.ts'
import { Steps } from '../execute/steps.ts'
import { listedSlots, livingSlots, type TimeSlices } from '../execute/time-slices.ts'
import type { Scalar } from '../filter/predicate.ts'
import { notApplicable, type ResolvedPath } from '../model/path.ts'
import type { Aggregates } from '../model/selection-types.ts'
import type { NumberColumn } from '../storage/column.ts'
import type { RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import { compareScalars } from '../value/compare.ts'
import { formatDate } from '../value/date.ts'
import { distinctValues, isBoxed, refuseBoxed } from './distinct.ts'
import { exactSumAt } from './exact-sum.ts'
import {
  addFolded,
  type Folded,
  foldBits,
  foldNumbers,
  foldSlots,
  nothingFolded,
} from './fold-numbers.ts'
import { columnOf } from './members.ts'

/**
 * Aggregates over the records of `set`, or over every living record if it is null. Behind to-one
 * relations (an alias) each record counts with the value it leads to; a property that is an array
 * counts with its elements. Sums are exact and rounded once, so they do not depend on the order of
 * records. Cost: O(records). Throws `attributeNotApplicable`.
 */
export function computeAggregates(
  database: Database,
  table: Table,
  path: ResolvedPath,
  set: RecordSet | null,
): Aggregates {
  refuseNotComputable(path)
  const column = columnOf(database, path)
  return path.steps.length === 0 && column?.layout === 'number'
    ? computeNumbers(database.slices, table, column, set)
    : computeValues(database, table, path, set)
}

/** The same over distinct values: each counts once. */
export function computeDistinct(
  database: Database,
  table: Table,
  path: ResolvedPath,
  set: RecordSet | null,
): Aggregates {
  refuseNotComputable(path)
  const values = distinctValues(database, table, path, set)
  const numbers = values.filter(isNumber)
  const steps = pathSteps('distinct sum', database, path, livingSlots(database.slices, table, set))
  const sum = (): number => exactSumAt(steps, numbers.length, (at) => numbers[at])
  return summed(path, values.length, numbers.length, sum, {
    min: values[0] ?? null,
    max: values.at(-1) ?? null,
  })
}

/**
 * Counts the values of an attribute of objects, images or BLOBs; null for any other path. Cost:
 * O(records).
 */
export function countBoxed(
  database: Database,
  path: ResolvedPath,
  set: () => RecordSet,
): number | null {
  if (!isBoxed(path.attribute) || path.properties.length > 0 || path.steps.length > 0) return null
  const read = attributeReader(database, path)
  const toKey = comparableReader(path)
  const isValue = (value: unknown): boolean =>
    value !== null && (path.attribute.kind !== 'calculated' || toKey(value) !== null)
  const slots = listedSlots(database.slices, set())
  const steps = pathSteps('count', database, path, slots)
  const start = (): { count: number } => ({ count: 0 })
  const counted = steps.loop(
    slots.length,
    start,
    (all, from, to) => {
      for (let i = from; i < to; i++) if (isValue(read(slots[i]))) all.count++
    },
    1,
  )
  return counted.count
}

/** The steps of a computation over the values of a path. */
const pathSteps = (
  name: string,
  database: Database,
  { steps, attribute, properties }: ResolvedPath,
  slots: Int32Array,
): Steps => Steps.in(database.slices, () => [name, database, steps, attribute, properties], slots)

const isNumber = (value: unknown): value is number => typeof value === 'number'

export function refuseNotComputable(path: ResolvedPath): void {
  const many = path.steps.find(({ kind }) => kind === 'relatedEntities')
  if (many !== undefined) {
    throw notApplicable(
      many.owner.name,
      many.name,
      'an aggregate over related entities',
      'Compute over a selection of the related dataclass.',
    )
  }
  refuseBoxed(path, 'an aggregate')
}

/** Adds a sum if the attribute is numeric, or if every value of a property is a number. */
function summed(
  { attribute, properties }: ResolvedPath,
  count: number,
  numbers: number,
  add: () => number,
  bounds: Pick<Aggregates, 'min' | 'max'>,
): Aggregates {
  const isNumeric = 'type' in attribute && properties.length === 0 && NUMERIC.has(attribute.type)
  const sum = isNumeric || (properties.length > 0 && numbers === count) ? add() : null
  return { count, sum, average: sum === null || count === 0 ? null : sum / count, ...bounds }
}

function computeNumbers(
  slices: TimeSlices | null,
  table: Table,
  column: NumberColumn,
  set: RecordSet | null,
): Aggregates {
  const { type, dateOnly } = column.attribute
  const folded =
    slices === null ? foldSet(table, column, set) : foldSliced(slices, table, column, set)
  const { count, min, max } = folded
  const isDate = type === 'date'
  const shown = (value: number): unknown => (isDate ? formatDate(value, dateOnly) : value)
  const bounds = count === 0 ? { min: null, max: null } : { min: shown(min), max: shown(max) }
  if (isDate) return { count, sum: null, average: null, ...bounds }
  // No partial sum of these whole numbers can exceed 2^53, so the plain sum is exact.
  const isExact =
    column.isIntegral && (count === 0 || count * Math.max(-min, max) <= Number.MAX_SAFE_INTEGER)
  const sum = isExact ? folded.sum : sumOf(slices, column, livingSlots(slices, table, set))
  return { count, sum, average: count === 0 ? null : sum / count, ...bounds }
}

function sumOf(slices: TimeSlices | null, column: NumberColumn, slots: Int32Array): number {
  const steps = Steps.in(slices, () => ['sum', column.attribute], slots)
  return exactSumAt(steps, slots.length, (at) => column.read(slots[at]))
}

function foldSet({ length }: Table, { data }: NumberColumn, set: RecordSet | null): Folded {
  // Removed records read as null, so the column alone determines which records count.
  if (set === null) return foldNumbers(data, length)
  const folded = nothingFolded()
  if (set.kind === 'sparse') foldSlots(folded, data, set.slots, 0, set.slots.length)
  else foldBits(folded, data, set.words)
  return folded
}

/** The same in blocks. These are not counted as visits, as a pass over a column. */
function foldSliced(
  slices: TimeSlices,
  table: Table,
  { attribute, data }: NumberColumn,
  set: RecordSet | null,
): Folded {
  const slots = set === null ? null : listedSlots(slices, set)
  const body = (all: Folded, from: number, to: number): void => {
    if (slots !== null) foldSlots(all, data, slots, from, to)
    else addFolded(all, foldNumbers(data.subarray(from, to), to - from))
  }
  const count = slots?.length ?? table.length
  return Steps.in(slices, () => ['fold', attribute], slots).loop(count, nothingFolded, body)
}

/**
 * Text, booleans, computed attributes, properties of objects and values behind relations: value by
 * value.
 */
function computeValues(
  database: Database,
  table: Table,
  path: ResolvedPath,
  set: RecordSet | null,
): Aggregates {
  const read = attributeReader(database, path)
  const toKey = comparableReader(path)
  const slots = livingSlots(database.slices, table, set)
  const visit = relatedVisitor(database, path.steps)
  const steps = pathSteps('compute', database, path, slots)
  const start = (): Totals => ({ count: 0, numbers: [], min: null, max: null })
  const totals = steps.loop(
    slots.length,
    start,
    (all, from, to) => {
      const { count, min, max } = all
      const { length } = all.numbers
      const noteValue = (value: unknown): void => {
        const key = toKey(value)
        if (key !== null) add(all, key, value)
      }
      const note = (slot: number): void => visitValues(path, read(slot), noteValue)
      try {
        for (let i = from; i < to; i++) visit(slots[i], note)
      } catch (error) {
        // The caller reads the block again from its beginning.
        all.numbers.length = length
        Object.assign(all, { count, min, max })
        throw error
      }
    },
    1,
  )
  const { count, numbers, min, max } = totals
  const sum = (): number => exactSumAt(steps, numbers.length, (at) => numbers[at])
  return summed(path, count, numbers.length, sum, {
    min: min?.value ?? null,
    max: max?.value ?? null,
  })
}

interface Bound {
  readonly key: Scalar
  readonly value: unknown
}
interface Totals {
  count: number
  readonly numbers: number[]
  min: Bound | null
  max: Bound | null
}

function add(totals: Totals, key: Scalar, value: unknown): void {
  totals.count++
  if (typeof value === 'number') totals.numbers.push(value)
  if (totals.min === null || compareScalars(key, totals.min.key) < 0) totals.min = { key, value }
  if (totals.max === null || compareScalars(key, totals.max.key) > 0) totals.max = { key, value }
}

const NUMERIC = new Set(['long', 'long64', 'number', 'duration'])
