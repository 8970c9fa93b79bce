import type { Catalog } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import { dumpStore } from './dump.ts'
import { encodeCommit, replayCommit } from './journal-record.ts'
import { LatestWrites } from './latest-writes.ts'
import { type CheckedDump, checkRelations } from './read-dump.ts'
import { adoptSequences } from './sequences.ts'
import type { SessionsSide } from './sessions-side.ts'
import type { Writer } from './writer.ts'

/** The data of a store as bytes: all of it, and commit by commit. What keeps it in files works through here. */
export class StoreKeep {
  readonly catalog: Catalog
  readonly #writer: Writer
  readonly #side: SessionsSide
  /** True where a journal keeps the store, or is about to: there is one at most. */
  hasJournal = false
  /** Dumps on their way to files. */
  readonly dumps = new LatestWrites()

  constructor(catalog: Catalog, writer: Writer, side: SessionsSide) {
    this.catalog = catalog
    this.#writer = writer
    this.#side = side
  }

  get globalStamp(): number {
    return this.#writer.globalStamp
  }

  dump(): Uint8Array {
    // Bytes outlive the transaction: what may still be taken back must not be in them.
    this.#writer.outside('dump')
    return dumpStore(this.catalog, this.#writer.tables, this.globalStamp)
  }

  /** Tells `journal` of every commit from now on, as bytes that `replace` reads; null for nobody. It must not throw. */
  tell(journal: ((globalStamp: number, commit: Uint8Array) => void) | null): void {
    this.#writer.journal = journal === null ? null : (list) => journal(list.globalStamp, encodeCommit(list))
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
    this.#side.entitySets.clear()
  }
}

/** Takes out every record. Cost O(records, their indexes). */
function empty(table: Table): void {
  for (const slot of table.liveSlots()) table.removeAt(slot, table.readAll(slot))
}
