import { EntiaError } from '@entia/core'

/**
 * The JSON text that a client sent as a form and a form parser of the host took for names and values; null for anything
 * else, which then counts as parsed. A form parser undoes escapes and reads `+` as a blank: a text that may have held
 * either is refused rather than guessed.
 *
 * Takes   `contentLength`: bytes of what was sent.
 * Throws  bodyMalformed where the text cannot be told.
 */
export function jsonOfForm(parsed: object, contentType: string, contentLength: number): string | null {
  if (!contentType.toLowerCase().startsWith('application/x-www-form-urlencoded')) return null
  const entries = Object.entries(parsed)
  if (!/^\s*[{[]/.test(entries[0]?.[0] ?? '')) return null
  const text = entries.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')
  // An escape that was undone, or an equals sign that is gone, shows in the length.
  const isWhole =
    entries.every(([, value]) => typeof value === 'string') && new TextEncoder().encode(text).length === contentLength
  if (!isWhole || mayHaveHeldPlus(text))
    throw new EntiaError('bodyMalformed', {
      problem: 'a form parser of the host has read it and changed it; put this handler before that parser',
    })
  return text
}

/** A blank between values is a blank; inside a text it may have been a plus. */
function mayHaveHeldPlus(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)).includes(' ')
  } catch {
    // No JSON either way: what reads the text says so.
    return false
  }
}
