/**
 * Builds JSON objects from the text of their members, so that existing text is not parsed and
 * written again.
 */

/** The members of an object as JSON text, without the braces. */
export function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1)
}

/** Joins members with commas; empty pieces are skipped. */
export function joinMembers(...pieces: readonly string[]): string {
  let members = ''
  for (const piece of pieces)
    if (piece !== '') members = members === '' ? piece : `${members},${piece}`
  return members
}

/** An object of such pieces. */
export function objectOf(...pieces: readonly string[]): string {
  return `{${joinMembers(...pieces)}}`
}
