import type fc from 'fast-check'

/** Waits until the scheduler continues it. */
export type Wait = (what: string) => Promise<void>
export const waitOf =
  (s: fc.Scheduler): Wait =>
  (what) =>
    s.schedule(Promise.resolve(), what)

/** Starts all of these, and continues them in the order of the scheduler until they end. */
export async function runAll<T>(
  s: fc.Scheduler,
  clients: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const done = Promise.all(clients.map((client) => client()))
  await s.waitFor(done)
  return done
}
