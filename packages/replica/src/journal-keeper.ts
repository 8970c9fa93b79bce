import type { Pauses } from './pauses.ts'
import type { Kept } from './replicate.ts'

interface JournalPort {
  /** Null for a replica in memory. */
  readonly journal: Kept | null
  readonly pauses: Pauses
  readonly onError: (error: unknown) => void
  isClosed(): boolean
}

/** Writes what is here to the journal, and begins it again when it has failed. */
export class JournalKeeper {
  readonly #port: JournalPort
  #repairing: Promise<void> | null = null
  #isDue = false
  /** What has failed since the journal was written last: each failure is reported once. */
  readonly #reported = new Set<string>()

  constructor(port: JournalPort) {
    this.#port = port
  }

  /**
   * Other tabs take a commit once the journal has it, which may have failed before. Not at once:
   * first contents are shown before the storage has them.
   */
  keepSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => {
      this.#isDue = false
      void this.kept()
    })
  }

  /** Resolves once the journal has what is here, or the replica is closed. */
  async kept(): Promise<void> {
    const { journal, isClosed } = this.#port
    while (!isClosed())
      try {
        await journal?.flush()
        this.#reported.clear()
        return
      } catch {
        await (this.#repairing ??= this.#repair())
      }
  }

  /** As `kept`. Rejects if the journal has failed and cannot be begun again now. */
  async keep(): Promise<void> {
    const { journal } = this.#port
    try {
      await journal?.flush()
    } catch (error) {
      await journal?.compact().catch(() => {
        throw error
      })
    }
  }

  /** Begins a journal again that has failed. Its storage may be full for long. */
  async #repair(): Promise<void> {
    const { journal, pauses, isClosed } = this.#port
    try {
      await journal?.compact()
      pauses.reset()
    } catch (error) {
      this.#report(error)
      if (!isClosed()) await pauses.wait()
    } finally {
      this.#repairing = null
    }
  }

  #report(error: unknown): void {
    const failure = String(error)
    if (this.#reported.has(failure)) return
    this.#reported.add(failure)
    this.#port.onError(error)
  }
}
