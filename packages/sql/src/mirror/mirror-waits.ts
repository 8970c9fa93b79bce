import type { Awaitable } from '@entia/engine'
import type { After } from '../connect/request-time.ts'
import type { MirrorContents } from './mirror-contents.ts'

/** Milliseconds that a read waits for a commit that its caller knows. */
const MAX_WAIT = 50

/** A read that waits until the mirror has a commit. */
interface Waiting {
  readonly globalStamp: number
  readonly answer: (contents: MirrorContents | null) => void
}

/** The reads that wait for a mirror to follow. */
export class MirrorWaits {
  readonly #after: After
  readonly #waiting = new Set<Waiting>()

  constructor(after: After) {
    this.#after = after
  }

  /** The contents that `settle` passes for the global stamp or a later one; null after 50 ms. */
  wait(globalStamp: number): Awaitable<MirrorContents | null> {
    return new Promise((resolve) => {
      const stop = this.#after(MAX_WAIT, () => waiting.answer(null))
      const waiting: Waiting = {
        globalStamp,
        answer: (found) => {
          stop()
          this.#waiting.delete(waiting)
          resolve(found)
        },
      }
      this.#waiting.add(waiting)
    })
  }

  /** Answers the reads that the contents are new enough for; all of them with null. */
  settle(contents: MirrorContents | null): void {
    for (const waiting of this.#waiting)
      if (contents === null || waiting.globalStamp <= contents.place.globalStamp)
        waiting.answer(contents)
  }
}
