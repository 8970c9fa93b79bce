import type { BodyHold } from './body-budget.ts'
import { BodyPieces } from './body-pieces.ts'

/** The part of a node:http request that reading needs. */
interface BodyStream {
  readonly aborted?: boolean
  on(event: string, listener: (...args: unknown[]) => void): unknown
  off(event: string, listener: (...args: unknown[]) => void): unknown
  pause(): unknown
}

/** The events of a body that does not arrive in full. Every request ends with 'close'. */
const FAILURES = ['aborted', 'error', 'close'] as const

/** The unread body of a node:http request. */
export class NodeBody {
  readonly #request: BodyStream

  constructor(request: BodyStream) {
    this.#request = request
  }

  /**
   * Reads the body to its end. If it exceeds `maxBytes` or the budget, or is truncated, the request
   * is paused and its connection stays open, which the request's own iterator would end. Rejects
   * with `tooLarge()`, with the error of `hold`, or with the reason of the truncation.
   */
  read(maxBytes: number, tooLarge: () => Error, hold: BodyHold | null = null): Promise<Uint8Array> {
    const request = this.#request
    return new Promise((resolve, reject) => {
      const pieces = new BodyPieces()
      let isOver = false
      const give = (problem: unknown): void => {
        isOver = true
        pieces.clear()
        request.pause()
        request.off('data', onData)
        request.off('end', onEnd)
        for (const event of FAILURES) request.off(event, onFailure)
        reject(problem)
      }
      const onData = (chunk: unknown): void => {
        // A host that has set an encoding delivers text.
        const piece = chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk))
        if (isOver) return
        pieces.add(piece)
        if (pieces.size > maxBytes) {
          give(tooLarge())
          return
        }
        try {
          hold?.take(piece.length)
        } catch (error) {
          give(error)
        }
      }
      const onEnd = (): void => {
        isOver = true
        if (hold !== null) hold.refuse = null
        resolve(pieces.joined())
      }
      const onFailure = (reason?: unknown): void => {
        if (!isOver) give(reason ?? new Error('The request was cut off.'))
      }
      if (hold !== null) hold.refuse = onFailure
      if (request.aborted === true) {
        onFailure()
        return
      }
      request.on('data', onData)
      request.on('end', onEnd)
      for (const event of FAILURES) request.on(event, onFailure)
    })
  }

  /** For a host that reads the body itself. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield await this.read(Number.POSITIVE_INFINITY, () => new Error())
  }
}
