/** What of a response is used. */
interface PiecewiseResponse {
  readonly destroyed?: boolean
  on?(event: string, listener: (...args: unknown[]) => void): unknown
  write(body: string): unknown
  end(): unknown
}

/** Characters that are turned into bytes and handed to the connection at once. */
export const PIECE = 65_536

/** The rest of a long answer is written when the client has taken what came before. */
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

/** Not between the two halves of a character. */
function endOfPiece(body: string, from: number): number {
  const end = from + PIECE
  if (end >= body.length) return body.length
  const isHalf = (body.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isHalf ? end - 1 : end
}
