/** The part of a response that is used. */
interface PiecewiseResponse {
  readonly destroyed?: boolean
  on?(event: string, listener: (...args: unknown[]) => void): unknown
  write(body: string): unknown
  end(): unknown
}

/** Characters that are encoded and passed to the connection at once. */
export const PIECE = 65_536

/** Writes a long answer piece by piece, each after the client has taken the one before. */
export function sendInPieces(response: PiecewiseResponse, body: string): void {
  let at = 0
  const goOn = (): void => {
    while (at < body.length && response.destroyed !== true) {
      const end = endOfPiece(body, at)
      const piece = body.slice(at, end)
      at = end
      if (response.write(piece) === false) return
    }
    if (at >= body.length) response.end()
  }
  response.on?.('drain', goOn)
  goOn()
}

/** The end of a piece, which never splits a surrogate pair. */
function endOfPiece(body: string, from: number): number {
  const end = from + PIECE
  if (end >= body.length) return body.length
  const isHalf = (body.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isHalf ? end - 1 : end
}
