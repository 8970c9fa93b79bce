import { checksum, dumpError, joined, LINE_FEED } from '../../store/dump/line-writer.ts'
import { codeOf, type JournalFiles, replaceFile } from './journal-files.ts'

/**
 * The length of the newest journal when its folder was closed. It is a line in a file of its own,
 * which exists only while the folder is closed.
 */
export interface ClosingNote {
  /** The generation of the journal. */
  readonly generation: number
  readonly length: number
}

export const closingNotePath = (folder: string): string => `${folder}/closed`

/** Records where the newest journal ends, for the next process that opens the folder. */
export async function writeClosingNote(
  files: JournalFiles,
  folder: string,
  note: ClosingNote,
): Promise<void> {
  await replaceFile(files, closingNotePath(folder), [new TextEncoder().encode(lineOf(note))])
}

/**
 * Null if there is no note: the process was killed or the machine stopped. Throws `dumpInvalid` for
 * a note that has changed.
 */
export async function readClosingNote(
  files: JournalFiles,
  folder: string,
  remedy: string,
): Promise<ClosingNote | null> {
  const path = closingNotePath(folder)
  let text: string
  try {
    text = new TextDecoder().decode(await files.readFile(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  const [generation = Number.NaN, length = Number.NaN] = text.split(' ').map(Number)
  if (text === lineOf({ generation, length })) return { generation, length }
  throw dumpError('dumpInvalid', {
    what: 'journal',
    problem: `in ${path}: it has changed since it was written.`,
    remedy,
  })
}

function lineOf({ generation, length }: ClosingNote): string {
  const line = `${generation} ${length}`
  return `${line} ${checksum(new TextEncoder().encode(line))}\n`
}

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
  /** Index of the next frame in the bytes that it was read from. */
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
export const LONGEST_LINE = 64

/**
 * The frame at an index of a part of a file, whose first byte is at the offset `start`. Null if
 * there is no valid one. A number if the part ends before the frame: at least this many bytes from
 * the index on are needed.
 */
export function frameAt(
  bytes: Uint8Array,
  at: number,
  start: number,
  seed: string,
): Frame | number | null {
  const feed = bytes.subarray(at, at + LONGEST_LINE).indexOf(LINE_FEED)
  if (feed < 0) {
    const length = bytes.length - at
    return length < LONGEST_LINE ? length + 1 : null
  }
  const [, kind, number, length, expected] = LINE.exec(asciiOf(bytes.subarray(at, at + feed))) ?? []
  if (kind === undefined) return null
  const from = at + feed + 1
  const end = from + Number(length)
  if (end > bytes.length) return end - at
  const payload = bytes.subarray(from, end)
  const found = checksumOf(seed, start + at, kind as FrameKind, Number(number), payload)
  return found === expected
    ? { kind: kind as FrameKind, number: Number(number), payload, end }
    : null
}

/** The checksum of a heading, which all later frames include. */
export const seedOf = (globalStamp: number, heading: Uint8Array): string =>
  checksumOf('', 0, 'journal', globalStamp, heading)

const asciiOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
