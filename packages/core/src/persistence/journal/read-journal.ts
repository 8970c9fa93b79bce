import type { EntiaError } from '../../errors.ts'
import { dumpError, joined, LINE_FEED } from '../../store/dump/line-writer.ts'
import {
  type Frame,
  frameAt,
  JOURNAL_FORMAT,
  JOURNAL_VERSION,
  LONGEST_LINE,
  seedOf,
} from './journal-frame.ts'

/** What is known of a journal file when all of it is read. */
export interface JournalContent {
  /** The global stamp before its first commit. */
  readonly base: number
  /** Checksum of the heading, for further frames. */
  readonly seed: string
  /** Number of commits. */
  readonly commits: number
  /**
   * Number of complete bytes. The rest was being written when the machine stopped, and no `flush`
   * had resolved for it.
   */
  readonly end: number
  /** Number of bytes. */
  readonly length: number
}

/**
 * Reads a journal file block by block, without an incomplete end. Holds one block and the frame
 * that continues in the next one. Its methods throw `dumpInvalid` for damage to bytes that had been
 * on the disk, and for commits that do not follow one another; `position` is the place.
 */
export class JournalReader {
  /** The unread bytes; more than one piece only while a frame is incomplete. */
  #pieces: Uint8Array[] = []
  #available = 0
  #needed = 0
  /** Offset of its first byte in the file. */
  #start = 0
  #length = 0
  #heading: Pick<JournalContent, 'base' | 'seed'> | null = null
  #commits = 0
  #end = 0
  /** True from the first frame on that is not valid. What follows is only examined. */
  #hasEnded = false
  /** Line feeds and the last byte of a file without a heading. */
  #feeds = 0
  #lastByte = LINE_FEED

  /** The global stamp before the first commit; null until the heading is read. */
  get base(): number | null {
    return this.#heading?.base ?? null
  }
  /** Commits so far. */
  get commits(): number {
    return this.#commits
  }

  /** Takes the next block. Returns the commits that it completes, in order, without gaps. */
  read(block: Uint8Array): readonly Uint8Array[] {
    this.#pieces.push(block)
    this.#available += block.length
    this.#length += block.length
    return this.#available < this.#needed ? [] : this.#readFrames(false)
  }

  /** Call it after the last block. Returns null if the heading itself is incomplete. */
  finish(): JournalContent | null {
    this.#readFrames(true)
    if (this.#heading !== null)
      return { ...this.#heading, commits: this.#commits, end: this.#end, length: this.#length }
    // The heading, a frame line and a line of JSON, was on the disk before the next frame.
    if (this.#feeds === 2 && this.#lastByte !== LINE_FEED) throw damaged(0)
    return null
  }

  #readFrames(isLast: boolean): readonly Uint8Array[] {
    const bytes = joined(this.#pieces)
    const commits: Uint8Array[] = []
    let at = 0
    this.#needed = 0
    while (at < bytes.length && !this.#hasEnded) {
      const frame = frameAt(bytes, at, this.#start, this.#heading?.seed ?? '')
      if (typeof frame === 'number' && !isLast) {
        this.#needed = frame
        break
      }
      if (frame === null || typeof frame === 'number' || !this.#take(frame, at, commits)) {
        this.#hasEnded = true
        break
      }
      at = frame.end
      this.#end = this.#start + at
    }
    if (this.#hasEnded && this.#heading === null) at = this.#countFeeds(bytes)
    else if (this.#hasEnded) at = this.#refuseSynced(bytes, at, isLast)
    // A copy of a part, because the part would hold the block.
    if (at > 0) this.#pieces = at === bytes.length ? [] : [bytes.slice(at)]
    this.#start += at
    this.#available = bytes.length - at
    return commits
  }

  /** False if the first frame is no heading. */
  #take({ kind, number, payload }: Frame, at: number, commits: Uint8Array[]): boolean {
    if (this.#heading === null) {
      if (kind !== 'journal') return false
      checkHeading(payload)
      this.#heading = { base: number, seed: seedOf(number, payload) }
    } else if (kind === 'commit') {
      const stamp = this.#heading.base + this.#commits
      if (number !== stamp + 1) throw gap(this.#start + at, stamp, number)
      this.#commits++
      commits.push(payload)
    } else if (kind === 'journal') throw damaged(this.#start + at)
    return true
  }

  #countFeeds(bytes: Uint8Array): number {
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1))
      this.#feeds++
    this.#lastByte = bytes.at(-1) ?? this.#lastByte
    if (this.#feeds > 2) throw damaged(0)
    return bytes.length
  }

  /**
   * Throws if a `synced` frame after the last valid frame says that more bytes were on the disk.
   * Returns the index up to which it looked.
   */
  #refuseSynced(bytes: Uint8Array, from: number, isLast: boolean): number {
    for (let at = bytes.indexOf(LETTER_S, from); at >= 0; at = bytes.indexOf(LETTER_S, at + 1)) {
      if (!isLast && bytes.length - at < LONGEST_LINE) return at
      const line = bytes.subarray(at, at + LONGEST_LINE)
      const frame = frameAt(line, 0, this.#start + at, this.#heading?.seed ?? '')
      if (typeof frame !== 'object' || frame === null) continue
      if (frame.kind === 'synced' && frame.number > this.#end) throw damaged(this.#end)
    }
    return bytes.length
  }
}

function checkHeading(heading: Uint8Array): void {
  const { format, version } = headingOf(new TextDecoder().decode(heading))
  if (format !== JOURNAL_FORMAT) throw invalid('it is not a journal of a store.')
  if (version !== JOURNAL_VERSION)
    throw invalid(`its version is ${String(version)}, this program reads ${JOURNAL_VERSION}.`)
}

/** The checksum of the heading is valid: if it is not JSON, another program wrote it. */
function headingOf(text: string): { readonly format?: unknown; readonly version?: unknown } {
  try {
    const heading: unknown = JSON.parse(text)
    return typeof heading === 'object' && heading !== null ? heading : {}
  } catch {
    return {}
  }
}

/** The first letter of "synced". */
const LETTER_S = 's'.charCodeAt(0)

const invalid = (problem: string, position?: number): EntiaError =>
  dumpError('dumpInvalid', {
    what: 'journal',
    problem,
    ...(position === undefined ? {} : { position }),
  })

const damaged = (at: number): EntiaError =>
  invalid(`byte ${at} or one soon after it has changed since it was written.`, at)

const gap = (at: number, stamp: number, next: number): EntiaError =>
  invalid(`global stamp ${stamp} is followed by ${next}: something between them is gone.`, at)
