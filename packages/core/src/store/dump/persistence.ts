import type { Catalog } from '../../model/catalog.ts'
import { Occupancy } from '../../storage/occupancy.ts'
import { Table } from '../../storage/table.ts'
import { createIndex, dropIndex, forgetLongWords, tidyTable } from '../../storage/table-load.ts'
import type { Writer } from '../../write/writer.ts'
import { describeClass, dumpPieces, dumpStore } from './dump.ts'
import { encodeCommit, replayCommit } from './journal-record.ts'
import {
  adoptSequences,
  type CheckedDump,
  checkRelations,
  checkUnique,
  otherLayout,
} from './read-dump.ts'
import { LatestWrites, StoreMoment } from './store-moment.ts'

/** As many replayed changes of a table, and one for every fourth of its records, tidy it. */
const TIDY_AFTER_CHANGES = 4096
const RECORDS_OF_A_CHANGE = 4

/**
 * Replaces all data of a store by a dump and the commits after it, which may come one after the
 * other. They are read into tables of their own, so the store has its data until `finish`, and
 * keeps them if something is refused.
 */
class Replacement {
  readonly #catalog: Catalog
  readonly #writer: Writer
  /** Called after all data was replaced. */
  readonly #replaced: () => void
  /**
   * A store that holds only some entities can be opened with another model: dataclasses that are
   * not as they were are empty then, or converted (`Table.isOnlyCopy`). Its files cannot be
   * continued, so its global stamp is higher.
   */
  readonly converts: boolean
  #tables: readonly Table[] = []
  /** The tables by their numbers in the dump and in the commits after it. */
  #dumped: readonly (Table | null)[] = []
  /** When a table was tidied last. */
  readonly #versions = new Map<Table, number>()
  #globalStamp = 0
  #births = 0
  #isReplayed = false

  constructor(catalog: Catalog, writer: Writer, replaced: () => void, mayConvert: boolean) {
    this.converts = mayConvert && writer.mayDangle
    this.#catalog = catalog
    this.#writer = writer
    this.#replaced = replaced
  }

  /** Reads a dump. Cost: O(data). Throws `dumpInvalid`. */
  begin(dump: CheckedDump): void {
    if (!this.converts) dump.checkModel(this.#catalog)
    this.#tables = this.#writer.tables.map(
      ({ model, indexFactory }) => new Table(model, indexFactory),
    )
    this.#globalStamp = dump.globalStamp
    this.#isReplayed = false
    this.#versions.clear()
    if (this.#writer.mayDangle) {
      const onlyCopies = this.#writer.tables.filter(({ isOnlyCopy }) => isOnlyCopy)
      const names = new Set(onlyCopies.map(({ model }) => model.name))
      this.#dumped = dump.readPart(this.#tables, names, this.#nextBirth)
    } else {
      dump.readInto(this.#tables, this.#catalog, this.#nextBirth)
      this.#dumped = this.#tables
    }
  }

  /** Replays commits. Cost: O(records touched, their indexes). Throws `dumpInvalid`. */
  replay(commits: readonly Uint8Array[]): void {
    for (const commit of commits)
      this.#globalStamp = replayCommit(this.#dumped, commit, this.#nextBirth)
    this.#isReplayed ||= commits.length > 0
    for (const table of this.#tables) this.#tidy(table)
  }

  /**
   * Gives the data to the store. Throws `dumpInvalid` for relations that lead nowhere, for unique
   * values that are there twice and as `convertTable`, and `storeClosed`. Cost: O(records).
   */
  finish(): void {
    for (const table of this.#dumped)
      if (table !== null && !this.#tables.includes(table))
        convertTable(table, this.#tableOf(table.model.name), this.#nextBirth)
    if (this.#isReplayed) {
      if (!this.#writer.mayDangle) checkRelations(this.#tables)
      adoptSequences(this.#tables)
      for (const table of this.#tables) tidyTable(table)
    }
    for (const table of this.#tables) checkUnique(table)
    for (const [i, table] of this.#writer.tables.entries()) sameIndexes(this.#tables[i], table)
    this.#writer.replace((tables, nextBirth) => {
      for (const [i, table] of tables.entries()) takeOver(table, this.#tables[i], nextBirth)
      return this.#globalStamp + Number(this.#isConverted)
    })
    this.#tables = []
    this.#versions.clear()
    this.#replaced()
  }

  #tableOf(name: string): Table {
    return this.#tables.find(({ model }) => model.name === name)!
  }

  get #isConverted(): boolean {
    return (
      this.#dumped.length !== this.#tables.length ||
      this.#dumped.some((table, at) => table !== this.#tables[at])
    )
  }

  /**
   * As the store did while it made these commits. Otherwise memory would grow with the commits of a
   * store that stays small, and with texts that hardly repeat. Amortised.
   */
  #tidy(table: Table): void {
    forgetLongWords(table)
    const changes = table.version - (this.#versions.get(table) ?? 0)
    if (changes <= TIDY_AFTER_CHANGES + table.liveCount / RECORDS_OF_A_CHANGE) return
    this.#versions.set(table, table.version)
    tidyTable(table)
  }

  readonly #nextBirth = (): number => ++this.#births
}

/** Creates and drops ordered indexes as the program did at run time. */
function sameIndexes(table: Table, like: Table): void {
  for (const { ordinal } of table.model.storage) {
    const isOrdered = table.indexes[ordinal]?.isOrdered === true
    const isMeantToBe = like.indexes[ordinal]?.isOrdered === true
    if (isMeantToBe && !isOrdered) createIndex(table, ordinal)
    if (isOrdered && !isMeantToBe) dropIndex(table, ordinal)
  }
}

/**
 * Gives a table the records and indexes of another one, which is not used any more. Cost: O(1) for
 * each record.
 */
function takeOver(table: Table, other: Table, nextBirth: () => number): void {
  table.columns = other.columns
  table.indexes = other.indexes
  table.keys = other.keys
  table.length = other.length
  table.capacity = other.capacity
  table.liveCount = other.liveCount
  table.occupiedBelow = other.occupiedBelow
  table.live = other.live
  table.stamps = other.stamps
  table.timestamps = other.timestamps
  table.timestampHalves = other.timestampHalves
  table.births = other.births
  for (const slot of table.liveSlots()) table.births[slot] = nextBirth()
  // No record is as old as anything that was read before.
  table.occupancy = new Occupancy()
  table.sequence = other.sequence
  table.version += other.version + 1
  table.layout += other.layout + 1
  table.removals++
  table.rowCache?.forgetAll()
}

/** A dump of one state that is written while commits go on. */
interface DumpUnderWay {
  /** The bytes of `dump()`. They can be read once. */
  readonly pieces: Iterable<Uint8Array>
  /** Call it after the last piece, or when no more pieces are needed. */
  end(): void
}

/** Where a journal is. Bytes are those of its files. */
export interface JournalState {
  readonly folder: string
  /** Global stamp of the last commit that is on the disk; null before the first write. */
  readonly writtenStamp: number | null
  /** Commits that wait for the next write. */
  readonly waitingCommits: number
  /** The journal files since the last dump, with what waits. */
  readonly journalBytes: number
  /** Global stamp of the last dump, which compaction wrote; null before the first. */
  readonly dumpStamp: number | null
  readonly dumpBytes: number
  readonly isCompacting: boolean
  /** True from a failed write until a compaction has saved everything. */
  readonly hasFailed: boolean
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
  /** Where the journal is; null without one. */
  journalState: (() => JournalState) | null = null
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

// Records that exist nowhere else, written with other columns than the model has: by an earlier or
// a later version of the program. They are read as they were written, with the commits that follow
// their dump, and converted once all is read.

/**
 * Copies records into an empty table of the model. What the dump lacks gets its default. Throws
 * `dumpInvalid` for values that the model has no column for, and for those that it demands and the
 * dump does not have.
 */
function convertTable(from: Table, into: Table, nextBirth: () => number): void {
  const { name, storage } = into.model
  const slots = from.liveSlots()
  const given = describeClass(from.model).columns.map((column) => JSON.stringify(column))
  const wanted = describeClass(into.model).columns.map((column) => JSON.stringify(column))
  for (const [at, column] of given.entries())
    if (!wanted.includes(column) && slots.some((slot) => from.read(slot, at) !== null))
      throw otherLayout(`it has values of "${name}.${from.model.storage[at].name}"`)
  const sources = wanted.map((column) => given.indexOf(column))
  for (const { ordinal, notNull, defaultValue, name: column } of storage)
    if (sources[ordinal] < 0 && notNull && defaultValue === undefined && slots.length > 0)
      throw otherLayout(`it has no values of "${name}.${column}"`)
  for (const slot of slots) {
    const values = storage.map(({ ordinal, defaultValue = null }) =>
      sources[ordinal] < 0 ? defaultValue : from.read(slot, sources[ordinal]),
    )
    into.reserve(slot + 1)
    for (const [ordinal, value] of values.entries()) into.admit(ordinal, value)
    into.insertAt(slot, values, from.stamps[slot], from.timestamps[slot], nextBirth())
  }
  into.sequence = from.sequence
}
