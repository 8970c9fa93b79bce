import type { EntiaError } from '../../errors.ts'
import type { Catalog } from '../../model/catalog.ts'
import { joined } from '../../store/dump/line-writer.ts'
import { journalError } from './journal-errors.ts'
import { type OpenFile, replaceFile, writeAll } from './journal-files.ts'
import type { JournalFolder } from './journal-folder.ts'
import {
  type ClosingNote,
  encodeFrame,
  encodeFrameLine,
  JOURNAL_FORMAT,
  JOURNAL_VERSION,
  lengthOf,
  seedOf,
} from './journal-frame.ts'

/** Bytes of one write. */
const WRITE_BYTES = 1_048_576

/** A commit and its bytes. */
export interface WaitingCommit {
  readonly globalStamp: number
  readonly pieces: readonly Uint8Array[]
}

/** What a writer is made with. */
export interface WriterParts {
  readonly folder: JournalFolder
  readonly persistence: { readonly catalog: Catalog }
  /** Called with commits, in order, once they are on the disk. Must not throw. */
  readonly written?: (commits: readonly WaitingCommit[]) => void
  /** Rejects if the folder is not the locked one any more: it was moved or its lock removed. */
  readonly checkLock?: () => Promise<void>
}

/** One journal file: a new one, or one that is continued. */
interface Segment {
  readonly base: number
  readonly waiting: WaitingCommit[]
  /** Null until the first write. */
  file: OpenFile | null
  /** Bytes that are written; 0 if the file does not exist yet. */
  length: number
  /** About the same, including the commits that wait. */
  size: number
  seed: string
  /** A write failed and its commits are lost to this file: the journal needs a new dump. */
  isLost: boolean
}

const newSegment = (base: number, length: number, seed: string): Segment => ({
  base,
  waiting: [],
  file: null,
  length,
  size: length,
  seed,
  isLost: false,
})

/**
 * Writes commits to journal files in order, with one sync for all commits that wait. After a failed
 * write every `flush` rejects until a new dump contains the lost commits.
 */
export class JournalWriter {
  readonly #parts: WriterParts
  /** Oldest first. All but the last are closed once they are written. */
  #segments: Segment[] = []
  #failure: EntiaError | null = null
  /** Resolves when the current write has ended. */
  #current: Promise<void> = Promise.resolve()
  /** The write that starts then. */
  #next: Promise<void> | null = null

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** Global stamp of the last commit that this writer has put on the disk; null before it. */
  writtenStamp: number | null = null

  get waitingCommits(): number {
    return this.#segments.reduce((sum, { waiting }) => sum + waiting.length, 0)
  }
  get hasFailed(): boolean {
    return this.#failure !== null
  }
  /** Bytes of the newest file, including those that wait. */
  get size(): number {
    return this.#segments.at(-1)?.size ?? 0
  }

  /** Continues a file that was read. The next write cuts off its incomplete end. */
  continueFile(
    generation: number,
    { end, seed }: { readonly end: number; readonly seed: string },
  ): void {
    this.#segments = [newSegment(generation, end, seed)]
  }

  /** Starts a new file for the commits from now on. The next write creates it. */
  startFile(globalStamp: number): void {
    this.#segments.push(newSegment(globalStamp, 0, ''))
  }

  add(globalStamp: number, pieces: readonly Uint8Array[]): void {
    const newest = this.#segments.at(-1)
    if (newest?.isLost !== false) return
    newest.waiting.push({ globalStamp, pieces })
    newest.size += lengthOf(pieces)
  }

  /** Resolves when all added commits are on the disk. Rejects with `journalFailed`. */
  flush(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    this.#next ??= this.#afterCurrent(() => {
      this.#next = null
      // If the write before this one failed, the commits of this one are lost too.
      return this.#failure === null ? this.#write() : Promise.reject(this.#failure)
    })
    return this.#next
  }

  /** Writes the newest file, and the files before it unless they have failed. */
  settle(): Promise<void> {
    return this.#afterCurrent(async () => {
      await this.#write()
      if (this.#failure !== null && this.#segments.at(-1)?.isLost !== false) throw this.#failure
    })
  }

  /**
   * A new dump contains the commits that an earlier failure lost. Throws if the newest file itself
   * has failed.
   */
  forgetFailure(): void {
    if (this.#failure !== null && this.#segments.at(-1)?.isLost === true) throw this.#failure
    this.#failure = null
  }

  /**
   * Resolves to the length of the newest file; null if a write failed. Then `flush` has rejected
   * with its error.
   */
  async close(): Promise<ClosingNote | null> {
    try {
      if (this.#failure !== null) return null
      await this.flush()
      const newest = this.#segments.at(-1)
      // `flush` does not wait for the `synced` frame, but the noted length must survive a power
      // loss.
      const isSynced = await newest?.file?.sync().then(
        () => true,
        () => false,
      )
      return newest === undefined || isSynced === false
        ? null
        : { generation: newest.base, length: newest.length }
    } finally {
      await this.#current
      for (const { file } of this.#segments) await file?.close().catch(() => undefined)
      this.#segments = []
    }
  }

  #afterCurrent(write: () => Promise<void>): Promise<void> {
    const done = this.#current.then(write)
    this.#current = done.catch(() => undefined)
    return done
  }

  async #write(): Promise<void> {
    const { folder, checkLock } = this.#parts
    let at = folder.path
    try {
      // Before: another process may own the folder now. After: an open file takes bytes when its
      // folder has been moved or removed, and no one can open it again by its path.
      await checkLock?.()
      for (const segment of [...this.#segments]) {
        at = folder.journalPath(segment.base)
        if (!segment.isLost) await this.#writeSegment(segment)
        // An older file may have got further commits during its write: the next write takes them.
        if (segment === this.#segments.at(-1) || segment.waiting.length > 0) continue
        this.#segments = this.#segments.filter((one) => one !== segment)
        await segment.file?.close()
      }
      at = folder.path
      await checkLock?.()
    } catch (error) {
      for (const segment of this.#segments) {
        segment.isLost = true
        segment.waiting.length = 0
      }
      const problem = error instanceof Error ? error.message : String(error)
      this.#failure ??= journalError(
        'journalFailed',
        { file: at, problem: `${problem}.`, remedy: 'compact() starts a new journal.' },
        { cause: error },
      )
      throw this.#failure
    }
  }

  async #writeSegment(segment: Segment): Promise<void> {
    const file =
      segment.file ?? (await (segment.length > 0 ? this.#resume(segment) : this.#create(segment)))
    // After a failure the file follows a dump that is not written yet. Without it, its commits
    // would follow nothing.
    if (this.#failure !== null) return
    const waiting = segment.waiting.splice(0)
    if (waiting.length === 0) return
    let pieces: Uint8Array[] = []
    let bytes = 0
    for (const { globalStamp, pieces: commit } of waiting) {
      const line = encodeFrameLine(
        segment.seed,
        segment.length + bytes,
        'commit',
        globalStamp,
        commit,
      )
      for (const piece of [line, ...commit]) {
        pieces.push(piece)
        bytes += piece.length
        if (bytes < WRITE_BYTES) continue
        await this.#append(file, segment, pieces)
        pieces = []
        bytes = 0
      }
    }
    await this.#append(file, segment, pieces)
    await file.sync()
    this.writtenStamp = waiting.at(-1)!.globalStamp
    this.#parts.written?.(waiting)
    // Not synced: the frame only distinguishes a damaged end from an incomplete one.
    await this.#append(file, segment, [
      encodeFrame(segment.seed, segment.length, 'synced', segment.length),
    ])
  }

  async #append(file: OpenFile, segment: Segment, pieces: readonly Uint8Array[]): Promise<void> {
    const all = joined(pieces)
    await writeAll(file, all, segment.length)
    segment.length += all.length
    segment.size = Math.max(segment.size, segment.length)
  }

  async #resume(segment: Segment): Promise<OpenFile> {
    const { folder } = this.#parts
    const file = await folder.files.open(folder.journalPath(segment.base), 'r+')
    segment.file = file
    await file.truncate(segment.length)
    await file.sync()
    return file
  }

  async #create(segment: Segment): Promise<OpenFile> {
    const { folder, persistence } = this.#parts
    const { files } = folder
    const heading = encodeHeading(persistence.catalog.name)
    const frame = encodeFrame('', 0, 'journal', segment.base, heading)
    const at = folder.journalPath(segment.base)
    // A file of this name may be there, with no commit: then a dump of the same global stamp may be
    // too, which is readable only beside a whole heading.
    await replaceFile(files, at, [frame])
    const file = await files.open(at, 'r+')
    segment.file = file
    segment.length = frame.length
    segment.seed = seedOf(segment.base, heading)
    return file
  }
}

const encodeHeading = (store: string): Uint8Array =>
  new TextEncoder().encode(
    `${JSON.stringify({ format: JOURNAL_FORMAT, version: JOURNAL_VERSION, store })}\n`,
  )
