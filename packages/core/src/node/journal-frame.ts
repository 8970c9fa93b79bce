import { checksum } from '../dump/checksum.ts'
import { joined } from '../dump/line-writer.ts'
import { LINE_FEED } from '../dump/read-lines.ts'

/**
 * A journal is a row of frames: a line `<kind> <number> <length> <checksum>`, and so many bytes. The checksum is over the heading of the
 * file, the place of the frame in it, the line and the bytes: a frame counts only where it was written.
 *
 *     journal <global stamp> <length> <checksum>     the first: format, version and name of the store, as JSON
 *     commit <global stamp> <length> <checksum>      what `encodeCommit` gives
 *     synced <bytes> 0 <checksum>                    so many bytes from the beginning were on the disk when this was written
 */
export const JOURNAL_FORMAT = 'entia journal'
export const JOURNAL_VERSION = 1

export type FrameKind = 'journal' | 'commit' | 'synced'

export interface Frame {
  readonly kind: FrameKind
  readonly number: number
  readonly payload: Uint8Array
  /** Where the next one begins. */
  readonly end: number
}

const encoder = new TextEncoder()

/** The bytes of one frame at a place of a file. `seed` is the checksum of the file's heading, empty for the heading itself. */
export function encodeFrame(
  seed: string,
  at: number,
  kind: FrameKind,
  number: number,
  payload?: Uint8Array,
): Uint8Array {
  const pieces = payload === undefined ? [] : [payload]
  return joined([encodeFrameLine(seed, at, kind, number, pieces), ...pieces])
}

/** The line of a frame, which the pieces of its payload must follow. */
export function encodeFrameLine(
  seed: string,
  at: number,
  kind: FrameKind,
  number: number,
  payload: readonly Uint8Array[],
): Uint8Array {
  const length = lengthOf(payload)
  return encoder.encode(`${kind} ${number} ${length} ${checksumOf(seed, at, kind, number, ...payload)}\n`)
}

/** The checksum that a frame must have. */
export function checksumOf(
  seed: string,
  at: number,
  kind: FrameKind,
  number: number,
  ...payload: readonly Uint8Array[]
): string {
  return checksum(encoder.encode(`${seed} ${at} ${kind} ${number} ${lengthOf(payload)}\n`), ...payload)
}

export const lengthOf = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((length, piece) => length + piece.length, 0)

const LINE = /^(journal|commit|synced) (0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15}) ([0-9a-f]{8})$/
/** No line of a frame is longer, line feed included. */
const LONGEST_LINE = 64

/** The frame at a place, or null where there is no whole and right one. */
export function frameAt(bytes: Uint8Array, at: number, seed: string): Frame | null {
  const feed = bytes.subarray(at, at + LONGEST_LINE).indexOf(LINE_FEED)
  if (feed < 0) return null
  const [, kind, number, length, expected] = LINE.exec(asciiOf(bytes.subarray(at, at + feed))) ?? []
  if (kind === undefined) return null
  const from = at + feed + 1
  const end = from + Number(length)
  if (end > bytes.length) return null
  const payload = bytes.subarray(from, end)
  const found = checksumOf(seed, at, kind as FrameKind, Number(number), payload)
  return found === expected ? { kind: kind as FrameKind, number: Number(number), payload, end } : null
}

/** The checksum of a heading, which all frames behind it need. */
export const seedOf = (globalStamp: number, heading: Uint8Array): string =>
  checksumOf('', 0, 'journal', globalStamp, heading)

const asciiOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
