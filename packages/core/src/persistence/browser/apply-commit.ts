import { type DecodedCommit, decodeCommit, type TouchedRecord } from '../../dump/journal-record.ts'
import { writeRecords } from '../../dump/write-records.ts'
import { ChangeRecorder } from '../../storage/change-list.ts'
import type { PendingHook } from '../../write/hooks.ts'
import type { Writer } from '../../write/writer.ts'

/**
 * Makes a commit of another tab a commit of this store: history, live queries and listeners get it.
 * The bytes are those of `encodeCommit`, for the state that the store has. With `runsHooks`, the
 * after-hooks of the dataclasses run as for a transaction of this store. Cost: O(records touched).
 * Throws `dumpInvalid` and changes nothing if the commit does not fit, and `storeClosed`.
 */
export function applyCommit(writer: Writer, bytes: Uint8Array, runsHooks: boolean): DecodedCommit {
  writer.outside('following a journal')
  const commit = decodeCommit(writer.tables, bytes)
  const recorder = new ChangeRecorder()
  const before = runsHooks ? commit.records.map((record) => entityBefore(writer, record)) : []
  try {
    writeRecords(commit.records, recorder, writer.context.nextBirth)
    for (const { table, next } of commit.sequences) recorder.setSequence(table, next)
  } catch (error) {
    throw writer.takeBack(error, () => recorder.rollback(writer.context.nextBirth))
  }
  const hooks = runsHooks ? hooksOf(commit, before) : []
  writer.conclude(recorder.finish(writer.globalStamp + 1, commit.timestamp), hooks)
  return commit
}

/** The entity before the commit, and its birth. Null if there is none, or no hook gets it. */
interface EntityBefore {
  readonly entity: object
  readonly birth: number
}

function entityBefore(writer: Writer, { table, slot }: TouchedRecord): EntityBefore | null {
  const { afterSave, afterRemove } = table.model.hooks
  if ((afterSave ?? afterRemove) === undefined || !table.isLive(slot)) return null
  const { stamps, timestamps, births } = table
  const values = table.readAll(slot)
  const entity = writer.context.entityOf(table, values, stamps[slot], timestamps[slot])
  return { entity, birth: births[slot] }
}

/** The after-hooks of a commit that is written. */
function hooksOf(
  { records }: DecodedCommit,
  before: readonly (EntityBefore | null)[],
): readonly PendingHook[] {
  return records.flatMap(({ table, slot, after }, i) => {
    const { afterSave, afterRemove } = table.model.hooks
    const pending: PendingHook[] = []
    const old = before[i] ?? null
    const isSame = after !== null && after.columns !== null
    if (old !== null && !isSame && afterRemove !== undefined) {
      const record = { table, slot, birth: old.birth }
      pending.push({ kind: 'afterRemove', record, before: old.entity })
    }
    if (after !== null && afterSave !== undefined) {
      const record = { table, slot, birth: table.births[slot] }
      pending.push({ kind: 'afterSave', record, before: isSame ? (old?.entity ?? null) : null })
    }
    return pending
  })
}
