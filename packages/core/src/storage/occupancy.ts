/** Bound of recorded changes of occupant per slot. */
const MAX_ENTRIES = 128

/** Bound of recorded changes of occupant in all slots. Every slot keeps at least one. */
const MAX_TOTAL_ENTRIES = 65_536

interface Timeline {
  /**
   * Values of the allocation clock, ascending, each with the birth of the record in the slot from
   * then on.
   */
  readonly starts: number[]
  readonly births: number[]
  isTrimmed: boolean
}

/**
 * Which record was in a slot at a time. Without rollbacks and restores, the last birth at or before
 * that time tells. Once one of them brings a record back to a slot that others used meanwhile, this
 * records the changes of occupant of that slot.
 */
export class Occupancy {
  /** By slot; the one cut longest ago comes first. */
  readonly #timelines = new Map<number, Timeline>()
  #size = 0

  get isEmpty(): boolean {
    return this.#timelines.size === 0
  }

  /** Recorded changes of occupant in all slots. */
  get size(): number {
    return this.#size
  }

  /** A new record in a slot. Concerns only slots with a timeline. */
  noteBirth(slot: number, birth: number): void {
    const timeline = this.#timelines.get(slot)
    if (timeline !== undefined) this.#enter(timeline, birth, birth)
  }

  /**
   * The record born at `birth` comes back at `clock`; the slot's last occupant was born at
   * `occupant`.
   */
  noteReturn(slot: number, birth: number, occupant: number, clock: number): void {
    let timeline = this.#timelines.get(slot)
    if (timeline === undefined) {
      if (occupant === birth) return
      timeline = { starts: [], births: [], isTrimmed: false }
      this.#timelines.set(slot, timeline)
    }
    this.#enter(timeline, birth, birth)
    this.#enter(timeline, occupant, occupant)
    this.#enter(timeline, clock, birth)
  }

  /**
   * True when the record born at `birth`, which is in the slot now, was there at a value of the
   * allocation clock.
   */
  wasThere(slot: number, birth: number, clock: number): boolean {
    if (birth > clock) return false
    const timeline = this.#timelines.size === 0 ? undefined : this.#timelines.get(slot)
    if (timeline === undefined) return true
    let at = timeline.starts.length - 1
    while (at >= 0 && timeline.starts[at] > clock) at--
    return at < 0 ? !timeline.isTrimmed : timeline.births[at] === birth
  }

  /** Adds a change of occupant in the order of time; the latest one for the same time wins. */
  #enter(timeline: Timeline, start: number, birth: number): void {
    const { starts, births } = timeline
    // The changes after it were cut: it would count as the occupant of all that time.
    if (timeline.isTrimmed && start < starts[0]) return
    let at = starts.length
    while (at > 0 && starts[at - 1] > start) at--
    if (at > 0 && starts[at - 1] === start) births[at - 1] = birth
    else {
      starts.splice(at, 0, start)
      births.splice(at, 0, birth)
      this.#size++
    }
    // Neither repeated restores nor repeated use of a slot may use unbounded memory.
    if (starts.length > MAX_ENTRIES) this.#cut(timeline, 1)
    this.#cutOldest()
  }

  /** Drops the oldest changes of a slot. */
  #cut(timeline: Timeline, count: number): void {
    timeline.starts.splice(0, count)
    timeline.births.splice(0, count)
    timeline.isTrimmed = true
    this.#size -= count
  }

  /**
   * Keeps all slots together within their bound by halving one timeline after the other. Amortised
   * O(1).
   */
  #cutOldest(): void {
    while (this.#size > MAX_TOTAL_ENTRIES && this.#size > 2 * this.#timelines.size) {
      const [first] = this.#timelines
      const [slot, timeline] = first
      this.#timelines.delete(slot)
      this.#timelines.set(slot, timeline)
      if (timeline.starts.length > 1) this.#cut(timeline, timeline.starts.length >> 1)
    }
  }
}
