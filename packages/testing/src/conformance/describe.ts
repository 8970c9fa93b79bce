import type { ConformanceCase } from './case.ts'
import { conformanceCases } from './cases/index.ts'
import type { ConformanceHost } from './host.ts'
import { runCase } from './run.ts'

/** What is used of a test runner: vitest, jest and `node:test` all have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}

/**
 * Registers one test per case with a test runner.
 *
 * Takes    `cases`: all of them unless given.
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
