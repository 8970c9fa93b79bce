import type { ConformanceCase } from './case.ts'
import { conformanceCases } from './cases/index.ts'
import type { ConformanceHost } from './host.ts'
import { runCase } from './run.ts'

/** The parts of a test runner in use: vitest, jest and `node:test` have them. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}

/**
 * Registers one test per case with a test runner. `cases` defaults to all cases.
 *
 * @example
 * ```ts
 * import { hostAt } from '@entia/testing/conformance'
 * import { describe, test } from 'vitest'
 * const host = { open: async () => hostAt('http://localhost:8080') }
 * describeConformance('my server', host, { describe, test })
 * ```
 */
export function describeConformance(
  name: string,
  host: ConformanceHost,
  { describe, test }: TestRunner,
  { cases = conformanceCases }: { readonly cases?: readonly ConformanceCase[] } = {},
): void {
  describe(name, () => {
    for (const each of cases)
      test(`${each.id} ${each.title}`, async () => {
        const { problem } = await runCase(host, each)
        if (problem !== null) throw new Error(problem)
      })
  })
}
