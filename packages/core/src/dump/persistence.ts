import type { Catalog } from '../model/catalog.ts'
import type { Writer } from '../write/writer.ts'
import { dumpPieces, dumpStore } from './dump.ts'
import { encodeCommit } from './journal-record.ts'
import type { CheckedDump } from './read-dump.ts'
import { Replacement } from './replacement.ts'
import { LatestWrites, StoreMoment } from './store-moment.ts'

/** A dump of one state that is written while commits go on. */
export interface DumpUnderWay {
  /** The bytes of `dump()`. They can be read once. */
  readonly pieces: Iterable<Uint8Array>
  /** Call it after the last piece, or when no more pieces are needed. */
  end(): void
}

type CommitSink = (globalStamp: number, pieces: readonly Uint8Array[]) => void

/**
 * The data of a store as bytes, as a whole and commit by commit. Modules that keep a store in files
 * use it.
 */
export class Persistence {
  readonly catalog: Catalog
  readonly #writer: Writer
  /** Called after all data was replaced. */
  readonly #replaced: () => void
  #journal: CommitSink | null = null
  /** Dumps that are being written. */
  readonly #moments = new Set<StoreMoment>()
  /** True if a journal keeps the store or is being opened. A store has at most one. */
  hasJournal = false
  /** The name of a proposal that the next commit carries in the journal. */
  proposal: string | undefined = undefined
  /** Dumps that are being written to files. */
  readonly dumps = new LatestWrites()

  constructor(catalog: Catalog, writer: Writer, replaced: () => void) {
    this.catalog = catalog
    this.#writer = writer
    this.#replaced = replaced
  }

  get globalStamp(): number {
    return this.#writer.globalStamp
  }

  dump(): Uint8Array {
    // A dump outlives the transaction, so it must not hold what a rollback may undo.
    this.#writer.outside('dump')
    return dumpStore(this.catalog, this.#writer.tables, this.globalStamp)
  }

  /** Starts a dump of the current state. Its pieces are written while commits go on. */
  beginDump(pieceLength?: number): DumpUnderWay {
    this.#writer.outside('dump')
    const moment = new StoreMoment(this.#writer.tables, this.globalStamp)
    this.#moments.add(moment)
    this.#listen()
    return {
      pieces: dumpPieces(this.catalog, moment, pieceLength),
      end: () => {
        this.#moments.delete(moment)
        this.#listen()
      },
    }
  }

  /**
   * Calls `journal` after every commit with the bytes that `Replacement` replays, in pieces. Null
   * ends that. `journal` must not throw.
   */
  reportCommitsTo(journal: CommitSink | null): void {
    this.#journal = journal
    this.#listen()
  }

  /** Without a journal and dumps, commits have no cost here. */
  #listen(): void {
    const journal = this.#journal
    const moments = this.#moments
    if (journal === null && moments.size === 0) this.#writer.journal = null
    else
      this.#writer.journal = (list) => {
        for (const moment of moments) moment.note(list)
        const { proposal } = this
        // After-hooks of this commit may commit too.
        this.proposal = undefined
        journal?.(list.globalStamp, encodeCommit(list, proposal))
      }
  }

  /**
   * Begins to replace all data by a dump and the commits after it. `mayConvert`: see
   * `Replacement.converts`.
   */
  beginReplacement(mayConvert = false): Replacement {
    return new Replacement(this.catalog, this.#writer, this.#replaced, mayConvert)
  }

  /** Does so at once. Cost: O(data). Throws `dumpInvalid` and then changes nothing. */
  replace(dump: CheckedDump, commits: readonly Uint8Array[] = []): void {
    const replacement = this.beginReplacement()
    replacement.begin(dump)
    replacement.replay(commits)
    replacement.finish()
  }
}
