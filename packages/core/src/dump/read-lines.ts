import { dumpError } from './dump-errors.ts'
import { joined } from './line-writer.ts'

export const LINE_FEED = 10
/** Bytes that are decoded in one step, extended to the end of the line. */
const CHUNK = 1_048_576

/**
 * The lines of a UTF-8 text in pieces, which must end with a line feed. Throws `dumpInvalid` for
 * bytes that are not UTF-8.
 */
export function* linesOf(pieces: readonly Uint8Array[]): Generator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  /** The beginning of a line that continues in the next piece. */
  let begun: Uint8Array[] = []
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const next = piece.indexOf(LINE_FEED, Math.min(from + CHUNK, piece.length - 1))
      const feed = next < 0 ? piece.lastIndexOf(LINE_FEED) : next
      if (feed < from) {
        begun.push(piece.subarray(from))
        break
      }
      yield* decode(decoder, joined([...begun, piece.subarray(from, feed)])).split('\n')
      begun = []
      from = feed + 1
    }
  }
  if (begun.length > 0) yield decode(decoder, joined(begun))
  return undefined
}

function decode(decoder: { decode(bytes: Uint8Array): string }, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw dumpError('dumpInvalid', { problem: 'it is not UTF-8.' }, { cause: error })
  }
}
