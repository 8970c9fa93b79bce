import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'

/**
 * Which ranges of this program have run: what V8 counts exactly. Costs a few milliseconds each time it is asked, and slows down the program
 * while it lasts.
 */
export class Coverage {
  readonly #session = new Session()
  readonly #script: string
  readonly #seen = new Set<string>()

  private constructor(script: string) {
    this.#script = script
  }

  /** Of one script, by its address. */
  static async start(script: string): Promise<Coverage> {
    const coverage = new Coverage(script)
    coverage.#session.connect()
    await coverage.#session.post('Profiler.enable')
    await coverage.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    return coverage
  }

  get ranges(): number {
    return this.#seen.size
  }

  /** How many ranges have run since the last call that had never run before. */
  async newRanges(): Promise<number> {
    const { result } = (await this.#session.post(
      'Profiler.takePreciseCoverage',
    )) as Profiler.TakePreciseCoverageReturnType
    const before = this.#seen.size
    for (const { url, functions } of result) {
      if (url !== this.#script) continue
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) this.#seen.add(`${startOffset}-${endOffset}`)
    }
    return this.#seen.size - before
  }

  async stop(): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }
}
