import type { RelatedPredicate } from '../filter/predicate.ts'
import type { ToOneAttribute } from '../model/catalog.ts'
import type { SemiJoinPlan } from '../plan/physical-plan.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { setBit, wordsFor } from '../storage/bitset.ts'
import type { PostingLists } from '../storage/posting-lists.ts'
import { denseSet, type RecordSet } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { Database } from './database.ts'
import { setOf } from './narrowed-set.ts'
import { Steps } from './steps.ts'
import { listedSlots } from './time-slices.ts'

/** How two dataclasses are joined; see `RelatedPredicate`. */
type Join = Pick<RelatedPredicate, 'relation' | 'whenMissing'>

/**
 * The records of the relation's own dataclass with a related record in `inner`. Cost: O(inner +
 * result), and a sort of few.
 */
export function semiJoin(join: Join, inner: RecordSet, database: Database): RecordSet {
  const { relation } = join
  const table = database.tableOf(relation.owner)
  if (relation.kind === 'relatedEntity') {
    const vector = database.scratch.take(table.liveCount)
    const set = setOf(vector, collectForward(join, inner, database, vector), false, table, database)
    database.scratch.release(vector)
    return set
  }
  const { slices } = database
  const slots = listedSlots(slices, inner)
  const target = database.tableOf(relation.target)
  const foreignKey = target.columns[relation.inverse.foreignKey.ordinal]
  const start = (): Int32Array => database.allocator.take(wordsFor(table.length))
  const steps = Steps.in(slices, () => ['joined', relation], slots)
  const bits = steps.loop(
    slots.length,
    start,
    (bits, from, to) => {
      for (let i = from; i < to; i++) {
        const key = foreignKey.read(slots[i])
        const slot = key === null ? -1 : table.findKey(key)
        if (slot >= 0) setBit(bits, slot)
      }
    },
    1,
  )
  return denseSet(bits)
}

/** The posting lists that planning found; null if a table has changed since. */
export function listsOfJoin(
  { places, relation }: SemiJoinPlan,
  table: Table,
  database: Database,
): readonly number[] | null {
  if (places === null || places.version !== table.version) return null
  return places.innerVersion === database.tableOf(relation.target).version ? places.lists : null
}

/** The index of a to-one relation, whose foreign key always has posting lists. */
export const joinIndex = ({ relation }: Pick<Join, 'relation'>, table: Table): AttributeIndex =>
  table.indexes[(relation as ToOneAttribute).foreignKey.ordinal] as AttributeIndex

/** Posting lists that are left to copy, and the number of records that are copied. */
interface Filled {
  readonly lists: number[]
  count: number
}

/**
 * Writes the records that refer to one of the inner records into `out`, unordered. Returns their
 * number.
 */
export function collectForward(
  { relation, whenMissing }: Join,
  set: RecordSet,
  database: Database,
  out: Int32Array,
): number {
  const { slices } = database
  const inner = listedSlots(slices, set)
  const target = database.tableOf(relation.target)
  const key = target.columns[target.model.key.ordinal]
  const index = joinIndex({ relation }, database.tableOf(relation.owner))
  const postings = index.postings as PostingLists
  // The vector is scratch memory, so a sliced read finds the lists first.
  const start = (): Filled => ({ lists: [], count: 0 })
  const steps = Steps.in(slices, () => ['referring lists', relation], inner)
  const { lists, count } = steps.loop(
    inner.length,
    start,
    (all, from, to) => {
      for (let i = from; i < to; i++) {
        const list = index.listOfValue(key.read(inner[i]) as string | number)
        if (list === 0 || postings.length(list) === 0) continue
        if (slices === null) all.count = postings.copyInto(list, out, all.count)
        else all.lists.push(list)
      }
    },
    1,
  )
  let filled = count
  for (let i = 0; i < lists.length; i++) filled = postings.copyInto(lists[i], out, filled)
  return whenMissing ? postings.copyInto(0, out, filled) : filled
}
