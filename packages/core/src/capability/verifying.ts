import { type Capability, handleOf } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { StoreVerification } from '../model/store-types.ts'
import type { ChangeList } from '../storage/change-list.ts'
import { verifyTable } from '../storage/verify-table.ts'
import { verifyRelations } from '../storage/verify-values.ts'
import type { Writer } from '../write/writer.ts'

/**
 * Rebuilds all that is derived in a store and compares: each table, relations where no transaction
 * is open, births and history. Throws an `Error` that names the first broken invariant. Cost O(data
 * log data).
 */
export function verifyStore(writer: Writer): void {
  const { tables, history, globalStamp, allocationClock } = writer
  for (const table of tables) {
    verifyTable(table, writer.mayDangle)
    const late = table.liveSlots().find((slot) => table.births[slot] > allocationClock)
    if (late !== undefined)
      broken(`record ${late} of "${table.model.name}" was born after the last birth`)
  }
  if (writer.current !== null) return
  if (tables.every(({ isWhole }) => isWhole) && !writer.mayDangle) verifyRelations(tables)
  const { oldest } = history
  if (writer.hasSkipped) verifyStamps(history.since(oldest), oldest, globalStamp)
  else verifyHistory(history.since(oldest), oldest, globalStamp)
}

/** The lists that are kept ascend. */
function verifyStamps(lists: readonly ChangeList[], oldest: number, globalStamp: number): void {
  let last = oldest
  for (const list of lists) {
    if (list.globalStamp <= last) broken(`commit ${list.globalStamp} follows ${last}`)
    last = list.globalStamp
  }
  if (last > globalStamp) broken(`commit ${last} is later than ${globalStamp}`)
}

/**
 * The lists that are kept are those of the last commits, without a gap: the global stamp goes up by
 * one with each.
 */
function verifyHistory(lists: readonly ChangeList[], oldest: number, globalStamp: number): void {
  if (oldest + lists.length !== globalStamp)
    broken(`history holds ${lists.length} commits from ${oldest} to ${globalStamp}`)
  for (const [at, list] of lists.entries()) {
    if (list.globalStamp !== oldest + at + 1)
      broken(`commit ${list.globalStamp} stands in the place of ${oldest + at + 1}`)
    if (list.changes.length === 0 && list.sequences.length === 0)
      broken(`commit ${list.globalStamp} changed nothing`)
  }
}

function broken(invariant: string): never {
  throw new Error(`Entia invariant broken: ${invariant}.`)
}

const store = {
  /**
   * Rebuilds everything derived and compares. Throws an `Error` that names the first broken
   * invariant.
   */
  verify(this: DataStore): void {
    const { writer } = handleOf(this)
    writer.enter()
    verifyStore(writer)
  },
} satisfies StoreVerification

/** `verify` of the store. */
export const verifying = { name: 'verifying', store } as const satisfies Capability
