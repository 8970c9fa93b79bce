import { encodeCommit } from '../../dump/journal-record.ts'
import { joined } from '../../dump/line-writer.ts'
import type { StoreCore } from '../../model/store-types.ts'
import type { Writer } from '../../write/writer.ts'

/** A transaction that ran and was rolled back. */
export interface Proposal<R> {
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
    const { changes = [], sequences = [] } = writer.current?.applied ?? {}
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
