/** How long the tests may take whose properties run often. Long runs end by their counts. */
export const patience = {
  timeout: process.env.ENTIA_HISTORIES === undefined ? 600_000 : 24 * 3_600_000,
}

/**
 * How often a property runs, as in `fc.assert(property, runs(300))`. `npm test` and the gate set
 * `ENTIA_QUICK`, which leaves a fifth, but not less than `fewest`: a test that counts what its
 * inputs met needs all of them. `ENTIA_RUNS=20` runs each property 20 times as often.
 *
 * A failure prints its seed and path. This command repeats it alone:
 * `FC_SEED=<seed> FC_PATH=<path> npx vitest run --config vitest.workspace.ts <file> -t '<test>'`
 */
export function runs(usual: number, fewest = 20): Runs {
  const { ENTIA_QUICK = '', ENTIA_RUNS = '1', FC_SEED, FC_PATH } = process.env
  const wanted = ENTIA_QUICK === '' ? usual : Math.max(Math.min(usual, fewest), usual / 5)
  const replay =
    FC_SEED === undefined
      ? {}
      : { seed: Number(FC_SEED), ...(FC_PATH === undefined ? {} : { path: FC_PATH }) }
  // The search for a shorter counterexample ends in time to print the one that is found.
  const limit = ENTIA_QUICK === '' ? {} : { interruptAfterTimeLimit: 160_000 }
  return {
    numRuns: Math.max(1, Math.round(wanted * Number(ENTIA_RUNS))),
    ...limit,
    markInterruptAsFailure: true,
    ...replay,
  }
}
interface Runs {
  readonly numRuns: number
  readonly interruptAfterTimeLimit?: number
  readonly markInterruptAsFailure: boolean
}
