import { joined } from '../dump/line-writer.ts'
import type { EntiaError } from '../errors.ts'
import type { Catalog } from '../model/catalog.ts'
import type { ClosingNote } from './closing-note.ts'
import { type OpenFile, syncFolder, writeAll } from './file-system.ts'
import { journalError } from './journal-errors.ts'
import type { JournalFolder } from './journal-folder.ts'
import { encodeFrame, encodeFrameLine, JOURNAL_FORMAT, JOURNAL_VERSION, lengthOf, seedOf } from './journal-frame.ts'

/** Bytes that are written at once. */
const PIECE = 1_048_576

/** One journal file, from its beginning on or from where it was left. */
interface Segment {
  readonly base: number
  readonly waiting: { readonly globalStamp: number; readonly pieces: readonly Uint8Array[] }[]
  /** Null until the first writing. */
  file: OpenFile | null
  /** Bytes that are written; 0 where the file is not made yet. */
  length: number
  /** The same with those that wait, about. */
  size: number
  seed: string
  /** What could not be written is given up: a dump has to be a new beginning. */
  isGivenUp: boolean
}

/**
 * Writes commits to journal files, in order, with one sync for all that came in meanwhile. What cannot be written fails it as a whole: nothing
 * is promised any more until a dump is a new beginning.
 */
export class JournalWriter {
  readonly #folder: JournalFolder
  readonly #catalog: Catalog
  /** Oldest first; all but the last are closed when they are written. */
  #segments: Segment[] = []
  #failure: EntiaError | null = null
  /** Resolves when the writing that is under way has ended. */
  #underWay: Promise<void> = Promise.resolve()
  /** The writing that begins then. */
  #next: Promise<void> | null = null

  constructor(folder: JournalFolder, catalog: Catalog) {
    this.#folder = folder
    this.#catalog = catalog
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }
  /** Bytes of the newest file, with those that are still to be written to it. */
  get size(): number {
    return this.#segments.at(-1)?.size ?? 0
  }

  /** Goes on with a file that was read, at the next writing; what was being written behind its end is cut off then. */
  goOn(generation: number, { end, seed }: { readonly end: number; readonly seed: string }): void {
    this.#segments = [{ base: generation, waiting: [], file: null, length: end, size: end, seed, isGivenUp: false }]
  }

  /** What is added from now on goes into a file of its own. It is made with the next writing. */
  beginAnew(globalStamp: number): void {
    this.#segments.push({ base: globalStamp, waiting: [], file: null, length: 0, size: 0, seed: '', isGivenUp: false })
  }

  add(globalStamp: number, pieces: readonly Uint8Array[]): void {
    const newest = this.#segments.at(-1)
    if (newest?.isGivenUp !== false) return
    newest.waiting.push({ globalStamp, pieces })
    newest.size += lengthOf(pieces)
  }

  /** Resolves when all that was added is on the disk. Rejects with `journalFailed`. */
  flush(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    this.#next ??= this.#afterThat(() => {
      this.#next = null
      // The writing before this one may have failed, and given up what this one was to write.
      return this.#failure === null ? this.#write() : Promise.reject(this.#failure)
    })
    return this.#next
  }

  /** Writes the newest file, and those before it unless they have failed. */
  settle(): Promise<void> {
    return this.#afterThat(async () => {
      await this.#write()
      if (this.#failure !== null && this.#segments.at(-1)?.isGivenUp !== false) throw this.#failure
    })
  }

  /** A dump has what the newest file follows: a failure of before is made good. Throws one of that very file, which is not. */
  trust(): void {
    if (this.#failure !== null && this.#segments.at(-1)?.isGivenUp === true) throw this.#failure
    this.#failure = null
  }

  /** Answers how long the newest file is; null where something was not written, which its asker has been told. */
  async close(): Promise<ClosingNote | null> {
    try {
      if (this.#failure !== null) return null
      await this.flush()
      const newest = this.#segments.at(-1)
      // The mark at the end was not waited for; what is noted must be there after a loss of power.
      const isThere = await newest?.file?.sync().then(
        () => true,
        () => false,
      )
      return newest === undefined || isThere === false ? null : { generation: newest.base, length: newest.length }
    } finally {
      await this.#underWay
      for (const { file } of this.#segments) await file?.close().catch(() => undefined)
      this.#segments = []
    }
  }

  #afterThat(write: () => Promise<void>): Promise<void> {
    const done = this.#underWay.then(write)
    this.#underWay = done.catch(() => undefined)
    return done
  }

  async #write(): Promise<void> {
    let at = ''
    try {
      for (const segment of [...this.#segments]) {
        at = this.#folder.journalPath(segment.base)
        if (!segment.isGivenUp) await this.#writeSegment(segment)
        // One that was followed while it was written may have got more to write: that is for the next writing.
        if (segment === this.#segments.at(-1) || segment.waiting.length > 0) continue
        this.#segments = this.#segments.filter((one) => one !== segment)
        await segment.file?.close()
      }
    } catch (error) {
      for (const segment of this.#segments) {
        segment.isGivenUp = true
        segment.waiting.length = 0
      }
      const problem = error instanceof Error ? error.message : String(error)
      this.#failure ??= journalError(
        'journalFailed',
        { file: at, problem: `${problem}.`, remedy: 'compact() begins anew.' },
        { cause: error },
      )
      throw this.#failure
    }
  }

  async #writeSegment(segment: Segment): Promise<void> {
    const file = segment.file ?? (await (segment.length > 0 ? this.#resume(segment) : this.#create(segment)))
    // It follows a dump that is not there yet, since what was before it is given up: alone its commits would follow nothing.
    if (this.#failure !== null) return
    const waiting = segment.waiting.splice(0)
    if (waiting.length === 0) return
    let pieces: Uint8Array[] = []
    let bytes = 0
    for (const { globalStamp, pieces: commit } of waiting) {
      const line = encodeFrameLine(segment.seed, segment.length + bytes, 'commit', globalStamp, commit)
      for (const piece of [line, ...commit]) {
        pieces.push(piece)
        bytes += piece.length
        if (bytes < PIECE) continue
        await this.#append(file, segment, pieces)
        pieces = []
        bytes = 0
      }
    }
    await this.#append(file, segment, pieces)
    await file.sync()
    // Not waited for: it only tells a damaged end from one that was being written.
    await this.#append(file, segment, [encodeFrame(segment.seed, segment.length, 'synced', segment.length)])
  }

  async #append(file: OpenFile, segment: Segment, pieces: readonly Uint8Array[]): Promise<void> {
    const all = joined(pieces)
    await writeAll(file, all, segment.length)
    segment.length += all.length
    segment.size = Math.max(segment.size, segment.length)
  }

  async #resume(segment: Segment): Promise<OpenFile> {
    const file = await this.#folder.files.open(this.#folder.journalPath(segment.base), 'r+')
    segment.file = file
    await file.truncate(segment.length)
    await file.sync()
    return file
  }

  async #create(segment: Segment): Promise<OpenFile> {
    const { files, path } = this.#folder
    const heading = encodeHeading(this.#catalog.name)
    const frame = encodeFrame('', 0, 'journal', segment.base, heading)
    const file = await files.open(this.#folder.journalPath(segment.base), 'w')
    segment.file = file
    await writeAll(file, frame, 0)
    await file.sync()
    await syncFolder(files, path)
    segment.length = frame.length
    segment.seed = seedOf(segment.base, heading)
    return file
  }
}

const encodeHeading = (store: string): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ format: JOURNAL_FORMAT, version: JOURNAL_VERSION, store })}\n`)
