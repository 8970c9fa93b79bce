import type { DeferredSet } from '../execute/database.ts'
import { onceOf } from '../execute/time-slices.ts'
import { either } from '../filter/context.ts'
import type { Predicate } from '../filter/predicate.ts'
import { compactSet, intersection, type RecordSet, union } from '../storage/record-set.ts'
import type { Concat, Members } from './members.ts'
import { Membership } from './membership.ts'
import { AsOf } from './provenance.ts'
import type { SelectionPort } from './selection-port.ts'

/** Some of the members of a selection as of now or before, in its order, for a reader. */
export function narrowedMembers(
  of: Membership,
  set: RecordSet,
  port: SelectionPort,
  asOf?: AsOf,
): Membership {
  const own: Members = of.isInRecordOrder ? { kind: 'set', set } : { kind: 'subset', of, set }
  return new Membership(port, of.table, own, null, asOf)
}

/** The living members of one selection, then those that another adds, for a reader. */
export function unitedMembers(
  first: Membership,
  second: Membership,
  port: SelectionPort,
): Membership {
  const { table } = first
  const united = deferredUnion(first, second, port)
  const find = (): Concat => concatOf(first, second, port)
  const members = united === null ? find() : deferredConcat(first, second, united, find)
  return new Membership(port, table, members, null)
}

function concatOf(first: Membership, second: Membership, { database }: SelectionPort): Concat {
  const [firstSet, secondSet] = [first.livingSet(), second.livingSet()]
  const { allocator, slices } = database
  const set = onceOf(slices, ['or', firstSet, secondSet], () =>
    union(firstSet, secondSet, allocator),
  )
  return { kind: 'concat', set, first, firstSet, second, secondSet }
}

/** The members of both, to be found when they are needed; null where one of them is found. */
function deferredUnion(
  { condition, table }: Membership,
  { condition: other }: Membership,
  { database }: SelectionPort,
): DeferredSet | null {
  const { matching } = database
  if (matching === null || condition === null || other === null) return null
  const united = matching.members(table.model, either([condition, other]), database)
  return united.condition === null ? null : united
}

function deferredConcat(
  first: Membership,
  second: Membership,
  united: DeferredSet,
  find: () => Concat,
): Concat {
  let found: Concat | null = null
  const known = (): Concat => {
    if (found === null) united.mustBeCurrent()
    found ??= find()
    return found
  }
  return {
    kind: 'concat',
    first,
    second,
    get condition() {
      return found === null ? united.condition : null
    },
    get set() {
      return known().set
    },
    get firstSet() {
      return known().firstSet
    },
    get secondSet() {
      return known().secondSet
    },
  }
}

/**
 * The living members that satisfy a predicate, in their order, for a reader. Null where testing
 * each of them is better.
 */
export function narrowedBy(
  members: Membership,
  predicate: Predicate,
  port: SelectionPort,
): Membership | null {
  const { concat } = members
  if (concat?.condition === undefined) return members.narrowed(predicate, port)
  if (concat.condition === null) return null
  const first = narrowedBy(concat.first as Membership, predicate, port)
  const second = first && narrowedBy(concat.second as Membership, predicate, port)
  return first && second && unitedMembers(first, second, port)
}

/** Members of a selection in a given order, those removed since included, for a reader. */
export function listedMembers(of: Membership, slots: Int32Array, port: SelectionPort): Membership {
  const asOf = new AsOf(of.table, port.moment.globalStamp, of.asOf.clock, -1)
  return new Membership(port, of.table, { kind: 'list', slots, set: null }, null, asOf)
}

/**
 * The same members, to be held for any time: independent of the history, in at most about 8 bytes
 * per member. Cost: O(members), and a sort if ordered.
 */
export function keptMembers(of: Membership): Membership {
  of.settle()
  const own: Members = of.isInRecordOrder
    ? { kind: 'set', set: compactSet(of.recordSet()) }
    : { kind: 'list', slots: Int32Array.from(of.slots(0, of.count)), set: null }
  const held = new Membership(of.port, of.table, own, null, of.asOf)
  held.rule = of.rule
  return held
}

/**
 * The members that a reader may see, in their order. A removed member keeps its place only if the
 * selection was created under the reader's own rule: then it was visible. Otherwise its visibility
 * is unknown. Cost: O(members), or O(words).
 */
export function visibleMembers(members: Membership, port: SelectionPort): Membership {
  const { table } = members
  const visible = port.database.visibleIn(table.model)
  if (visible === null) return members
  if (members.rule === port.scope.ruleOf(table.model)) {
    const slots = Int32Array.from(members.slots(0, members.count))
    if (!slots.every((slot) => members.asOf.isAlive(slot))) {
      return listedMembers(
        members,
        slots.filter((slot) => !members.asOf.isAlive(slot) || visible.has(slot)),
        port,
      )
    }
  }
  const living = members.livingSet()
  const seen = visible.set()
  const { allocator, slices } = port.database
  const set = onceOf(slices, ['and', living, seen], () => intersection(living, seen, allocator))
  return narrowedMembers(members, set, port)
}
