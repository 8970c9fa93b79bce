import { EntiaError } from '../errors.ts'
import { replaceCodes, scalarCodes } from './column-codes.ts'
import type { Groups } from './fold-numbers-by-group.ts'
import { type GroupRun, listed, type Members } from './members.ts'
import { entryStarts, type ValueCodes } from './value-codes.ts'

/** Products of codes below this many times the members need no hash. */
const MAX_SPREAD = 4
const MIN_CODES = 65_536
/** Several arrays of one member are combined with each other. */
const MAX_ENTRIES = 1 << 24

/** Members by the values of several paths. */
export interface Combined extends Groups {
  /**
   * The members, or their entries: a member with an array has an entry for each combination of
   * elements.
   */
  readonly members: Members
  /** By path: the entry of its codes for each entry here; null if both have the same place. */
  readonly entries: readonly (Int32Array | null)[]
}

/** Groups members by several values. Cost: O(members) for each. */
export function combineCodes(
  run: GroupRun,
  members: Members,
  parts: readonly ValueCodes[],
): Combined {
  const { steps } = run
  const spread = steps.once(() =>
    parts.some(({ places }) => places !== null) ? spreadMembers(run, members, parts) : null,
  )
  const entries = spread?.entries ?? parts.map(() => null)
  const among = spread?.members ?? members
  const codesOf = (part: number): Int32Array => {
    const at = entries[part]
    return at === null ? parts[part].codes : replaceCodes(run, at, parts[part].codes)
  }
  let codes = codesOf(0)
  let { limit } = parts[0]
  for (let part = 1; part < parts.length; part++) {
    const own = codesOf(part)
    const radix = parts[part].limit
    const left = codes
    if (limit * radix <= MIN_CODES + among.count * MAX_SPREAD) {
      const start = (): Int32Array => new Int32Array(among.count)
      codes = steps.loop(among.count, start, (out, from, to) => {
        for (let i = from; i < to; i++) out[i] = left[i] * radix + own[i]
      })
      limit *= radix
    } else {
      // Both are 32-bit codes, so that no two products are equal.
      const coded = scalarCodes(run, among, (at) => left[at] * radix + own[at])
      codes = coded.codes
      limit = coded.limit
    }
  }
  return { codes, limit, members: among, entries }
}

/** The entries of members for each combination of the elements of their arrays. */
function spreadMembers(
  run: GroupRun,
  members: Members,
  parts: readonly ValueCodes[],
): { readonly members: Members; readonly entries: readonly Int32Array[] } {
  const { steps } = run
  let places: Int32Array = Int32Array.from({ length: members.count }, (_, place) => place)
  let entries: Int32Array[] = []
  for (const { places: placesOfPart } of parts) {
    const startOf = entryStarts(steps, placesOfPart, members.count)
    const before = places
    const nothing = () => ({ count: 0 })
    const { count } = steps.loop(before.length, nothing, (all, from, to) => {
      for (let i = from; i < to; i++) all.count += startOf[before[i] + 1] - startOf[before[i]]
    })
    if (count > MAX_ENTRIES)
      throw new EntiaError('budgetExceeded', {
        what: 'combinations of array elements in groups',
        limit: MAX_ENTRIES,
        option: 'not adjustable',
      })
    const start = () => ({ from: new Int32Array(count), own: new Int32Array(count), at: 0 })
    const spread = steps.loop(before.length, start, (all, from, to) => {
      for (let i = from; i < to; i++)
        for (let entry = startOf[before[i]]; entry < startOf[before[i] + 1]; entry++) {
          all.from[all.at] = i
          all.own[all.at++] = entry
        }
    })
    places = replaceCodes(run, spread.from, before)
    const known = entries.map((each) => replaceCodes(run, spread.from, each))
    entries = [...known, spread.own]
  }
  const { slots } = members
  return { members: listed(slots === null ? places : places.map((at) => slots[at])), entries }
}
