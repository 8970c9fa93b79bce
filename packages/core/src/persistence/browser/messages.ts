import type { StoreCore } from '../../model/store-types.ts'
import { ChangeRecorder } from '../../storage/change-list.ts'
import {
  type DecodedCommit,
  decodeCommit,
  encodeCommit,
  type TouchedRecord,
} from '../../store/dump/journal-record.ts'
import { joined } from '../../store/dump/line-writer.ts'
import { writeRecords } from '../../store/dump/write-records.ts'
import type { PendingHook } from '../../write/hooks.ts'
import type { Writer } from '../../write/writer.ts'

/** A transaction that ran and was rolled back. */
interface Proposal<R> {
  readonly result: R
  /** The bytes of the commit, with the name of the proposal; null if nothing changed. */
  readonly commit: Uint8Array | null
}

/**
 * Runs a transaction with all its checks and hooks, and rolls it back where it would commit. No
 * listener sees it. Throws what the transaction throws, and `notInTransaction` inside another one.
 */
export function propose<T, R>(
  store: StoreCore<T>,
  writer: Writer,
  name: string,
  body: (tx: T) => R extends PromiseLike<unknown> ? never : R,
): Proposal<R> {
  writer.outside('journal.transact')
  const refuse = writer.beforeCommit
  const rolledBack = new Error('the transaction is proposed to another tab')
  let result: R | undefined
  let commit: Uint8Array | null = null
  writer.beforeCommit = () => {
    const { changes = [], sequences = [] } = writer.current?.recorder ?? {}
    const globalStamp = writer.globalStamp + 1
    const timestamp = writer.context.now()
    commit = joined(encodeCommit({ globalStamp, timestamp, changes, sequences }, name))
    throw rolledBack
  }
  try {
    store.transact((tx) => {
      const given = body(tx)
      result = given
      return given
    })
  } catch (error) {
    if (error !== rolledBack) throw error
  } finally {
    writer.beforeCommit = refuse
  }
  return { result: result as R, commit }
}

/** What the tabs of a journal send to each other. */
export type TabMessage =
  /**
   * From the writer: commits that are durable, in order. `first` is the global stamp of the first.
   */
  | { readonly kind: 'commits'; readonly first: number; readonly commits: readonly Uint8Array[] }
  /**
   * From the writer: the global stamp up to which the database is durable, and the last proposal in
   * it, if the writer knows one. `isNew` after it became the writer.
   */
  | {
      readonly kind: 'durable'
      readonly globalStamp: number
      readonly lastProposal: string | null
      readonly isNew: boolean
    }
  /** From a tab that follows: it wants the commits from now on. */
  | { readonly kind: 'following' }
  /** From a tab that follows: a transaction on top of the state at a global stamp. */
  | {
      readonly kind: 'proposal'
      readonly name: string
      readonly base: number
      readonly commit: Uint8Array
    }
  /**
   * From the writer: a proposal is not durable. `isCommitted` if it is a commit in memory, which
   * the writer may still save later.
   */
  | {
      readonly kind: 'refusal'
      readonly name: string
      readonly problem: string
      readonly isCommitted: boolean
    }

/** Checks a message. Null for one of another program that uses the same channel. */
export function messageOf(given: unknown): TabMessage | null {
  if (typeof given !== 'object' || given === null) return null
  const { kind, first, commits, globalStamp, lastProposal, isNew, name, base, commit, ...refusal } =
    given as {
      readonly [name: string]: unknown
    }
  const { problem, isCommitted } = refusal
  switch (kind) {
    case 'commits':
      return isStamp(first) && Array.isArray(commits) && commits.every(isBytes)
        ? { kind, first, commits }
        : null
    case 'durable':
      return isStamp(globalStamp) && (lastProposal === null || typeof lastProposal === 'string')
        ? { kind, globalStamp, lastProposal, isNew: isNew === true }
        : null
    case 'following':
      return { kind }
    case 'proposal':
      return typeof name === 'string' && isStamp(base) && isBytes(commit)
        ? { kind, name, base, commit }
        : null
    case 'refusal':
      return typeof name === 'string' && typeof problem === 'string'
        ? // A tab with an older program does not say it.
          { kind, name, problem, isCommitted: isCommitted !== false }
        : null
    default:
      return null
  }
}

const isStamp = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

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
