import type { WaitingScan } from '../selection/selection-port.ts'

/** More than these do not wait: those that nobody holds any more stay until memory is collected, and always to the end of a turn. */
const MOST = 8192

interface Waiting {
  readonly scan: WeakRef<WaitingScan>
  readonly globalStamp: number
}

/**
 * Selections whose scan has not been run yet, the oldest first. What they describe is worked out from the history of changes as long
 * as that reaches back to their making; before it is cut so far, they are settled. One that nobody holds any more is forgotten.
 */
export class WaitingScans {
  #waiting: Waiting[] = []
  /** Refusals until it is looked through again. */
  #patience = 0

  /** False where too many wait already: then the scan must be run at once. Cost O(1), amortised. */
  add(scan: WaitingScan, globalStamp: number): boolean {
    if (this.#waiting.length >= MOST) {
      if (this.#patience-- > 0) return false
      this.#patience = MOST
      this.#waiting = this.#waiting.filter((waiting) => waiting.scan.deref()?.isWaiting === true)
      if (this.#waiting.length >= MOST) return false
      this.#patience = 0
    }
    this.#waiting.push({ scan: new WeakRef(scan), globalStamp })
    return true
  }

  /** Runs the scans of those made before a global stamp that are still held. Cost O(1) where there are none. */
  settle(before: number): void {
    const waiting = this.#waiting
    let count = 0
    for (; count < waiting.length && waiting[count].globalStamp < before; count++) {
      waiting[count].scan.deref()?.settleScan()
    }
    if (count > 0) this.#waiting = waiting.slice(count)
  }
}
