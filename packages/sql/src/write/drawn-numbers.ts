import type { ClassModel } from '@entia/core'

/** The numbers that a decision has drawn from sequences. */
export class DrawnNumbers {
  readonly #drawn = new Map<ClassModel, { readonly count: number; readonly highest: number }>()

  /**
   * How many to draw where `known` are needed: twice as many each time that they do not suffice.
   */
  numbersFor(dataClass: ClassModel, known: number): number {
    const drawn = this.#drawn.get(dataClass) ?? { count: 0, highest: 0 }
    const count = Math.max(known, drawn.count)
    this.#drawn.set(dataClass, { ...drawn, count: drawn.count + count })
    return count
  }

  note(dataClass: ClassModel, numbers: readonly number[]): void {
    const drawn = this.#drawn.get(dataClass)!
    this.#drawn.set(dataClass, { ...drawn, highest: Math.max(drawn.highest, ...numbers.slice(-1)) })
  }

  /** The highest number that was drawn of each sequence. */
  highest(): ReadonlyMap<ClassModel, number> {
    return new Map(Array.from(this.#drawn, ([dataClass, { highest }]) => [dataClass, highest]))
  }
}
