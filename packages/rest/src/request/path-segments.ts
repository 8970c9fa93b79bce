import { restError } from '../errors/rest-error.ts'
import { quoteAt, skipBlanks } from './percent.ts'

const SLASH = 47
const AMPERSAND = 38
const COMMA = 44
const ROUND = 40
const SQUARE = 91

/**
 * Splits at `/`, but not inside the quotes of a key or of a function's argument: `Setting("a/b")`
 * is one segment. Empty segments are ignored.
 */
export function splitSegments(path: string): readonly string[] {
  const segments: string[] = []
  let start = 0
  let at = 0
  let mayHoldQuotedKey = true
  let isCall = false
  while (at <= path.length) {
    const unit = path.charCodeAt(at)
    if (at === path.length || unit === SLASH) {
      if (at > start) segments.push(path.slice(start, at))
      start = at + 1
      isCall = false
    } else if (unit === AMPERSAND && path[at + 1] === '$')
      throw restError('questionMarkMissing', { found: '&' })
    else if (
      mayHoldQuotedKey &&
      (unit === ROUND || unit === SQUARE || (unit === COMMA && isCall))
    ) {
      // Only segments after the first may be calls, with several texts.
      isCall ||= unit === ROUND && segments.length > 0
      const from = isCall ? skipBlanks(path, at + 1) : at + 1
      const mark = quoteAt(path, from)
      const closers = isCall ? '),' : unit === ROUND ? ')' : ']'
      const end = mark === null ? -1 : endOfQuotedKey(path, from + mark.width, mark.quote, closers)
      if (end >= 0) at = end - 1
      // A failed search is the last one, so the work stays linear in the length of the path.
      else if (mark !== null) mayHoldQuotedKey = false
    }
    at++
  }
  return segments
}

/**
 * The position of the closer after the closing quote; -1 if there is none. A key may contain a
 * quote before a bracket: the bracket that ends the segment counts.
 */
function endOfQuotedKey(path: string, from: number, quote: string, closers: string): number {
  for (let at = from; at < path.length; at++) {
    const mark = quoteAt(path, at)
    if (mark?.quote !== quote) continue
    const end = at + mark.width
    if (end === path.length || !closers.includes(path[end]!)) continue
    if (path[end] === ',' || end + 1 === path.length || path.charCodeAt(end + 1) === SLASH)
      return end
  }
  return -1
}
