import type { Catalog } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import { tidyTable } from '../storage/tidy-table.ts'
import type { Writer } from '../write/writer.ts'
import { dumpPieces, dumpStore } from './dump.ts'
import { encodeCommit, replayCommit } from './journal-record.ts'
import { LatestWrites } from './latest-writes.ts'
import { type CheckedDump, checkRelations } from './read-dump.ts'
import { adoptSequences } from './sequences.ts'
import { StoreMoment } from './store-moment.ts'

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
   * Calls `journal` after every commit with the bytes that `replace` reads, in pieces. Null ends
   * that. `journal` must not throw.
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
   * Replaces all data by a dump and the commits after it. Cost: O(data). Throws `dumpInvalid`. For
   * a dump of another model it throws before any change. For contradictions that checksums do not
   * detect it throws later, and the store then refuses every call.
   */
  replace(dump: CheckedDump, commits: Iterable<Uint8Array>): void {
    dump.checkModel(this.catalog)
    this.#writer.replace((tables, nextBirth) => {
      let { globalStamp } = dump
      for (const table of tables) empty(table)
      dump.readInto(tables, this.catalog, nextBirth)
      let isReplayed = false
      for (const commit of commits) {
        globalStamp = replayCommit(tables, commit, nextBirth)
        isReplayed = true
      }
      if (isReplayed) {
        checkRelations(tables)
        adoptSequences(tables)
        for (const table of tables) tidyTable(table)
      }
      return globalStamp
    })
    this.#replaced()
  }
}

/** Removes every record. Cost: O(records, their indexes). */
function empty(table: Table): void {
  for (const slot of table.liveSlots()) table.removeAt(slot, table.readAll(slot))
}
