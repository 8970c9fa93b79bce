/** Changes of occupant that are kept per slot. */
const MAX_ENTRIES = 128

/** Changes of occupant that are kept of all slots, unless there are more slots than half as many. */
const MAX_TOTAL_ENTRIES = 65_536

interface Timeline {
  /** Values of the allocation clock, ascending, each with the record (by its birth) that stood there from then on. */
  readonly starts: number[]
  readonly births: number[]
  isTrimmed: boolean
}

/**
 * Who stood in a slot when. As long as slots are only given out, the last birth at or before a moment tells; once a rollback or
 * restore has brought a record back to a slot that others used meanwhile, this remembers the changes of occupant of that slot.
 */
export class Occupancy {
  /** By slot; the one that was cut longest ago comes first. */
  readonly #timelines = new Map<number, Timeline>()
  #size = 0

  get isEmpty(): boolean {
    return this.#timelines.size === 0
  }

  /** Changes of occupant that are kept, of all slots. */
  get size(): number {
    return this.#size
  }

  /** A new record in a slot. Only slots with a timeline need to hear of it. */
  noteBirth(slot: number, birth: number): void {
    const timeline = this.#timelines.get(slot)
    if (timeline !== undefined) this.#enter(timeline, birth, birth)
  }

  /** The record born at `birth` comes back at `clock`; the slot's last occupant was born at `occupant`. */
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

  /** True when the record born at `birth`, which is there now, was there at a moment. */
  wasThere(slot: number, birth: number, clock: number): boolean {
    if (birth > clock) return false
    const timeline = this.#timelines.size === 0 ? undefined : this.#timelines.get(slot)
    if (timeline === undefined) return true
    let at = timeline.starts.length - 1
    while (at >= 0 && timeline.starts[at] > clock) at--
    return at < 0 ? !timeline.isTrimmed : timeline.births[at] === birth
  }

  /** Enters a change of occupant at its place in time; a later word on the same moment wins. */
  #enter(timeline: Timeline, start: number, birth: number): void {
    const { starts, births } = timeline
    // What came after it is forgotten, so that it would be taken for the occupant of all that time.
    if (timeline.isTrimmed && start < starts[0]) return
    let at = starts.length
    while (at > 0 && starts[at - 1] > start) at--
    if (at > 0 && starts[at - 1] === start) births[at - 1] = birth
    else {
      starts.splice(at, 0, start)
      births.splice(at, 0, birth)
      this.#size++
    }
    // Neither going back again and again nor giving a slot out again and again may use memory without end.
    if (starts.length > MAX_ENTRIES) this.#cut(timeline, 1)
    this.#cutOldest()
  }

  /** Gives up the oldest changes of a slot. */
  #cut(timeline: Timeline, count: number): void {
    timeline.starts.splice(0, count)
    timeline.births.splice(0, count)
    timeline.isTrimmed = true
    this.#size -= count
  }

  /** Keeps all slots together within their bound: halves the timelines, one after the other. Cost O(1), amortised. */
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
