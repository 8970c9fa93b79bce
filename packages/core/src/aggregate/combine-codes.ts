import { EntiaError } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import { scalarCodes } from './column-codes.ts'
import type { Groups } from './fold-numbers-by-group.ts'
import { derived, forMembers, listed, type Members, onceForMembers } from './members.ts'
import type { ValueCodes } from './value-codes.ts'

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
    parts.some(({ places }) => places !== null) ? spreadMembers(members, parts) : null,
  )
  const entries = spread?.entries ?? parts.map(() => null)
  const among = spread?.members ?? members
  let codes = once('first', () => codesAt(parts[0], entries[0]))
  let { limit } = parts[0]
  for (let part = 1; part < parts.length; part++) {
    const own = once(part, () => codesAt(parts[part], entries[part]))
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

const codesAt = ({ codes }: ValueCodes, entries: Int32Array | null): Int32Array =>
  entries === null ? codes : entries.map((entry) => codes[entry])

/** The entries of members for each combination of the elements of their arrays. */
function spreadMembers(
  members: Members,
  parts: readonly ValueCodes[],
): { readonly members: Members; readonly entries: readonly Int32Array[] } {
  let places = Int32Array.from({ length: members.count }, (_, place) => place)
  let entries: Int32Array[] = []
  for (const part of parts) {
    const startOf = startsOf(part.places, members.count)
    let count = 0
    for (let i = 0; i < places.length; i++) count += startOf[places[i] + 1] - startOf[places[i]]
    if (count > MAX_ENTRIES)
      throw new EntiaError('budgetExceeded', {
        what: 'combinations of array elements in groups',
        limit: MAX_ENTRIES,
        option: 'not adjustable',
      })
    const from = new Int32Array(count)
    const own = new Int32Array(count)
    let at = 0
    for (let i = 0; i < places.length; i++)
      for (let entry = startOf[places[i]]; entry < startOf[places[i] + 1]; entry++) {
        from[at] = i
        own[at++] = entry
      }
    const before = places
    places = from.map((i) => before[i])
    entries = [...entries.map((known) => from.map((i) => known[i])), own]
  }
  const { slots } = members
  const spread = places.map((place) => (slots === null ? place : slots[place]))
  return { members: listed(spread), entries }
}

/** By member: where its entries begin. */
function startsOf(places: Int32Array | null, count: number): Int32Array {
  const startOf = new Int32Array(count + 1)
  if (places === null) for (let place = 0; place < count; place++) startOf[place + 1] = 1
  else for (let entry = 0; entry < places.length; entry++) startOf[places[entry] + 1]++
  for (let place = 0; place < count; place++) startOf[place + 1] += startOf[place]
  return startOf
}
