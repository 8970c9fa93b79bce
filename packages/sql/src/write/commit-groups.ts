import type { ClassModel } from '@entia/core'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlConnection } from '../connect/port.ts'
import { SharedTrips, type Waiting } from '../connect/turns.ts'
import { type CheckedCommit, checkedTransaction } from './checked-commits.ts'
import { lateChecks } from './commit-sql.ts'
import type { DeciderOptions } from './decided.ts'
import type { GivenNumbers } from './numbered-commit.ts'
import { nameOf } from './recent-rows.ts'

/** A commit that is stored. */
export interface StoredCommit {
  readonly globalStamp: number
  /** What its new entities got; null without any. */
  readonly given: GivenNumbers | null
}

interface Commit {
  readonly checked: CheckedCommit
  readonly begin: () => string
}
type Caller = Waiting<Commit, StoredCommit>

interface Begun extends Caller {
  readonly commitId: string
}

/** The most commits, and changes of them, that one transaction stores. */
const MAX_COMMITS = 32
const MAX_CHANGES = 256
/** Callers of a group come back together: the next group waits for them. */
const GATHERING_MILLISECONDS = 1
/** Groups of new entities of one dataclass that are under way at a time: see `CommitGroups`. */
const MAX_INSERTIONS = 2
/** From then on one of them does not count: it may wait for something that others do not need. */
const LONG_INSERTION_MILLISECONDS = 1000

/**
 * Stores commits of a process that come while others are on their way together, in one transaction:
 * a dataset lets one transaction pass at a time, and each waits for the disk. A commit that comes
 * alone is sent at once. One that the database refuses has no effect on the others of its group:
 * each of them is then sent alone.
 *
 * Large groups of new entities gain nothing by waiting for more. So one is sent while another of
 * its dataclass is under way, and the database does not wait for this process between them. A third
 * would only wait there for the numbers of its dataclass, perhaps in another order.
 */
export class CommitGroups {
  readonly #options: DeciderOptions
  readonly #trips: SharedTrips<Commit, StoredCommit>
  /** Halved by a group that was refused, doubled by one that was stored. */
  #most = MAX_COMMITS
  /** The groups of new entities under way, by dataclass. */
  readonly #insertions = new Map<ClassModel, number>()
  /** The kind of the last group. */
  #last: object | null = null

  constructor(options: DeciderOptions) {
    this.#options = options
    this.#trips = new SharedTrips({
      after: options.after,
      most: MAX_INSERTIONS,
      take: (waiting, underWay) => this.#takeGroup(waiting, underWay),
      send: (group) => this.#sendCounted(group),
    })
  }

  /**
   * Stores a commit. `begin` answers its id just before it is sent, or throws if it must not be.
   * Rejects with a `DatabaseError`: see `CommitOutcomes.settled`.
   */
  store(checked: CheckedCommit, begin: () => string): Promise<StoredCommit> {
    return this.#options.shared.joined(() => this.#trips.join({ checked, begin }))
  }

  /** The first that may be sent, with those behind it that can share its transaction. */
  #takeGroup(waiting: readonly Caller[], underWay: number): [Caller[], Caller[]] | null {
    const first = waiting.find(({ item }) => {
      const { numbered } = item.checked.known
      const sent = numbered === null ? 0 : (this.#insertions.get(numbered.dataClass) ?? 0)
      return sent < MAX_INSERTIONS
    })
    if (first === undefined) return null
    const kind = this.#kindOf(first)
    const isInsertion = first.item.checked.known.numbered !== null
    if (underWay > 0 && !(isInsertion && kind === this.#last)) return null
    const group = [first]
    const left: Caller[] = []
    // In their order, so that new entities get the numbers that they expect.
    let isFull = false
    const read = new Set<string>()
    const written = new Set<string>()
    let changes = 0
    const note = ({ item }: Caller): void => {
      const { commit, known } = item.checked
      changes += commit.changes.length
      for (const change of commit.changes) if (change.record !== null) written.add(nameOf(change))
      for (const row of known.rows) read.add(nameOf(row))
    }
    note(first)
    for (const each of waiting) {
      if (each === first) continue
      const { commit, known } = each.item.checked
      const isApart =
        commit.changes.every((change) => change.record === null || !read.has(nameOf(change))) &&
        known.rows.every((row) => !written.has(nameOf(row)))
      const isOfKind = kind !== null && this.#kindOf(each) === kind && isApart
      if (isOfKind && !isFull)
        isFull = group.length >= this.#most || changes + commit.changes.length > MAX_CHANGES
      if (!isOfKind || isFull) left.push(each)
      else {
        group.push(each)
        note(each)
      }
    }
    if (underWay > 0 && !isFull && 2 * changes < MAX_CHANGES) return null
    this.#last = kind
    return [group, left]
  }

  /**
   * Commits of the same kind can share a transaction: new entities of a dataclass, or updates that
   * wait for no row behind their own. Null for one that goes alone.
   */
  #kindOf({ item }: Caller): object | null {
    const { commit, known } = item.checked
    if (known.numbered !== null) return known.numbered.dataClass
    const isAlone =
      commit.changes[0]!.kind !== 'update' || lateChecks(this.#options.model, [commit]).length > 0
    return isAlone ? null : known.recent
  }

  /** Counts a group of new entities while it is under way. */
  #sendCounted(group: readonly Caller[]): Promise<void> {
    const { numbered } = group[0]!.item.checked.known
    if (numbered === null) return this.#send(group)
    const { dataClass } = numbered
    const add = (more: number): void =>
      void this.#insertions.set(dataClass, (this.#insertions.get(dataClass) ?? 0) + more)
    add(1)
    let isCounted = true
    const end = (): void => {
      if (isCounted) add(-1)
      isCounted = false
    }
    const stop = this.#options.after(LONG_INSERTION_MILLISECONDS, () => {
      end()
      this.#trips.go()
    })
    return this.#send(group).finally(() => {
      stop()
      end()
    })
  }

  /** Stores a group, or each of it alone. Rejects if it is not known what was stored. */
  async #send(group: readonly Caller[]): Promise<void> {
    let begun: readonly Begun[] = []
    try {
      await this.#options.shared.pool.connect(async (connection) => {
        begun = group.flatMap(beginning)
        if (begun.length > 0) await this.#transact(begun, connection)
      })
      if (begun.length < 2) return
      this.#most = Math.min(MAX_COMMITS, 2 * this.#most)
      await new Promise<void>((resolve) => this.#options.after(GATHERING_MILLISECONDS, resolve))
    } catch (error) {
      // A database that is not available may have stored them: each asks what became of its own.
      const isRefused = !(error instanceof DatabaseError && error.failure === 'unavailable')
      if (begun.length < 2 || !isRefused) {
        throw error
      }
      this.#most = Math.max(2, this.#most >> 1)
      await Promise.all(begun.map((each) => this.#sendAlone(each)))
    }
  }

  async #sendAlone(begun: Begun): Promise<void> {
    try {
      await this.#options.shared.pool.connect((connection) => this.#transact([begun], connection))
    } catch (error) {
      begun.reject(error)
    }
  }

  async #transact(begun: readonly Begun[], { send }: SqlConnection): Promise<void> {
    const { figures, dataset } = this.#options
    const { statements, read } = checkedTransaction(
      this.#options,
      begun.map(({ item }) => item.checked),
      begun.map(({ commitId }) => commitId),
    )
    const { stamps, waited, given } = read(await send(statements))
    figures.commits += begun.length
    figures.gateWaits.observe(waited)
    dataset.note(stamps.at(-1)!)
    // All of a group before one of them goes on and expects numbers for what it does next.
    for (const [at, { item }] of begun.entries()) {
      const { recent, numbered } = item.checked.known
      if (numbered === null) continue
      recent.numbered(numbered.dataClass, numbered.numbers)
      recent.noteNumber(numbered.dataClass, given[at]!.numbers.at(-1)!)
    }
    for (const [at, { resolve }] of begun.entries())
      resolve({ globalStamp: stamps[at]!, given: given[at] ?? null })
  }
}

/** A commit that is about to be sent; none if it must not be. */
function beginning(waiting: Caller): readonly Begun[] {
  try {
    return [{ ...waiting, commitId: waiting.item.begin() }]
  } catch (error) {
    waiting.reject(error)
    return []
  }
}
