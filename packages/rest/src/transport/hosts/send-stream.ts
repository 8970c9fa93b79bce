import type { RestResponse, SentAnswer } from '../../render/serialize.ts'
import { PIECE, piecesOf } from '../body/answer-budget.ts'

/** The part of a response that is used. */
interface PiecewiseResponse {
  readonly destroyed?: boolean
  on?(event: string, listener: (...args: unknown[]) => void): unknown
  write(body: string | Uint8Array): unknown
  end(): unknown
  destroy?(): unknown
}

/** The part of `node:stream` that is used. */
interface NodeStreams {
  readonly Readable: { from(pieces: Iterable<unknown>, options: object): object }
}
interface NodeProcess {
  getBuiltinModule?(name: string): unknown
}

/**
 * A long body as a stream of Node, for frameworks whose middleware sees the body. Where Node's
 * modules cannot be had it stays as it is.
 */
export function streamInPieces(
  response: PiecewiseResponse,
  body: string | Uint8Array,
  sent: SentAnswer,
): object | string {
  const { process } = globalThis as { readonly process?: NodeProcess }
  const streams = process?.getBuiltinModule?.('node:stream') as NodeStreams | undefined
  sent.sentBy(() => response.destroy?.())
  for (const event of ['finish', 'close']) response.on?.(event, () => sent.end())
  if (streams === undefined) return body
  const pieces = piecesOf(body, { taken: () => sent.taken(), end: () => {} })
  return streams.Readable.from(pieces, { objectMode: false, highWaterMark: PIECE })
}

/**
 * Writes a long answer piece by piece, each after the client has taken the one before. `sent`
 * closes the connection of a client that takes nothing.
 */
export function sendInPieces(
  response: PiecewiseResponse,
  body: string | Uint8Array,
  sent: SentAnswer | undefined,
): void {
  // The last piece counts until the client has taken it, too.
  const pieces = piecesOf(body, sent && { taken: () => sent.taken(), end: () => {} })
  let isEnded = false
  const goOn = (): void => {
    while (!isEnded && response.destroyed !== true) {
      const { done, value } = pieces.next()
      if (done === true) {
        isEnded = true
        response.end()
      } else if (response.write(value) === false) return
    }
  }
  sent?.sentBy(() => response.destroy?.())
  response.on?.('drain', goOn)
  for (const event of ['finish', 'close'])
    response.on?.(event, () => {
      isEnded = true
      sent?.end()
    })
  goOn()
}

/** How long a client may take to read the rest of a stream that the server has ended. */
const MAX_ENDING_MILLISECONDS = 2000

/**
 * Writes texts as they arrive, each after the client has taken the one before. A disconnecting
 * client ends the stream. A client that does not read when the server ends the stream is
 * disconnected: it would keep its connection for as long as it likes.
 */
export async function sendStream(
  response: PiecewiseResponse,
  stream: NonNullable<RestResponse['stream']>,
): Promise<void> {
  const texts = stream[Symbol.asyncIterator]()
  let goOn = (): void => {}
  let isEnded = false
  let isWaiting = false
  let ending: ReturnType<typeof setTimeout> | undefined
  const limitEnding = (): void => {
    if (isEnded && isWaiting)
      ending ??= setTimeout(() => response.destroy?.(), MAX_ENDING_MILLISECONDS)
  }
  stream.onEnd = () => {
    isEnded = true
    limitEnding()
  }
  response.on?.('drain', () => goOn())
  response.on?.('close', () => {
    void texts.return?.()
    goOn()
  })
  for (;;) {
    const { done, value } = await texts.next()
    if (response.destroyed === true) return
    if (done === true) break
    if (response.write(value) !== false) continue
    isWaiting = true
    limitEnding()
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
    isWaiting = false
    clearTimeout(ending)
  }
  response.end()
}
