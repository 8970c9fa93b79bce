import { persistenceOf } from '../capability/dumps.ts'
import type { Persistence } from '../dump/persistence.ts'
import { isEntiaError } from '../errors.ts'
import type { AnyDataStore } from '../model/store-types.ts'
import { refused } from '../value/check-options.ts'
import { naming } from './dump-file.ts'
import { lockFolder } from './folder-lock.ts'
import { journalError } from './journal-errors.ts'
import { JournalFolder } from './journal-folder.ts'
import { checkJournalOptions, type JournalOptions } from './journal-options.ts'
import { type JournalPorts, nodePorts } from './journal-ports.ts'
import { JournalWriter } from './journal-writer.ts'

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
   * errors of the system, and with `journalFailed` after `close`.
   */
  compact(): Promise<void>
  /**
   * Flushes and unlocks the folder. The store stays usable; commits made after `close()` stay in
   * memory.
   */
  close(): Promise<void>
}

/**
 * Keeps a store in a folder, and creates the folder if necessary. The data of the folder replaces
 * the data of the store; if the folder is empty, the store is written to it. From then on every
 * commit is added. Rejects with `dumpInvalid` for files that are damaged, missing or of other
 * dataclasses, with `folderInUse` while another journal has the folder, with `argumentInvalid` for
 * a store that has a journal, and with errors of the system.
 */
export async function openJournal(
  store: AnyDataStore,
  folder: string,
  options: JournalOptions = {},
  ports: JournalPorts = nodePorts,
): Promise<Journal> {
  const settings = checkJournalOptions(options)
  const { files, process } = ports
  const persistence = persistenceOf(store)
  if (persistence.hasJournal)
    throw refused('The store', 'one without a journal', 'one that has a journal already')
  persistence.hasJournal = true
  let unlock: () => Promise<void> = async () => undefined
  try {
    await files.mkdir(folder)
    unlock = await lockFolder(files, folder, process)
    return await StoreJournal.open(
      persistence,
      new JournalFolder(folder, files),
      settings,
      ports,
      unlock,
    )
  } catch (error) {
    persistence.reportCommitsTo(null)
    persistence.hasJournal = false
    await unlock()
    // `journalFailed` advises compact(), but the caller has no journal yet.
    throw isEntiaError(error, 'journalFailed') ? error.cause : error
  }
}

class StoreJournal implements Journal {
  readonly recovered: Journal['recovered']
  readonly #persistence: Persistence
  readonly #folder: JournalFolder
  readonly #writer: JournalWriter
  readonly #settings: Required<JournalOptions>
  readonly #ports: JournalPorts
  readonly #unlock: () => Promise<void>
  #stopTimer: (() => void) | null = null
  #compacting: Promise<void> | null = null
  #closing: Promise<void> | null = null
  /** Global stamp of the last dump; -1 before the first one. */
  #generation = -1
  /** Bytes of the last dump. */
  #dumpBytes = 0
  /** Bytes of the journal files since that dump, without the newest. */
  #earlierBytes = 0

  static async open(
    persistence: Persistence,
    folder: JournalFolder,
    settings: Required<JournalOptions>,
    ports: JournalPorts,
    unlock: () => Promise<void>,
  ): Promise<Journal> {
    const found = await folder.read(persistence.catalog)
    await folder.tidy()
    // No `await` until the store reports its commits to this journal: no commit may be lost in
    // between.
    if (found !== null)
      naming(folder.dumpPath(found.generation), () =>
        persistence.replace(found.dump, found.commits),
      )
    const writer = new JournalWriter(folder, persistence.catalog)
    const journal = new StoreJournal(persistence, folder, writer, settings, ports, unlock, {
      commits: found?.commits.length ?? 0,
      droppedBytes: found?.dropped ?? 0,
    })
    journal.#generation = found?.generation ?? -1
    journal.#dumpBytes = found?.dumpBytes ?? 0
    const last = found?.chain.at(-1)
    // A store that had more commits than the folder keeps its higher global stamp, and the files
    // cannot be continued.
    const isFollowing =
      last !== undefined &&
      last.generation + last.content.commits.length === persistence.globalStamp
    if (isFollowing) {
      writer.continueFile(last.generation, last.content)
      for (const { content } of found?.chain.slice(0, -1) ?? [])
        journal.#earlierBytes += content.end
    }
    const ready = isFollowing ? writer.flush() : journal.#startGeneration()
    persistence.reportCommitsTo((globalStamp, pieces) => journal.#add(globalStamp, pieces))
    try {
      await ready
    } catch (error) {
      await writer.close().catch(() => undefined)
      journal.#stopTimer?.()
      throw error
    }
    return journal
  }

  private constructor(
    persistence: Persistence,
    folder: JournalFolder,
    writer: JournalWriter,
    settings: Required<JournalOptions>,
    ports: JournalPorts,
    unlock: () => Promise<void>,
    recovered: Journal['recovered'],
  ) {
    this.#persistence = persistence
    this.#folder = folder
    this.#writer = writer
    this.#settings = settings
    this.#ports = ports
    this.#unlock = unlock
    this.recovered = recovered
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
    this.#persistence.reportCommitsTo(null)
    this.#stopTimer?.()
    try {
      // The caller of compact() gets the rejection.
      await this.#compacting?.catch(() => undefined)
      const end = await this.#writer.close()
      // All commits are on the disk. Without the note only later damage is harder to detect.
      if (end !== null) await this.#folder.writeClosingNote(end).catch(() => undefined)
    } finally {
      this.#persistence.hasJournal = false
      await this.#unlock()
    }
  }

  /** After a close, commits go to no file: `flush` must not promise that they do. */
  #refuseClosed(): void {
    if (this.#closing === null) return
    throw journalError('journalFailed', {
      file: this.#folder.path,
      problem: 'the journal was closed.',
      remedy: 'close it after everything that writes has stopped.',
    })
  }

  #add(globalStamp: number, pieces: readonly Uint8Array[]): void {
    const { size } = this.#writer
    if (size > this.#ports.journalFileBytes && !this.#writer.hasFailed) {
      this.#earlierBytes += size
      this.#writer.startFile(globalStamp - 1)
    }
    this.#writer.add(globalStamp, pieces)
    const { flushMilliseconds } = this.#settings
    if (flushMilliseconds === null || this.#stopTimer !== null) return
    this.#stopTimer = this.#ports.later(flushMilliseconds, () => {
      this.#stopTimer = null
      this.#flushInBackground()
    })
  }

  #flushInBackground(): void {
    const wasFailed = this.#writer.hasFailed
    this.#writer.flush().then(
      () => this.#compactIfLong(),
      (error: unknown) => {
        if (!wasFailed) this.#settings.onError(error)
      },
    )
  }

  #compactIfLong(): void {
    const { compactAboveBytes, onError } = this.#settings
    if (compactAboveBytes === null || this.#closing !== null || this.#compacting !== null) return
    const bytes = this.#earlierBytes + this.#writer.size
    if (bytes > Math.max(compactAboveBytes, this.#dumpBytes)) this.compact().catch(onError)
  }

  /**
   * Starts the dump and the new journal without an `await` between them: no commit may fall in
   * between.
   */
  async #startGeneration(): Promise<void> {
    const { globalStamp } = this.#persistence
    if (this.#generation === globalStamp && !this.#writer.hasFailed) return this.#writer.flush()
    const dump = this.#persistence.beginDump(this.#ports.dumpPieceLength)
    try {
      this.#writer.startFile(globalStamp)
      this.#earlierBytes = 0
      await this.#writer.settle()
      this.#dumpBytes = await this.#folder.writeDump(globalStamp, dump.pieces)
    } finally {
      dump.end()
    }
    this.#writer.forgetFailure()
    this.#generation = globalStamp
  }
}
