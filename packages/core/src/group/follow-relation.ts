import { EntiaError } from '../errors.ts'
import { type Database, recordFinder } from '../execute/database.ts'
import type { RelationAttribute, ToOneAttribute } from '../model/catalog.ts'
import { type Coded, columnCodes, firstOfCodes } from './column-codes.ts'
import { derived, forMembers, listed, type Members, slotOf } from './members.ts'

/** Where a to-one relation leads from some members. */
export interface Followed {
  /** By member: the code of its foreign key. */
  readonly codes: Int32Array
  /** By such a code: the place in `found`, or -1 if the reader sees no related entity. */
  readonly placeOf: Int32Array
  readonly found: Members
}

/**
 * Follows a relation from each foreign key once, whatever the number of members that have it. Cost:
 * O(members), and a look-up for each foreign key.
 */
export function follow(database: Database, relation: ToOneAttribute, members: Members): Followed {
  const column = database.tableOf(relation.owner).columns[relation.foreignKey.ordinal]
  const coded = columnCodes(database, column, members, true)
  const { codes, limit } = coded
  const related = relatedByCode(database, relation, members, coded)
  const placeOf = new Int32Array(limit).fill(-1)
  const found = new Int32Array(limit)
  let count = 0
  for (let code = 1; code < limit; code++) {
    if (related[code] < 0) continue
    found[count] = related[code]
    placeOf[code] = count++
  }
  return { codes, placeOf, found: listed(found.slice(0, count)) }
}

/** By code of the foreign key: the related record, or -1. */
function relatedByCode(
  database: Database,
  relation: ToOneAttribute,
  members: Members,
  coded: Coded,
): Int32Array {
  const { limit, lowest, storedOf } = coded
  const { target, owner, foreignKey } = relation
  const table = database.tableOf(target)
  const keys = table.columns[target.key.ordinal]
  const memoKey = ['group related', database, relation]
  const start = (): Int32Array => new Int32Array(limit).fill(-1)
  const isScanned = table.isWhole && table.length <= members.count
  if (lowest !== null && keys.layout === 'number' && isScanned) {
    // Codes are the numbers themselves: no look-up.
    const base = lowest - 1
    const visible = database.visibleIn(target)
    const isSeen = (slot: number): boolean =>
      visible === null ? table.isLive(slot) : visible.has(slot)
    const all = derived(members, table.length)
    return forMembers(database, memoKey, all, start, (slots, from, to) => {
      for (let slot = from; slot < to; slot++) {
        const code = (keys.read(slot) ?? base) - base
        if (code > 0 && code < limit && isSeen(slot)) slots[code] = slot
      }
    })
  }
  const column = database.tableOf(owner).columns[foreignKey.ordinal]
  const first =
    storedOf !== null && limit <= members.count
      ? null
      : firstOfCodes(database, ['foreign key', relation], members, coded)
  const find = recordFinder(database, target)
  return forMembers(database, memoKey, derived(members, limit), start, (slots, from, to) => {
    for (let code = Math.max(1, from); code < to; code++) {
      if (first === null) slots[code] = find(storedOf?.(code) ?? null)
      else if (first[code] >= 0) slots[code] = find(column.read(slotOf(members, first[code])))
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
    throw new EntiaError('attributeNotApplicable', {
      dataClass: step.owner.name,
      attribute: step.name,
      use,
      remedy: 'It leads to many entities: name a path that leads to one.',
    })
  })
}
