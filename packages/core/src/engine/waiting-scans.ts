import type { WaitingScan } from '../selection/selection-port.ts'

/** More than these do not wait: those that nobody holds any more stay until memory is collected, and always to the end of a turn. */
const MOST = 8192
/** Refusals until it is looked whether some of those that wait are gone: a look at 8 for each. */
const PATIENCE = 1024

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
      this.#patience = PATIENCE
      this.#waiting = this.#waiting.filter((waiting) => waiting.scan.deref()?.isWaiting === true)
      if (this.#waiting.length >= MOST) return false
      this.#patience = 0
    }
    this.#waiting.push({ scan: new WeakRef(scan), globalStamp })
    return true
  }

  /**
   * Runs scans of those made before a global stamp that are still held: as many as have to be run now so that all are within some more
   * commits, and no commit takes long. Returns true when none is left. Cost O(1) where there are none.
   */
  settle(before: number, commitsLeft: number): boolean {
    const waiting = this.#waiting
    let left = commitsLeft === 0 ? waiting.length : Math.ceil(waiting.length / commitsLeft)
    let count = 0
    for (; count < waiting.length && waiting[count].globalStamp < before; count++) {
      const scan = waiting[count].scan.deref()
      if (scan?.isWaiting !== true) continue
      if (left-- === 0) break
      scan.settleScan()
    }
    if (count > 0) this.#waiting = waiting.slice(count)
    return this.#waiting.length === 0 || this.#waiting[0].globalStamp >= before
  }
}
