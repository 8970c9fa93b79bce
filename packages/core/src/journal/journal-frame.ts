import { checksum } from '../dump/checksum.ts'
import { joined } from '../dump/line-writer.ts'
import { LINE_FEED } from '../dump/read-lines.ts'

/**
 * A journal is a sequence of frames: a line `<kind> <number> <length> <checksum>`, followed by that
 * many bytes. The checksum covers the heading of the file, the offset of the frame, the line and
 * the bytes, so a frame is valid only at the place where it was written.
 *
 *     journal <global stamp> <length> <checksum>     the first frame: format, version and name of the store, as JSON
 *     commit <global stamp> <length> <checksum>      the bytes of `encodeCommit`
 *     synced <bytes> 0 <checksum>                    the first <bytes> bytes of the file were on the disk at that time
 */
export const JOURNAL_FORMAT = 'entia journal'
export const JOURNAL_VERSION = 1

export type FrameKind = 'journal' | 'commit' | 'synced'

export interface Frame {
  readonly kind: FrameKind
  readonly number: number
  readonly payload: Uint8Array
  /** Offset of the next frame. */
  readonly end: number
}

const encoder = new TextEncoder()

/**
 * The bytes of one frame at an offset. `seed` is the checksum of the heading of the file, empty for
 * the heading itself.
 */
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

/** The line of a frame. The pieces of its payload must follow. */
export function encodeFrameLine(
  seed: string,
  at: number,
  kind: FrameKind,
  number: number,
  payload: readonly Uint8Array[],
): Uint8Array {
  const length = lengthOf(payload)
  return encoder.encode(
    `${kind} ${number} ${length} ${checksumOf(seed, at, kind, number, ...payload)}\n`,
  )
}

/** The checksum that a frame must have. */
export function checksumOf(
  seed: string,
  at: number,
  kind: FrameKind,
  number: number,
  ...payload: readonly Uint8Array[]
): string {
  return checksum(
    encoder.encode(`${seed} ${at} ${kind} ${number} ${lengthOf(payload)}\n`),
    ...payload,
  )
}

export const lengthOf = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((length, piece) => length + piece.length, 0)

const LINE = /^(journal|commit|synced) (0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15}) ([0-9a-f]{8})$/
/** The longest line of a frame, with its line feed. */
const LONGEST_LINE = 64

/** The frame at an offset; null if there is no complete and valid one. */
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
  return found === expected
    ? { kind: kind as FrameKind, number: Number(number), payload, end }
    : null
}

/** The checksum of a heading, which all later frames include. */
export const seedOf = (globalStamp: number, heading: Uint8Array): string =>
  checksumOf('', 0, 'journal', globalStamp, heading)

const asciiOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
