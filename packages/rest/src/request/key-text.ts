import { unquote } from './percent.ts'

/**
 * A key between the brackets of an address. Percent escapes and quotes suffice for most texts, but
 * proxies change some of them: `%2F` becomes a slash, which is merged with another one or ends the
 * segment, and `%00` is refused. A key with such a character is written as `~` and UTF-8 in
 * hexadecimal, with `~` before each byte: `~a~2Fb`. It contains only letters, digits, `_`, `-` and
 * `~`, which proxies leave unchanged.
 */

/**
 * `7`, `%22Neil%20%26%20Co%22`, or `~a~2Fb`: pure ASCII, without characters that a strict proxy
 * refuses.
 */
export function keyInAddress(key: string | number): string {
  const text = String(key)
  if (Number.isSafeInteger(key) || /^[A-Za-z0-9_-]+$/.test(text)) return text
  return CHANGED_ON_THE_WAY.test(text)
    ? `~${tildes(text)}`
    : `%22${encodeURIComponent(wellFormed(text))}%22`
}

/**
 * Reads a percent-decoded key from between brackets: removes one pair of quotes, and decodes the
 * form with `~` that `keyInAddress` writes. Other texts with `~` are taken as they are.
 */
export function readKeyText(text: string): string {
  const unquoted = unquote(text)
  return unquoted !== text || text[0] !== '~' ? unquoted : withoutTildes(text, keyInAddress)
}

/** The key that `write` writes as this text; the text itself if there is none. */
function withoutTildes(text: string, write: (key: string) => string): string {
  try {
    const key = decodeURIComponent(text.slice(1).replaceAll('~', '%'))
    return write(key) === text ? key : text
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

/**
 * A lone surrogate has no UTF-8 form. Stored texts contain none, but building an address must not
 * throw.
 */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd')
}

/**
 * A key as one segment of a path. Clients and proxies remove `.` and `..`, percent-encoded ones
 * too, so these are written with `~` as well.
 */
export function keyInSegment(key: string | number): string {
  const text = String(key)
  const isChanged = text === '.' || text === '..' || readKeySegment(text) !== text
  return isChanged ? `~${tildes(text)}` : encodeURIComponent(wellFormed(text))
}

/** Reads a percent-decoded segment that `keyInSegment` wrote. Other texts are taken as they are. */
export function readKeySegment(text: string): string {
  return /^~(?:~[\dA-F]{2}|[\w-])+$/.test(text)
    ? withoutTildes(text, (key) => `~${tildes(key)}`)
    : text
}
