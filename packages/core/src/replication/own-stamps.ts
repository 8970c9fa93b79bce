import type { BatchItem, BatchStamps } from './replica-protocol.ts'

/**
 * The stamps to which batches of one replica have led, in their order: others have not saved in
 * between. A later batch that was made for a state before them is for the state that they left.
 */
export class OwnStamps {
  /** By entity, the stamps that the replica knew, each with that of its last save. */
  readonly #last = new Map<string, Map<number, number>>()

  get isEmpty(): boolean {
    return this.#last.size === 0
  }

  /** Adds an applied batch. Cost: O(items). */
  add(items: readonly BatchItem[], stamps: BatchStamps): void {
    for (const [at, item] of items.entries()) {
      const to = stamps[at] ?? null
      if (to === null) continue
      const from = item.kind === 'insert' ? 0 : item.stamp
      const id = idOf(item)
      const last = this.#last.get(id) ?? new Map<number, number>()
      const before = last.get(from) ?? from
      for (const [known, stamp] of last) if (stamp === before) last.set(known, to)
      this.#last.set(id, last.set(from, to).set(before, to))
    }
  }

  /** Items as they are for the state after the batches; the same list if nothing changes. */
  after(items: readonly BatchItem[]): readonly BatchItem[] {
    let isChanged = false
    const after = items.map((item) => {
      const stamp = item.kind === 'insert' ? undefined : this.#last.get(idOf(item))?.get(item.stamp)
      if (stamp === undefined) return item
      isChanged = true
      return { ...item, stamp }
    })
    return isChanged ? after : items
  }
}

const idOf = ({ dataClass, key }: BatchItem): string => `${dataClass} ${key}`
