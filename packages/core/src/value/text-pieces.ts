/**
 * A long text in pieces of `length` units; the last may be shorter. Both halves of a surrogate pair
 * stay in one piece, which is then one unit longer.
 */
export function* textPieces(text: string, length: number): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    let end = Math.min(text.length, from + length)
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    yield text.slice(from, end)
    from = end
  }
}
