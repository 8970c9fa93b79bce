import { restError } from '../../errors/rest-error.ts'

/**
 * The JSON text that a client sent as a form and a form parser of the host turned into names and
 * values; null for other bodies, which count as parsed. A form parser decodes escapes, reads `+` as
 * a blank and may interpret brackets. A text that may have contained any of them is refused.
 *
 * Takes `contentLength`: the bytes that were sent.
 *
 * Throws bodyMalformed if the text cannot be restored.
 */
export function jsonOfForm(
  parsed: object,
  contentType: string,
  contentLength: number,
): string | null {
  if (!contentType.toLowerCase().startsWith('application/x-www-form-urlencoded')) return null
  const entries = Object.entries(parsed)
  const [first = ''] = entries[0] ?? []
  const startsAsJson = /^\s*[{[]/.test(first)
  // Attribute names contain no quotes: the brackets of an array were taken for a path.
  if (!startsAsJson && !first.includes('"')) return null
  const text = entries.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')
  // A decoded escape or a lost equals sign changes the length.
  const isWhole =
    startsAsJson &&
    entries.every(([, value]) => typeof value === 'string') &&
    new TextEncoder().encode(text).length === contentLength
  if (!isWhole || mayHaveHeldPlus(text))
    throw restError('bodyMalformed', {
      problem: 'a form parser of the host has changed it; run this handler before that parser',
    })
  return text
}

/** A blank between values is a blank; inside a text it may have been a plus. */
function mayHaveHeldPlus(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)).includes(' ')
  } catch {
    // The text is not JSON, which its reader reports.
    return false
  }
}
