import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import { passOf } from '../execute/order-keys.ts'
import type { Pass } from '../storage/text-prefixes.ts'
import { scalarCodes } from './column-codes.ts'
import type { Groups } from './fold-numbers-by-group.ts'
import { derived, forMembers, listed, type Members, onceForMembers } from './members.ts'
import { startsOf, type ValueCodes } from './value-codes.ts'

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
export const combineCodes = (
  database: Database,
  name: readonly unknown[],
  members: Members,
  parts: readonly ValueCodes[],
): Combined =>
  onceForMembers(database, ['group combined', name], members, () =>
    combineParts(database, name, members, parts),
  )

function combineParts(
  database: Database,
  name: readonly unknown[],
  members: Members,
  parts: readonly ValueCodes[],
): Combined {
  const once = <T>(step: unknown, find: () => T): T =>
    onceForMembers(database, ['group combine', step, name], members, find)
  const spread = once('spread', () =>
    parts.some(({ places }) => places !== null)
      ? spreadMembers(
          (part) => passOf(database.slices, ['group spread', name, part], members.origin),
          members,
          parts,
        )
      : null,
  )
  const entries = spread?.entries ?? parts.map(() => null)
  const among = spread?.members ?? members
  const codesOf = (part: number): Int32Array => {
    const at = entries[part]
    const pass = passOf(database.slices, ['codes of entries', name, part], members.origin)
    return at === null ? parts[part].codes : picked(pass, 'codes', parts[part].codes, at)
  }
  let codes = codesOf(0)
  let { limit } = parts[0]
  for (let part = 1; part < parts.length; part++) {
    const own = codesOf(part)
    const radix = parts[part].limit
    const left = codes
    const memoKey = [name, part]
    if (limit * radix <= MIN_CODES + among.count * MAX_SPREAD) {
      const start = (): Int32Array => new Int32Array(among.count)
      codes = forMembers(database, ['group combine', memoKey], among, start, (out, from, to) => {
        for (let i = from; i < to; i++) out[i] = left[i] * radix + own[i]
      })
      limit *= radix
    } else {
      const coded = scalarCodes(
        database,
        memoKey,
        derived(among, among.count),
        (at) =>
          // Both are 32-bit codes, so that no two products are equal.
          left[at] * radix + own[at],
      )
      codes = coded.codes
      limit = coded.limit
    }
  }
  return { codes, limit, members: among, entries }
}

/** What some numbers lead to in a list. */
const picked = (pass: Pass, name: string, from: Int32Array, at: Int32Array): Int32Array =>
  pass(
    name,
    at.length,
    () => new Int32Array(at.length),
    (out, start, end) => {
      for (let i = start; i < end; i++) out[i] = from[at[i]]
    },
  )

/** The entries of members for each combination of the elements of their arrays. */
function spreadMembers(
  passOfPart: (part: number) => Pass,
  members: Members,
  parts: readonly ValueCodes[],
): { readonly members: Members; readonly entries: readonly Int32Array[] } {
  let places: Int32Array = Int32Array.from({ length: members.count }, (_, place) => place)
  let entries: Int32Array[] = []
  for (const [part, { places: placesOfPart }] of parts.entries()) {
    const pass = passOfPart(part)
    const startOf = startsOf(pass, placesOfPart, members.count)
    const before = places
    const nothing = () => ({ count: 0 })
    const { count } = pass('count', before.length, nothing, (all, from, to) => {
      for (let i = from; i < to; i++) all.count += startOf[before[i] + 1] - startOf[before[i]]
    })
    if (count > MAX_ENTRIES)
      throw new EntiaError('budgetExceeded', {
        what: 'combinations of array elements in groups',
        limit: MAX_ENTRIES,
        option: 'not adjustable',
      })
    const start = () => ({ from: new Int32Array(count), own: new Int32Array(count), at: 0 })
    const spread = pass('combinations', before.length, start, (all, from, to) => {
      for (let i = from; i < to; i++)
        for (let entry = startOf[before[i]]; entry < startOf[before[i] + 1]; entry++) {
          all.from[all.at] = i
          all.own[all.at++] = entry
        }
    })
    places = picked(pass, 'places', before, spread.from)
    const known = entries.map((each, at) => picked(pass, `entries ${at}`, each, spread.from))
    entries = [...known, spread.own]
  }
  const { slots } = members
  return { members: listed(slots === null ? places : places.map((at) => slots[at])), entries }
}
