/**
 * Pseudo-random whole numbers below a bound, the same in each run, for sequences too long to write
 * out.
 */
export type Dice = (bound: number) => number

export function dice(seed: number): Dice {
  let state = (seed * 7919 + 1) % 2_147_483_647
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.floor((state / 2_147_483_647) * bound)
  }
}

export const upTo = (length: number): number[] => Array.from({ length }, (_, i) => i)
