import type { After } from './request-time.ts'

/** From the second look on a statement that still waits has waited that long. */
const LOOK_MILLISECONDS = 1000

/**
 * Calls `look` again and again while something waits for a database for more than a second. A
 * server that hangs, or is cut off from the network, breaks no connection: without a look at the
 * other hosts its statements would end with their limit of time only.
 */
export class HostWatch {
  readonly #look: () => Promise<void>
  readonly #after: After
  readonly #waiting = new Set<{ readonly round: number }>()
  #round = 0
  #isArmed = false
  #stop: () => void = () => {}

  constructor(look: () => Promise<void>, after: After) {
    this.#look = look
    this.#after = after
  }

  async during<R>(work: Promise<R>): Promise<R> {
    const entry = { round: this.#round }
    this.#waiting.add(entry)
    if (!this.#isArmed) this.#arm()
    try {
      return await work
    } finally {
      this.#waiting.delete(entry)
    }
  }

  close(): void {
    this.#stop()
  }

  #arm(): void {
    this.#isArmed = true
    this.#stop = this.#after(LOOK_MILLISECONDS, () => void this.#check())
  }

  async #check(): Promise<void> {
    let isLong = false
    for (const { round } of this.#waiting) isLong ||= round < this.#round
    this.#round++
    if (isLong) await this.#look()
    this.#isArmed = false
    if (this.#waiting.size > 0) this.#arm()
  }
}
