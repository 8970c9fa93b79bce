import { recordFinder } from '../execute/database.ts'
import type { RelationAttribute, ToOneAttribute } from '../model/catalog.ts'
import { notApplicable } from '../model/path.ts'
import { type Column, NULL_INT, type NumberColumn, type WordColumn } from '../storage/column.ts'
import type { StoredValue } from '../value/types.ts'
import { foldNumbers } from './fold-numbers.ts'
import { type GroupRun, listed, type Members, READS_RECORDS, slotAt } from './members.ts'

/** One code per member: equal values have the same code, and null has 0. */
export interface Coded {
  readonly codes: Int32Array
  /** All codes are below. */
  readonly limit: number
  /** The value of a code; null if only a member with the code tells it. */
  readonly storedOf: ((code: number) => StoredValue) | null
  /** The number with the code 1, if the codes are numbers from there on; else null. */
  readonly lowest: number | null
}

/**
 * Codes of the values of a column. Texts that are equal in filters have one code, except where
 * `isExact`, as foreign keys are. Cost: O(members), and O(words) of a dictionary.
 */
export function columnCodes(
  run: GroupRun,
  column: Column,
  members: Members,
  isExact = false,
): Coded {
  switch (column.layout) {
    case 'word':
      return wordCodes(run, column, members, isExact)
    case 'number':
      return numberCodes(run, column.data, members)
    case 'bool': {
      const { data } = column
      const slots = members.slots
      const codes = readCodes(run, members, (out, from, to) => {
        for (let i = from; i < to; i++) out[i] = (data[slots === null ? i : slots[i]] + 1) % 3
      })
      return { codes, limit: 3, storedOf: null, lowest: null }
    }
    case 'text': {
      const texts = isExact ? column.spellings : column.keys
      const slots = members.slots
      return scalarCodes(run, members, (at) => texts[slots === null ? at : slots[at]])
    }
    default: {
      const { values } = column
      const slots = members.slots
      const codes = readCodes(run, members, (out, from, to) => {
        for (let i = from; i < to; i++)
          out[i] = (values[slots === null ? i : slots[i]] ?? null) === null ? 0 : 1
      })
      return { codes, limit: 2, storedOf: null, lowest: null }
    }
  }
}

/** Reads a code for each member. */
const readCodes = (
  { steps }: GroupRun,
  { count }: Members,
  body: (codes: Int32Array, from: number, to: number) => void,
): Int32Array => steps.loop(count, () => new Int32Array(count), body, READS_RECORDS)

/** Words of the same comparison key share the first code of the key. */
function wordCodes(
  run: GroupRun,
  { codes, dictionary }: WordColumn,
  members: Members,
  isExact: boolean,
): Coded {
  const limit = dictionary.codeLimit
  const { slots } = members
  if (isExact || !dictionary.sharesKeys) {
    const own = readCodes(run, members, (out, from, to) => {
      if (slots === null) out.set(codes.subarray(from, to), from)
      else for (let i = from; i < to; i++) out[i] = codes[slots[i]]
    })
    return { codes: own, limit, storedOf: (code) => dictionary.spellings[code], lowest: null }
  }
  const firstOf = run.steps.once(() => {
    const first = new Int32Array(limit)
    for (let code = 1; code < limit; code++) {
      const key = dictionary.keys[code]
      const only = dictionary.singleCodeOfKey(key)
      first[code] = only >= 0 ? only : dictionary.codesOfKey(key)[0]
    }
    return first
  })
  const folded = readCodes(run, members, (out, from, to) => {
    for (let i = from; i < to; i++) out[i] = firstOf[codes[slots === null ? i : slots[i]]]
  })
  return { codes: folded, limit, storedOf: null, lowest: null }
}

/** Numbers below this many times the members are codes as they are, without a hash. */
const MAX_SPREAD = 4
const MIN_CODES = 1024

/**
 * Codes of numbers, where null is `NULL_INT` or NaN: multiples of their common divisor if they are
 * whole and close to each other, as dates to the minute are, else in the order in which they are
 * found.
 */
export function numberCodes(run: GroupRun, data: NumberColumn['data'], members: Members): Coded {
  const { slots, count } = members
  const nothing = data instanceof Int32Array ? NULL_INT : Number.NaN
  const { min, max, isWhole, divisor } = numberRange(run, data, members)
  if (min > max) return { codes: new Int32Array(count), limit: 1, storedOf: null, lowest: null }
  // Differences of larger numbers are not exact.
  const isSmall = Math.max(-min, max, max - min) <= Number.MAX_SAFE_INTEGER
  const unit = divisor === 0 ? 1 : divisor
  const limit = (max - min) / unit + 2
  if (isWhole && isSmall && limit <= MIN_CODES + count * MAX_SPREAD) {
    const codes = readCodes(run, members, (out, from, to) =>
      data instanceof Int32Array
        ? offsetInts(out, data, slots, min - 1, from, to)
        : offsetDoubles(out, data, slots, min, unit, from, to),
    )
    // A number below the least one may not be exact.
    const storedOf = (code: number): number => min + (code - 1) * unit
    return { codes, limit, storedOf, lowest: unit === 1 ? min : null }
  }
  return scalarCodes(run, members, (at) => {
    const value = data[slots === null ? at : slots[at]]
    return value === nothing || Number.isNaN(value) ? null : value
  })
}

// Functions of their own, with vectors as parameters: closures over them take twice as long.

function offsetInts(
  out: Int32Array,
  data: Int32Array,
  slots: Int32Array | null,
  base: number,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const value = slots === null ? data[i] : data[slots[i]]
    out[i] = value === NULL_INT ? 0 : value - base
  }
}

function offsetDoubles(
  out: Int32Array,
  data: Float64Array,
  slots: Int32Array | null,
  min: number,
  unit: number,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const value = slots === null ? data[i] : data[slots[i]]
    out[i] = Number.isNaN(value) ? 0 : (value - min) / unit + 1
  }
}

/** The least and the greatest number, and whether none has a fraction. */
interface NumberRange {
  min: number
  max: number
  isWhole: boolean
  /**
   * The greatest common divisor of the differences of whole doubles, if these are exact; 0 if there
   * is no difference. 1 for integers.
   */
  divisor: number
}

function numberRange(
  { database, steps }: GroupRun,
  data: NumberColumn['data'],
  members: Members,
): NumberRange {
  const { slots, count } = members
  const isInts = data instanceof Int32Array
  const kind = { isWhole: true, divisor: isInts ? 1 : 0 }
  if (isInts && slots === null && database.slices === null)
    return { ...foldNumbers(data, count), ...kind }
  const nothing = isInts ? NULL_INT : Number.NaN
  const start = (): NumberRange & { first: number } => ({
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    ...kind,
    first: Number.NaN,
  })
  return steps.loop(count, start, (all, from, to) => {
    let { min, max, isWhole, divisor, first } = all
    for (let i = from; i < to; i++) {
      const value = data[slots === null ? i : slots[i]]
      if (value === nothing || Number.isNaN(value)) continue
      if (value < min) min = value
      if (value > max) max = value
      if (!isWhole || isInts) continue
      if (Math.floor(value) !== value) {
        isWhole = false
        continue
      }
      if (divisor === 1) continue
      if (Number.isNaN(first)) first = value
      // A quotient is rounded to a whole number only where the difference is not exact.
      const part = (value - first) / divisor
      if (divisor === 0 || Math.floor(part) !== part)
        divisor = commonDivisor(divisor, Math.abs(value - first))
    }
    Object.assign(all, { min, max, isWhole, divisor, first })
  })
}

function commonDivisor(one: number, other: number): number {
  for (let rest = other; rest > 0; ) {
    const next = one % rest
    one = rest
    rest = next
  }
  return one
}

/** Codes of values in the order in which they are found. */
export function scalarCodes(
  { steps }: GroupRun,
  { count }: Members,
  keyAt: (at: number) => string | number | boolean | null,
  visits = READS_RECORDS,
): Coded {
  const start = (): { codes: Int32Array; known: Map<string | number | boolean, number> } => ({
    codes: new Int32Array(count),
    known: new Map(),
  })
  const { codes, known } = steps.loop(
    count,
    start,
    (state, from, to) => {
      for (let i = from; i < to; i++) {
        const key = keyAt(i)
        if (key === null) continue
        let code = state.known.get(key)
        if (code === undefined) {
          code = state.known.size + 1
          state.known.set(key, code)
        }
        state.codes[i] = code
      }
    },
    visits,
  )
  return { codes, limit: known.size + 1, storedOf: null, lowest: null }
}

/** By code: the place of its first member, or -1. */
export function firstOfCodes(
  { steps }: GroupRun,
  { codes, limit }: Pick<Coded, 'codes' | 'limit'>,
): Int32Array {
  const start = (): Int32Array => new Int32Array(limit).fill(-1)
  return steps.loop(codes.length, start, (first, from, to) => {
    for (let i = from; i < to; i++) if (first[codes[i]] < 0) first[codes[i]] = i
  })
}

/** Replaces each code. `table` has the new one by code. */
export const replaceCodes = (
  { steps }: GroupRun,
  codes: Int32Array,
  table: Int32Array,
): Int32Array =>
  steps.loop(
    codes.length,
    () => new Int32Array(codes.length),
    (out, from, to) => replace(out, codes, table, from, to),
  )

function replace(
  out: Int32Array,
  codes: Int32Array,
  table: Int32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) out[i] = table[codes[i]]
}

/** Where to-one relations lead from some members. */
export interface Followed {
  /** By member: the code of its first foreign key. */
  readonly codes: Int32Array
  /** By such a code: the place in `found`, or -1 if the reader sees no related entity. */
  readonly placeOf: Int32Array
  readonly found: Members
}

/**
 * Follows relations from each foreign key once, whatever the number of members that have it. Cost:
 * O(members), and a look-up for each foreign key.
 */
export const follow = (
  run: GroupRun,
  relations: readonly ToOneAttribute[],
  members: Members,
): Followed => run.steps.once(() => followOnce(run, relations, members))

function followOnce(
  run: GroupRun,
  [relation, ...further]: readonly ToOneAttribute[],
  members: Members,
): Followed {
  const column = run.database.tableOf(relation.owner).columns[relation.foreignKey.ordinal]
  const coded = columnCodes(run, column, members, true)
  const { codes, limit } = coded
  const related = relatedByCode(run, relation, members, coded)
  const placeOf = new Int32Array(limit).fill(-1)
  const slots = new Int32Array(limit)
  let count = 0
  for (let code = 1; code < limit; code++) {
    if (related[code] < 0) continue
    slots[count] = related[code]
    placeOf[code] = count++
  }
  const found = listed(slots.slice(0, count))
  if (further.length === 0) return { codes, placeOf, found }
  const next = follow(run, further, found)
  for (let code = 1; code < limit; code++)
    if (placeOf[code] >= 0) placeOf[code] = next.placeOf[next.codes[placeOf[code]]]
  return { codes, placeOf, found: next.found }
}

/** By code of the foreign key: the related record, or -1. */
function relatedByCode(
  run: GroupRun,
  relation: ToOneAttribute,
  members: Members,
  coded: Coded,
): Int32Array {
  const { limit, lowest, storedOf } = coded
  const { database, steps } = run
  const { target, owner, foreignKey } = relation
  const table = database.tableOf(target)
  const keys = table.columns[target.key.ordinal]
  const start = (): Int32Array => new Int32Array(limit).fill(-1)
  const isScanned = table.isWhole && table.length <= members.count
  if (lowest !== null && keys.layout === 'number' && isScanned) {
    // Codes are the numbers themselves: no look-up.
    const base = lowest - 1
    const visible = database.visibleIn(target)
    const isSeen = (slot: number): boolean =>
      visible === null ? table.isLive(slot) : visible.has(slot)
    return steps.loop(table.length, start, (slots, from, to) => {
      for (let slot = from; slot < to; slot++) {
        const code = (keys.read(slot) ?? base) - base
        if (code > 0 && code < limit && isSeen(slot)) slots[code] = slot
      }
    })
  }
  const column = database.tableOf(owner).columns[foreignKey.ordinal]
  const first = storedOf !== null && limit <= members.count ? null : firstOfCodes(run, coded)
  const find = recordFinder(database, target)
  return steps.loop(limit, start, (slots, from, to) => {
    for (let code = Math.max(1, from); code < to; code++) {
      if (first === null) slots[code] = find(storedOf?.(code) ?? null)
      else if (first[code] >= 0) slots[code] = find(column.read(slotAt(members, first[code])))
    }
  })
}

/** The to-one relations of a path. Throws `attributeNotApplicable` for a to-many one. */
export function toOneSteps(
  steps: readonly RelationAttribute[],
  use: string,
): readonly ToOneAttribute[] {
  return steps.map((step) => {
    if (step.kind === 'relatedEntity') return step
    throw notApplicable(
      step.owner.name,
      step.name,
      use,
      'It leads to many entities: name a path that leads to one.',
    )
  })
}
