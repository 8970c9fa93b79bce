import type fc from 'fast-check'

/**
 * As in the tests of the engine: `ENTIA_RUNS=20` makes every property twenty times longer. A
 * failure prints its seed and path:
 * `FC_SEED=<seed> FC_PATH=<path> npx vitest run --config vitest.workspace.ts --project rest interleavings -t '<test>'`
 * runs it again alone.
 */
export const patience = { timeout: 600_000 }
export function runs(usual: number): fc.Parameters<unknown> {
  const { ENTIA_RUNS = '1', FC_SEED, FC_PATH } = process.env
  const again =
    FC_SEED === undefined
      ? {}
      : { seed: Number(FC_SEED), ...(FC_PATH === undefined ? {} : { path: FC_PATH }) }
  return { numRuns: Math.max(1, Math.round(usual * Number(ENTIA_RUNS))), ...again }
}

/** Waits until the scheduler lets it go on. */
export type Wait = (what: string) => Promise<void>
export const waitOf =
  (s: fc.Scheduler): Wait =>
  (what) =>
    s.schedule(Promise.resolve(), what)

/** Starts all of these and lets the scheduler decide who goes on, until they are done. */
export async function runAll<T>(
  s: fc.Scheduler,
  clients: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const done = Promise.all(clients.map((client) => client()))
  await s.waitFor(done)
  return done
}
