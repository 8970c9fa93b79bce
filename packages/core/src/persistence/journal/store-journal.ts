import { type EntiaError, isEntiaError } from '../../errors.ts'
import { naming } from '../../store/dump/line-writer.ts'
import type { JournalState, Persistence } from '../../store/dump/persistence.ts'
import { journalError } from './journal-errors.ts'
import type { JournalOptions } from './journal-files.ts'
import type { Recovery } from './journal-folder.ts'
import { writeClosingNote } from './journal-frame.ts'
import { JournalWriter, type WriterParts } from './journal-writer.ts'

/** Keeps the commits of a store in a folder. */
export interface Journal extends AsyncDisposable {
  /** What was read from the folder into the store. */
  readonly recovered: {
    readonly commits: number
    /**
     * Bytes of incomplete ends, dropped: they were being written when the machine stopped, and no
     * `flush` had resolved for them.
     */
    readonly droppedBytes: number
  }
  /**
   * Resolves when every commit so far is on the disk. Rejects with `journalFailed`, also after
   * `close`. Concurrent calls share one sync.
   */
  flush(): Promise<void>
  /**
   * Writes a dump of the current state and starts a new journal after it; the generation before
   * stays. The dump is written in pieces of a few milliseconds, and commits go on between them. It
   * also repairs a journal after a failure. Resolves when both files are on the disk. Rejects with
   * `journalFailed`, also after `close`; if only the dump failed, the journals keep every commit.
   */
  compact(): Promise<void>
  /**
   * Flushes and unlocks the folder. The store stays usable; commits made after `close()` stay in
   * memory.
   */
  close(): Promise<void>
}

/** What a journal needs beside its files. Only tests use their own. */
export interface JournalPace {
  /**
   * Calls back once after some milliseconds, without keeping the program alive. Returns a function
   * that cancels it.
   */
  later(milliseconds: number, callback: () => void): () => void
  /** Characters of one piece of a dump. Other work goes on between two pieces. */
  readonly dumpPieceLength: number
  /** A longer journal file is followed by a new one. */
  readonly journalFileBytes: number
}

/** What a journal is opened with. The store has none yet, and the folder is locked. */
export interface JournalParts extends WriterParts {
  readonly persistence: Persistence
  readonly settings: Required<JournalOptions>
  readonly pace: JournalPace
  readonly unlock: () => Promise<void>
  /** Takes what the folder has. By default it replaces all data. */
  readonly recovery?: Recovery
  /** Called in place of `recovery.finish` for an empty folder. What it throws refuses it. */
  readonly adoptNothing?: () => void
  /** Called with the global stamp of each dump once it is on the disk. Must not throw. */
  readonly dumped?: (globalStamp: number) => void
}

/** The journal of a store over any files. */
export class StoreJournal implements Journal {
  readonly recovered: Journal['recovered']
  readonly #parts: JournalParts
  readonly #writer: JournalWriter
  #stopTimer: (() => void) | null = null
  #compacting: Promise<void> | null = null
  #closing: Promise<void> | null = null
  /** Global stamp of the last dump; -1 before the first one. */
  #generation = -1
  /** Bytes of the last dump. */
  #dumpBytes = 0
  /** Bytes of the journal files since that dump, without the newest. */
  #earlierBytes = 0

  /**
   * Reads the folder into the store, or writes the store to an empty folder. From then on every
   * commit is added. Rejects with `dumpInvalid` and errors of the files; the store then has no
   * journal, and the folder is unlocked.
   */
  static async open(parts: JournalParts): Promise<StoreJournal> {
    const { persistence, unlock } = parts
    try {
      return await StoreJournal.#open(parts)
    } catch (error) {
      persistence.reportCommitsTo(null)
      persistence.journalState = null
      persistence.hasJournal = false
      await unlock()
      // `journalFailed` advises compact(), but the caller has no journal yet.
      throw isEntiaError(error, 'journalFailed') ? error.cause : error
    }
  }

  static async #open(parts: JournalParts): Promise<StoreJournal> {
    const { persistence, folder } = parts
    const recovery = parts.recovery ?? persistence.beginReplacement(true)
    const found = await folder.read(persistence.catalog, recovery)
    if (found === null) parts.adoptNothing?.()
    await folder.tidy()
    // No `await` until the store reports its commits to this journal: no commit may be lost in
    // between.
    if (found !== null) naming(folder.dumpPath(found.generation), () => recovery.finish(found))
    const writer = new JournalWriter(parts)
    const journal = new StoreJournal(parts, writer, {
      commits: found?.commits ?? 0,
      droppedBytes: found?.dropped ?? 0,
    })
    journal.#generation = found?.generation ?? -1
    journal.#dumpBytes = found?.dumpBytes ?? 0
    const last = found?.chain.at(-1)
    // A store that had more commits than the folder keeps its higher global stamp, and the files
    // cannot be continued.
    const isFollowing =
      last !== undefined && last.generation + last.content.commits === persistence.globalStamp
    if (isFollowing) {
      writer.continueFile(last.generation, last.content)
      for (const { content } of found?.chain.slice(0, -1) ?? [])
        journal.#earlierBytes += content.end
    }
    const ready = isFollowing ? writer.flush() : journal.#startGeneration()
    persistence.reportCommitsTo((globalStamp, pieces) => journal.#add(globalStamp, pieces))
    persistence.journalState = () => journal.#state
    try {
      await ready
    } catch (error) {
      await writer.close().catch(() => undefined)
      journal.#stopTimer?.()
      throw error
    }
    return journal
  }

  private constructor(parts: JournalParts, writer: JournalWriter, recovered: Journal['recovered']) {
    this.#parts = parts
    this.#writer = writer
    this.recovered = recovered
  }

  get #state(): JournalState {
    return {
      folder: this.#parts.folder.path,
      writtenStamp: this.#writer.writtenStamp,
      waitingCommits: this.#writer.waitingCommits,
      journalBytes: this.#earlierBytes + this.#writer.size,
      dumpStamp: this.#generation < 0 ? null : this.#generation,
      dumpBytes: this.#dumpBytes,
      isCompacting: this.#compacting !== null,
      hasFailed: this.hasFailed,
    }
  }

  /** True from a failed write until `compact` has saved everything. */
  get hasFailed(): boolean {
    return this.#writer.hasFailed
  }

  async flush(): Promise<void> {
    this.#refuseClosed()
    this.#stopTimer?.()
    this.#stopTimer = null
    await this.#writer.flush()
    this.#compactIfLong()
  }

  async compact(): Promise<void> {
    this.#refuseClosed()
    // A running compaction may lack the commits since it started.
    const before = this.#compacting?.catch(() => undefined) ?? Promise.resolve()
    // A dump made after a close would contain commits that no journal has.
    const compacting = before.then(() =>
      this.#closing === null ? this.#startGeneration() : this.#writer.flush(),
    )
    this.#compacting = compacting
    try {
      await compacting
    } finally {
      if (this.#compacting === compacting) this.#compacting = null
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#parts.persistence.reportCommitsTo(null)
    this.#parts.persistence.journalState = null
    this.#stopTimer?.()
    try {
      // The caller of compact() gets the rejection.
      await this.#compacting?.catch(() => undefined)
      const end = await this.#writer.close()
      // All commits are on the disk. Without the note only later damage is harder to detect.
      const { files, path } = this.#parts.folder
      if (end !== null) await writeClosingNote(files, path, end).catch(() => undefined)
    } finally {
      this.#parts.persistence.hasJournal = false
      await this.#parts.unlock()
    }
  }

  /** After a close, commits go to no file: `flush` must not promise that they do. */
  #refuseClosed(): void {
    if (this.#closing === null) return
    throw journalError('journalFailed', {
      file: this.#parts.folder.path,
      problem: 'the journal was closed.',
      remedy: 'close it after everything that writes has stopped.',
    })
  }

  #add(globalStamp: number, pieces: readonly Uint8Array[]): void {
    const { size } = this.#writer
    if (size > this.#parts.pace.journalFileBytes && !this.#writer.hasFailed) {
      this.#earlierBytes += size
      this.#writer.startFile(globalStamp - 1)
    }
    this.#writer.add(globalStamp, pieces)
    const { flushMilliseconds } = this.#parts.settings
    if (flushMilliseconds === null || this.#stopTimer !== null) return
    this.#stopTimer = this.#parts.pace.later(flushMilliseconds, () => {
      this.#stopTimer = null
      this.#flushInBackground()
    })
  }

  #flushInBackground(): void {
    const wasFailed = this.#writer.hasFailed
    this.#writer.flush().then(
      () => this.#compactIfLong(),
      (error: unknown) => {
        if (!wasFailed) this.#parts.settings.onError(error)
      },
    )
  }

  #compactIfLong(): void {
    const { compactAboveBytes, onError } = this.#parts.settings
    if (compactAboveBytes === null || this.#closing !== null || this.#compacting !== null) return
    const bytes = this.#earlierBytes + this.#writer.size
    if (bytes > Math.max(compactAboveBytes, this.#dumpBytes)) this.compact().catch(onError)
  }

  /** The journals before a dump that failed keep the commits, unless a write had failed too. */
  #dumpFailed(generation: number, error: unknown): EntiaError {
    return journalError(
      'journalFailed',
      {
        file: this.#parts.folder.dumpPath(generation),
        problem: `${error instanceof Error ? error.message : String(error)}.`,
        remedy: 'call compact() again when the cause is gone.',
        isKept: !this.#writer.hasFailed,
      },
      { cause: error },
    )
  }

  /**
   * Starts the dump and the new journal without an `await` between them: no commit may fall in
   * between.
   */
  async #startGeneration(): Promise<void> {
    const { globalStamp } = this.#parts.persistence
    if (this.#generation === globalStamp && !this.#writer.hasFailed) return this.#writer.flush()
    const dump = this.#parts.persistence.beginDump(this.#parts.pace.dumpPieceLength)
    try {
      this.#writer.startFile(globalStamp)
      this.#earlierBytes = 0
      await this.#writer.settle()
      this.#dumpBytes = await this.#parts.folder
        .writeDump(globalStamp, dump.pieces)
        .catch((error: unknown) => {
          throw this.#dumpFailed(globalStamp, error)
        })
    } finally {
      dump.end()
    }
    this.#writer.forgetFailure()
    this.#generation = globalStamp
    this.#parts.dumped?.(globalStamp)
  }
}
