import type { StoredValue } from '../value/types.ts'
import { type AttributeIndex, numberKey, numberKeyOf } from './attribute-index.ts'
import type { NumberIndex } from './block-index.ts'
import { type BlockMoves, NumberEntries } from './block-moves.ts'

/**
 * The order of one number index through a commit of many changes: what leaves and what enters is collected before the first write, and
 * moved in one pass over the blocks after the last. Between `begin` and `carryOut` the order is that of before.
 */
export class DeferredOrder {
  readonly #index: AttributeIndex
  readonly #ordered: NumberIndex
  readonly #leaving = new NumberEntries()
  readonly #entering = new NumberEntries()
  #moves: BlockMoves | null = null

  constructor(index: AttributeIndex, ordered: NumberIndex) {
    this.#index = index
    this.#ordered = ordered
  }

  /** A record whose column still holds its old value loses it, or is removed. */
  leave(slot: number): void {
    this.#leaving.add(numberKey(this.#index.column, slot), slot)
  }

  /** A record is to hold a value. */
  enter(slot: number, value: StoredValue): void {
    this.#entering.add(numberKeyOf(value), slot)
  }

  /** Everything that can fail. Cost: a sort. */
  prepare(): void {
    this.#moves = this.#ordered.prepareMoves(this.#leaving, this.#entering)
  }

  begin(): void {
    this.#index.isOrderDeferred = true
  }

  carryOut(): void {
    this.#index.isOrderDeferred = false
    this.#ordered.move(this.#moves as BlockMoves)
  }

  giveUp(): void {
    this.#index.isOrderDeferred = false
  }
}
