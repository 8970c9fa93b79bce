import { keepOf } from '../capability/dumps.ts'
import type { StoreKeep } from '../dump/store-keep.ts'
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
  /** What was found in the folder, and was put into the store. */
  readonly recovered: {
    readonly commits: number
    /** Bytes of the end that were being written when the machine stopped; no `flush` had promised them. */
    readonly droppedBytes: number
  }
  /**
   * Resolves when every commit made until now is on the disk. Rejects with `journalFailed`, after `close` too. Calls at the same time share
   * one sync.
   */
  flush(): Promise<void>
  /**
   * Writes a dump of now and begins the journal anew; the generation before is kept. The dump is made in pieces of a few milliseconds, and
   * commits go on between them. Begins anew too after a failure. Resolves when both are on the disk. Rejects with the system's errors, and
   * with `journalFailed` after `close`.
   */
  compact(): Promise<void>
  /** Flushes and lets go of the folder. The store stays: what is committed to it from the call on is in memory only. */
  close(): Promise<void>
}

/**
 * Keeps a store in a folder, which is made where there is none. What the folder holds replaces what the store holds; where it holds nothing, the
 * store as it is becomes the beginning. From then on every commit is added. Rejects with `dumpInvalid` for what is damaged, missing or
 * of other dataclasses, `folderInUse` while another journal has it, `argumentInvalid` for a store that has a journal, and with the system's errors.
 */
export async function openJournal(
  store: AnyDataStore,
  folder: string,
  options: JournalOptions = {},
  ports: JournalPorts = nodePorts,
): Promise<Journal> {
  const settings = checkJournalOptions(options)
  const { files, process } = ports
  const keep = keepOf(store)
  if (keep.hasJournal) throw refused('The store', 'one without a journal', 'one that has a journal already')
  keep.hasJournal = true
  let unlock: () => Promise<void> = async () => undefined
  try {
    await files.mkdir(folder)
    unlock = await lockFolder(files, folder, process)
    return await KeptJournal.open(keep, new JournalFolder(folder, files), settings, ports, unlock)
  } catch (error) {
    keep.tell(null)
    keep.hasJournal = false
    await unlock()
    // Nobody has a journal yet that could be begun anew.
    throw isEntiaError(error, 'journalFailed') ? error.cause : error
  }
}

class KeptJournal implements Journal {
  readonly recovered: Journal['recovered']
  readonly #keep: StoreKeep
  readonly #folder: JournalFolder
  readonly #writer: JournalWriter
  readonly #settings: Required<JournalOptions>
  readonly #ports: JournalPorts
  readonly #unlock: () => Promise<void>
  #stopTimer: (() => void) | null = null
  #compacting: Promise<void> | null = null
  #closing: Promise<void> | null = null
  /** Global stamp of the last dump; -1 where this journal has written none. */
  #generation = -1
  /** Bytes of the last dump. */
  #dumpBytes = 0
  /** Bytes of the journal files since that dump, but the newest. */
  #earlierBytes = 0

  static async open(
    keep: StoreKeep,
    folder: JournalFolder,
    settings: Required<JournalOptions>,
    ports: JournalPorts,
    unlock: () => Promise<void>,
  ): Promise<Journal> {
    const found = await folder.read(keep.catalog)
    await folder.tidy()
    // From here to the first `await` is one moment: no commit is between what is read and what is told.
    if (found !== null) naming(folder.dumpPath(found.generation), () => keep.replace(found.dump, found.commits))
    const writer = new JournalWriter(folder, keep.catalog)
    const journal = new KeptJournal(keep, folder, writer, settings, ports, unlock, {
      commits: found?.commits.length ?? 0,
      droppedBytes: found?.dropped ?? 0,
    })
    journal.#generation = found?.generation ?? -1
    journal.#dumpBytes = found?.dumpBytes ?? 0
    const last = found?.chain.at(-1)
    // Where the commits of the store reached what was found, its global stamp has gone on beyond it.
    const isFollowing = last !== undefined && last.generation + last.content.commits.length === keep.globalStamp
    if (isFollowing) {
      writer.goOn(last.generation, last.content)
      for (const { content } of found?.chain.slice(0, -1) ?? []) journal.#earlierBytes += content.end
    }
    const ready = isFollowing ? writer.flush() : journal.#beginAnew()
    keep.tell((globalStamp, pieces) => journal.#add(globalStamp, pieces))
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
    keep: StoreKeep,
    folder: JournalFolder,
    writer: JournalWriter,
    settings: Required<JournalOptions>,
    ports: JournalPorts,
    unlock: () => Promise<void>,
    recovered: Journal['recovered'],
  ) {
    this.#keep = keep
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
    // One that is under way may lack what was committed since it began.
    const before = this.#compacting?.catch(() => undefined) ?? Promise.resolve()
    // A dump of later than a close would hold commits that no journal has.
    const compacting = before.then(() => (this.#closing === null ? this.#beginAnew() : this.#writer.flush()))
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
    this.#keep.tell(null)
    this.#stopTimer?.()
    try {
      // Whoever asked for it is told.
      await this.#compacting?.catch(() => undefined)
      const end = await this.#writer.close()
      // All is on the disk: without the note only a later damage is harder to see.
      if (end !== null) await this.#folder.writeClosingNote(end).catch(() => undefined)
    } finally {
      this.#keep.hasJournal = false
      await this.#unlock()
    }
  }

  /** What is committed now is in no file: nobody may be told that it is. */
  #refuseClosed(): void {
    if (this.#closing === null) return
    throw journalError('journalFailed', {
      file: this.#folder.path,
      problem: 'the journal was closed.',
      remedy: 'close it when nothing writes any more, after the HTTP server and its last request.',
    })
  }

  #add(globalStamp: number, pieces: readonly Uint8Array[]): void {
    const { size } = this.#writer
    if (size > this.#ports.journalFileBytes && !this.#writer.hasFailed) {
      this.#earlierBytes += size
      this.#writer.beginAnew(globalStamp - 1)
    }
    this.#writer.add(globalStamp, pieces)
    const { flushMilliseconds } = this.#settings
    if (flushMilliseconds === null || this.#stopTimer !== null) return
    this.#stopTimer = this.#ports.later(flushMilliseconds, () => {
      this.#stopTimer = null
      this.#flushByItself()
    })
  }

  #flushByItself(): void {
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

  /** The moment of the dump is that of the switch to the new journal: no commit is between them. */
  async #beginAnew(): Promise<void> {
    const { globalStamp } = this.#keep
    if (this.#generation === globalStamp && !this.#writer.hasFailed) return this.#writer.flush()
    const dump = this.#keep.beginDump(this.#ports.dumpPieceLength)
    try {
      this.#writer.beginAnew(globalStamp)
      this.#earlierBytes = 0
      await this.#writer.settle()
      this.#dumpBytes = await this.#folder.writeDump(globalStamp, dump.pieces)
    } finally {
      dump.end()
    }
    this.#writer.trust()
    this.#generation = globalStamp
  }
}
