import type { Catalog } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import type { Writer } from '../write/writer.ts'
import { dumpPieces, dumpStore } from './dump.ts'
import { encodeCommit, replayCommit } from './journal-record.ts'
import { LatestWrites } from './latest-writes.ts'
import { type CheckedDump, checkRelations } from './read-dump.ts'
import { adoptSequences } from './sequences.ts'
import { StoreMoment } from './store-moment.ts'

/** A dump of one moment that is made while commits go on. */
export interface DumpUnderWay {
  /** The bytes of `dump()`, once. */
  readonly pieces: Iterable<Uint8Array>
  /** To be called when the pieces are taken, or no more of them are needed. */
  end(): void
}

type ToldOfCommits = (globalStamp: number, pieces: readonly Uint8Array[]) => void

/** The data of a store as bytes: all of it, and commit by commit. What keeps it in files works through here. */
export class StoreKeep {
  readonly catalog: Catalog
  readonly #writer: Writer
  /** Called when all data has been replaced. */
  readonly #replaced: () => void
  #journal: ToldOfCommits | null = null
  /** Dumps that are being made. */
  readonly #moments = new Set<StoreMoment>()
  /** True where a journal keeps the store, or is about to: there is one at most. */
  hasJournal = false
  /** Dumps on their way to files. */
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
    // Bytes outlive the transaction: what may still be taken back must not be in them.
    this.#writer.outside('dump')
    return dumpStore(this.catalog, this.#writer.tables, this.globalStamp)
  }

  /** Begins a dump of now that is made piece by piece, while commits go on. */
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

  /** Tells `journal` of every commit from now on, as pieces of the bytes that `replace` reads; null for nobody. It must not throw. */
  tell(journal: ToldOfCommits | null): void {
    this.#journal = journal
    this.#listen()
  }

  /** A commit costs what hears of it, and nothing where nobody does. */
  #listen(): void {
    const journal = this.#journal
    const moments = this.#moments
    if (journal === null && moments.size === 0) this.#writer.journal = null
    else
      this.#writer.journal = (list) => {
        for (const moment of moments) moment.note(list)
        journal?.(list.globalStamp, encodeCommit(list))
      }
  }

  /**
   * Replaces all data by a dump and the commits after it. Cost O(data). Throws `dumpInvalid`: before anything is changed for a dump of
   * another model, later for contradictions that checksums do not find, after which the store refuses every call.
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
        for (const table of tables) table.tidy()
      }
      return globalStamp
    })
    this.#replaced()
  }
}

/** Takes out every record. Cost O(records, their indexes). */
function empty(table: Table): void {
  for (const slot of table.liveSlots()) table.removeAt(slot, table.readAll(slot))
}
