import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { Rewindable } from '../ports/rewindable.ts'

/** Random numbers that repeat in every run. */
export interface Random extends Rewindable {
  /** An integer, both ends included. */
  integer(from: number, to: number): number
  /** From 0 to 1, excluding 1. */
  fraction(): number
  /** One element of a list that is not empty. */
  pick<T>(from: readonly T[]): T
}

/** Takes an integer seed. */
export function createRandom(seed: number): Random {
  let generator = xoroshiro128plus(seed)
  const integer = (from: number, to: number): number => uniformInt(generator, from, to)
  return {
    integer,
    fraction: () => uniformFloat64(generator),
    pick: (from) => from[integer(0, from.length - 1)]!,
    mark() {
      const then = generator.clone()
      return () => {
        generator = then.clone()
      }
    },
  }
}
