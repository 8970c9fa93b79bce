import { createHash } from 'node:crypto'
import type { EntityRecord, FollowedDelta, KeyValue } from '@entia/engine'

/** The result of a live query as a client has it: keys in order, each with what it shows. */
export class LiveResult {
  readonly #marks: ReadonlyMap<KeyValue, string>

  /** Cost: O(size of the records). Keeps some bytes of each. */
  constructor(records: readonly EntityRecord[]) {
    this.#marks = new Map(records.map((record) => [keyOf(record), markOf(record)]))
  }

  get size(): number {
    return this.#marks.size
  }

  /**
   * What leads from this result to a later one, whose records are given; null if that shows the
   * same. `isPage`: the order counts too. Cost: O(entities).
   */
  deltaTo(
    later: LiveResult,
    records: readonly EntityRecord[],
    globalStamp: number,
    isPage: boolean,
  ): FollowedDelta | null {
    const marks = this.#marks
    const entered = records.filter((record) => !marks.has(keyOf(record)))
    const changed = records.filter((record) => {
      const mark = marks.get(keyOf(record))
      return mark !== undefined && mark !== later.#marks.get(keyOf(record))
    })
    const left = [...marks.keys()].filter((key) => !later.#marks.has(key))
    const order = isPage && !this.#isInOrderOf(later) ? [...later.#marks.keys()] : null
    if (entered.length + changed.length + left.length === 0 && order === null) return null
    return { globalStamp, entered, changed, left, order }
  }

  #isInOrderOf(later: LiveResult): boolean {
    const keys = later.#marks.keys()
    return (
      this.size === later.size && [...this.#marks.keys()].every((key) => key === keys.next().value)
    )
  }
}

/** Only an entity that would have been created has no key. */
const keyOf = ({ key }: EntityRecord): KeyValue => key as KeyValue

/** Differs, as far as SHA-256 does, if an entity shows anything else. */
const markOf = ({ stamp, timestamp, values }: EntityRecord): string =>
  createHash('sha256')
    .update(JSON.stringify([stamp, timestamp, values]))
    .digest('base64')
