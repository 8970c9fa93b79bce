import { isEntiaError } from '../../errors.ts'
import { proposalOf } from '../../store/dump/journal-record.ts'
import { naming } from '../../store/dump/line-writer.ts'
import type { Persistence } from '../../store/dump/persistence.ts'
import type { Writer } from '../../write/writer.ts'
import { type Found, JournalFolder, type Recovery } from '../journal/journal-folder.ts'
import type { Journal } from '../journal/store-journal.ts'
import { folderRules } from './browser-options.ts'
import { DatabaseFiles } from './database-files.ts'
import { applyCommit } from './messages.ts'
import type { BrowserPorts } from './ports.ts'

/** What became of a proposal. Stale: another commit came first, so it must run again. */
export type Outcome = 'committed' | 'stale' | 'unknown'

interface Pending {
  readonly name: string
  readonly base: number
  readonly send: () => void
  readonly settle: (outcome: Outcome) => void
  readonly fail: (error: unknown) => void
}

/**
 * Keeps a store at the state of a journal that another tab writes. It takes durable commits only,
 * so what it shows is never taken back.
 */
export class Follower {
  readonly #persistence: Persistence
  readonly #writer: Writer
  readonly #database: string
  readonly #ports: Pick<BrowserPorts, 'openDatabase'>
  /**
   * The global stamp of the database that the store has reached; -1 before the first read. A store
   * that had commits of its own has a higher global stamp.
   */
  #at = -1
  #pending: Pending | null = null
  #hasRead = false
  /** The last proposal that became a commit, as far as this tab knows. */
  lastProposal: string | null = null
  /** What the first read found. */
  recovered: Journal['recovered'] = { commits: 0, droppedBytes: 0 }

  constructor(
    persistence: Persistence,
    writer: Writer,
    database: string,
    ports: Pick<BrowserPorts, 'openDatabase'>,
  ) {
    this.#persistence = persistence
    this.#writer = writer
    this.#database = database
    this.#ports = ports
  }

  get at(): number {
    return this.#at
  }
  /** True once the store has had the data of the database. */
  get hasRead(): boolean {
    return this.#hasRead
  }

  /** Takes commits that follow one another. Reads the database if some before them are missing. */
  async take(first: number, commits: readonly Uint8Array[]): Promise<void> {
    if (this.#at < 0 || first > this.#at + 1) return void (await this.catchUp())
    try {
      this.#applyAll(commits.slice(this.#at + 1 - first))
    } catch (error) {
      if (!isEntiaError(error, 'dumpInvalid')) throw error
      await this.catchUp()
    }
  }

  /**
   * Reads the database up to a global stamp at least, if the store is behind it. `lastProposal` is
   * the last one up to there.
   */
  async reach(globalStamp: number, lastProposal: string | null): Promise<void> {
    if (globalStamp > this.#at) await this.catchUp(lastProposal)
  }

  /** Reads what the database has. Resolves to null if it is empty. Rejects with `dumpInvalid`. */
  async catchUp(lastProposal?: string | null): Promise<Found | null> {
    const database = await this.#ports.openDatabase(this.#database)
    try {
      const files = new DatabaseFiles(database, this.#database).snapshot()
      const folder = new JournalFolder(this.#database, files, folderRules(this.#database))
      const recovery = this.recovery(lastProposal)
      const found = await folder.read(this.#persistence.catalog, recovery)
      if (found !== null) naming(folder.dumpPath(found.generation), () => recovery.finish(found))
      return found
    } finally {
      database.close()
    }
  }

  /**
   * Brings the store to the state of the database: by the commits that it lacks where it can, or as
   * a whole. Another read may bring it there first. `mayConvert`: for the tab that writes.
   */
  recovery(lastProposal?: string | null, mayConvert = false): Recovery {
    const replacement = this.#persistence.beginReplacement(mayConvert)
    /** The global stamp of the store at the beginning; null if it is replaced as a whole. */
    let from: number | null = null
    let missed: Uint8Array[] = []
    let end = 0
    let known = lastProposal
    return {
      converts: replacement.converts,
      begin: (dump) => {
        end = dump.globalStamp
        from = this.#at < end ? null : this.#at
        missed = []
        known = lastProposal
        if (from === null) replacement.begin(dump)
      },
      replay: (commits) => {
        if (from === null) {
          replacement.replay(commits)
          known = commits.map(proposalOf).findLast((name) => name !== null) ?? known
        } else {
          // Copies, because a part of a block would hold all of it.
          const lacking = commits.slice(Math.max(0, from - end))
          missed.push(...lacking.map((commit) => commit.slice()))
        }
        end += commits.length
      },
      isComplete: () => {
        if (from === null || from <= end) return true
        // The database was removed and begun again, and has less than the store.
        this.#at = -1
        return false
      },
      finish: ({ commits, dropped }) => {
        if (!this.#hasRead) this.recovered = { commits, droppedBytes: dropped }
        this.#hasRead = true
        if (from !== null) return this.#applyAll(missed.slice(this.#at - from))
        if (this.#at >= end) return
        replacement.finish()
        this.#at = end
        this.lastProposal = known ?? null
        if (this.#pending === null || this.#pending.base >= end) return
        // Tabs take turns, so a proposal that waits is the last one there is.
        if (known === undefined) this.settle('unknown')
        else this.settle(known === this.#pending.name ? 'committed' : 'stale')
      },
    }
  }

  /** Sends a proposal. Resolves when it is known what became of it. At most one waits. */
  outcomeOf(name: string, base: number, send: () => void): Promise<Outcome> {
    return new Promise((settle, fail) => {
      this.#pending = { name, base, send, settle, fail }
      send()
    })
  }

  /** Sends the proposal that waits once more, to a new writer. */
  sendAgain(): void {
    this.#pending?.send()
  }

  /** Ends the proposal that waits, if there is one. */
  settle(outcome: Outcome): void {
    this.#pending?.settle(outcome)
    this.#pending = null
  }

  /** Rejects the proposal that waits, if it has this name; any if none is given. */
  fail(error: unknown, name = this.#pending?.name): void {
    if (this.#pending === null || this.#pending.name !== name) return
    this.#pending.fail(error)
    this.#pending = null
  }

  #applyAll(commits: readonly Uint8Array[]): void {
    for (const commit of commits) {
      let proposal: string | null
      try {
        proposal = applyCommit(this.#writer, commit, false).proposal
      } catch (error) {
        // The next read of the database replaces everything.
        this.#at = -1
        throw error
      }
      if (proposal !== null) this.lastProposal = proposal
      const base = this.#at++
      if (this.#pending?.base === base)
        this.settle(proposal === this.#pending.name ? 'committed' : 'stale')
    }
  }
}
