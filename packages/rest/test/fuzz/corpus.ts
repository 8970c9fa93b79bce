import type { Chance } from './chance.ts'
import { mutate } from './mutate.ts'
import type { Parser } from './parsers.ts'

/** Longer inputs are cut: length limits have tests of their own. */
const MAX_LENGTH = 12_000
const MAX_KEPT = 2000

/**
 * Inputs of a parser: generated sentences, mutated sentences, and mutations of inputs that reached
 * new code.
 */
export class Corpus {
  readonly #parser: Parser
  readonly #chance: Chance
  readonly #kept: string[] = []

  constructor(parser: Parser, chance: Chance) {
    this.#parser = parser
    this.#chance = chance
  }

  get size(): number {
    return this.#kept.length
  }

  next(): string {
    const chance = this.#chance
    const sentence = () => this.#parser.sentence(chance)
    if (chance.holds(0.2)) return sentence()
    const seed = this.#kept.length > 0 && chance.holds(0.5) ? chance.oneOf(this.#kept) : sentence()
    return mutate(chance, seed, sentence).slice(0, MAX_LENGTH)
  }

  keep(input: string): void {
    if (this.#kept.length < MAX_KEPT) this.#kept.push(input)
    else this.#kept[this.#chance.below(MAX_KEPT)] = input
  }
}
