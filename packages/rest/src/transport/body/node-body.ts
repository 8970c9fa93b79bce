import type { BodyHold } from './body-budget.ts'
import { BodyPieces } from './body-pieces.ts'

/** What of a request of node:http is used to read it. */
interface BodyStream {
  readonly aborted?: boolean
  on(event: string, listener: (...args: unknown[]) => void): unknown
  off(event: string, listener: (...args: unknown[]) => void): unknown
  pause(): unknown
}

/** The body of a request of node:http that nobody has read yet. */
export class NodeBody {
  readonly #request: BodyStream

  constructor(request: BodyStream) {
    this.#request = request
  }

  /**
   * Reads it to its end. When it is longer than `maxBytes`, has no room or is cut off, the request is paused, and its connection is kept: its
   * own iterator would end that. Rejects with `tooLarge()`, with what `hold` throws, or with what cut it off.
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
        for (const [event, listener] of listeners) request.off(event, listener)
        reject(problem)
      }
      const onData = (chunk: unknown): void => {
        // A host that set an encoding hands over text.
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
      // Every request is closed, in the end.
      const onFailure = (reason?: unknown): void => {
        if (!isOver) give(reason ?? new Error('The request was cut off.'))
      }
      const listeners = [
        ['data', onData],
        ['end', onEnd],
        ['aborted', onFailure],
        ['error', onFailure],
        ['close', onFailure],
      ] as const
      if (hold !== null) hold.refuse = onFailure
      if (request.aborted === true) onFailure()
      else for (const [event, listener] of listeners) request.on(event, listener)
    })
  }

  /** For a host that reads it in our place. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield await this.read(Number.POSITIVE_INFINITY, () => new Error())
  }
}
