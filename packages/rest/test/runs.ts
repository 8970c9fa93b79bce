/**
 * As in the tests of core: `ENTIA_RUNS=20` runs each property 20 times as often. A
 * failure prints its seed and path:
 * `FC_SEED=<seed> FC_PATH=<path> npx vitest run --config vitest.workspace.ts <file> -t '<test>'`
 * runs it again alone.
 */
export const patience = { timeout: 600_000 }
export function runs(usual: number): { readonly numRuns: number } {
  const { ENTIA_RUNS = '1', FC_SEED, FC_PATH } = process.env
  const again =
    FC_SEED === undefined
      ? {}
      : { seed: Number(FC_SEED), ...(FC_PATH === undefined ? {} : { path: FC_PATH }) }
  return { numRuns: Math.max(1, Math.round(usual * Number(ENTIA_RUNS))), ...again }
}
