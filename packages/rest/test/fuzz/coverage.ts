import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'

/**
 * The code ranges of the packages that have run, from V8's precise coverage. A query takes a few
 * milliseconds, and collecting slows the program down.
 */
export class Coverage {
  readonly #session = new Session()
  readonly #covered = new Set<string>()

  private constructor() {}

  static async start(): Promise<Coverage> {
    const coverage = new Coverage()
    coverage.#session.connect()
    await coverage.#session.post('Profiler.enable')
    await coverage.#session.post('Profiler.startPreciseCoverage', {
      callCount: true,
      detailed: true,
    })
    return coverage
  }

  get ranges(): number {
    return this.#covered.size
  }

  /** The number of ranges that ran for the first time since the last call. */
  async newRanges(): Promise<number> {
    const { result } = (await this.#session.post(
      'Profiler.takePreciseCoverage',
    )) as Profiler.TakePreciseCoverageReturnType
    const before = this.#covered.size
    for (const { url, functions } of result) {
      if (!url.includes('/packages/')) continue
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) this.#covered.add(`${url}:${startOffset}-${endOffset}`)
    }
    return this.#covered.size - before
  }

  async stop(): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }
}
