import { unquote } from './percent.ts'

/**
 * A key as it stands between the brackets of an address. Percent escapes and quotes do for most texts; proxies change some of them:
 * `%2F` becomes a slash, which is merged with another one or ends the segment, and `%00` is refused. A key that holds such a
 * character is written as `~` and UTF-8 in hexadecimal, each byte behind another `~`: `~a~2Fb`. Only letters, digits, `_`, `-` and
 * `~` are in it, which nothing on the way changes.
 */

/** `7`, `%22Neil%20%26%20Co%22`, or `~a~2Fb`: pure ASCII, without characters that a strict proxy refuses. */
export function keyInAddress(key: string | number): string {
  const text = String(key)
  if (/^[A-Za-z0-9_-]+$/.test(text)) return text
  return CHANGED_ON_THE_WAY.test(text) ? `~${tildes(text)}` : `%22${encodeURIComponent(wellFormed(text))}%22`
}

/**
 * The key that stands between brackets, percent-decoded already: one pair of quotes is taken off, and the form with `~` is read.
 * Only what `keyInAddress` writes is that form. A client may write other texts bare, and they are meant as they stand.
 */
export function readKeyText(text: string): string {
  const unquoted = unquote(text)
  if (unquoted !== text || text[0] !== '~') return unquoted
  try {
    const key = decodeURIComponent(text.slice(1).replaceAll('~', '%'))
    return keyInAddress(key) === text ? key : text
  } catch {
    return text
  }
}

const CHANGED_ON_THE_WAY = /[\p{Cc}/\\]/u

function tildes(text: string): string {
  return encodeURIComponent(wellFormed(text))
    .replace(/[.!~*'()]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '~')
}

/** A lone surrogate has no UTF-8, and no stored text holds one; still an address must not throw. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd')
}
