import { EntiaError } from '../errors.ts'

export const LINE_FEED = 10
/** Bytes that are decoded at once, and then up to the end of the line. */
const CHUNK = 1_048_576

/** The lines of UTF-8 that ends with a line feed. Throws `dumpInvalid` for what is no UTF-8. */
export function* linesOf(bytes: Uint8Array): Generator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (let from = 0; from < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, Math.min(from + CHUNK, bytes.length - 1))
    yield* decode(decoder, bytes.subarray(from, feed)).split('\n')
    from = feed + 1
  }
  return undefined
}

function decode(decoder: { decode(bytes: Uint8Array): string }, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new EntiaError('dumpInvalid', { problem: 'it is no UTF-8.' }, { cause: error })
  }
}
