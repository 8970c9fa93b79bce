/** A binary heap of record numbers with the lowest on top. O(log n) per change. */
export class SlotHeap {
  readonly #slots: number[] = []

  /** The lowest, or `Infinity` when empty. */
  get lowest(): number {
    return this.#slots.length === 0 ? Number.POSITIVE_INFINITY : this.#slots[0]
  }

  add(slot: number): void {
    const slots = this.#slots
    let at = slots.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (slots[parent] <= slot) break
      slots[at] = slots[parent]
      at = parent
    }
    slots[at] = slot
  }

  removeLowest(): void {
    const slots = this.#slots
    const last = slots.pop()
    if (last === undefined || slots.length === 0) return
    let at = 0
    for (let child = 1; child < slots.length; child = at * 2 + 1) {
      if (child + 1 < slots.length && slots[child + 1] < slots[child]) child++
      if (slots[child] >= last) break
      slots[at] = slots[child]
      at = child
    }
    slots[at] = last
  }
}
