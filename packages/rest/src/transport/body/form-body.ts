import { restError } from '../../errors/rest-error.ts'

/**
 * The JSON text that a client sent as a form and a form parser of the host took for names and values; null for anything
 * else, which then counts as parsed. A form parser undoes escapes, reads `+` as a blank and may take brackets for a path: a text
 * that may have held any of them is refused rather than guessed.
 *
 * Takes   `contentLength`: bytes of what was sent.
 * Throws  bodyMalformed where the text cannot be told.
 */
export function jsonOfForm(parsed: object, contentType: string, contentLength: number): string | null {
  if (!contentType.toLowerCase().startsWith('application/x-www-form-urlencoded')) return null
  const entries = Object.entries(parsed)
  const [first = ''] = entries[0] ?? []
  const startsAsJson = /^\s*[{[]/.test(first)
  // No attribute has a quote in its name: of an array, the brackets were taken for a path.
  if (!startsAsJson && !first.includes('"')) return null
  const text = entries.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')
  // An escape that was undone, or an equals sign that is gone, shows in the length.
  const isWhole =
    startsAsJson &&
    entries.every(([, value]) => typeof value === 'string') &&
    new TextEncoder().encode(text).length === contentLength
  if (!isWhole || mayHaveHeldPlus(text))
    throw restError('bodyMalformed', {
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
