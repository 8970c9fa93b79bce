import { dumpError } from '../dump/dump-errors.ts'
import { LINE_FEED } from '../dump/read-lines.ts'
import type { EntiaError } from '../errors.ts'
import { frameAt, JOURNAL_FORMAT, JOURNAL_VERSION, seedOf } from './journal-frame.ts'

/** The content of a journal file. */
export interface JournalContent {
  /** The global stamp before its first commit. */
  readonly base: number
  /** Checksum of the heading, for further frames. */
  readonly seed: string
  /** In order, without gaps. */
  readonly commits: readonly { readonly globalStamp: number; readonly payload: Uint8Array }[]
  /**
   * Number of complete bytes. The rest was being written when the machine stopped, and no `flush`
   * had resolved for it.
   */
  readonly end: number
}

/**
 * Reads a journal file without an incomplete end; null if the heading itself is incomplete. Throws
 * `dumpInvalid` for damage to bytes that had been on the disk, and for commits that do not follow
 * one another; `position` is the place.
 */
export function readJournal(bytes: Uint8Array): JournalContent | null {
  const first = frameAt(bytes, 0, '')
  if (first === null || first.kind !== 'journal') {
    // The heading was on the disk before the next frame was written.
    if (hasMore(bytes)) throw damaged(0)
    return null
  }
  checkHeading(first.payload)
  const seed = seedOf(first.number, first.payload)
  const commits: { globalStamp: number; payload: Uint8Array }[] = []
  let stamp = first.number
  let end = first.end
  while (end < bytes.length) {
    const frame = frameAt(bytes, end, seed)
    if (frame === null) {
      if (hasSynced(bytes, end, seed, end)) throw damaged(end)
      break
    }
    if (frame.kind === 'commit') {
      if (frame.number !== stamp + 1) throw gap(end, stamp, frame.number)
      stamp = frame.number
      commits.push({ globalStamp: stamp, payload: frame.payload })
    } else if (frame.kind === 'journal') throw damaged(end)
    end = frame.end
  }
  return { base: first.number, seed, commits, end }
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

/**
 * True if a complete `synced` frame after an offset says that bytes beyond `reach` were on the
 * disk. Cost: O(bytes).
 */
function hasSynced(bytes: Uint8Array, from: number, seed: string, reach: number): boolean {
  for (let at = from; at < bytes.length; ) {
    if (bytes[at] === LETTER_S) {
      const frame = frameAt(bytes, at, seed)
      if (frame?.kind === 'synced' && frame.number > reach) return true
    }
    const next = bytes.indexOf(LETTER_S, at + 1)
    if (next < 0) return false
    at = next
  }
  return false
}

/** The first letter of "synced". */
const LETTER_S = 's'.charCodeAt(0)

/** True if bytes follow the heading, which is a frame line and a line of JSON. */
function hasMore(bytes: Uint8Array): boolean {
  let feeds = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) feeds++
  return feeds > 2 || (feeds === 2 && bytes[bytes.length - 1] !== LINE_FEED)
}

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
