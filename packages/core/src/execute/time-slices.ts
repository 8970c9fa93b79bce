import { overBudget } from '../errors.ts'
import { type RecordSet, slotsOf } from '../storage/record-set.ts'
import type { Table } from '../storage/table.ts'
import type { BuildSteps } from '../storage/text-prefixes.ts'
import { MemoKeys, type Slots } from './memo-keys.ts'

export type { Slots }

/** How long a read may take. */
export interface ReadingLimits {
  /**
   * A time slice ends with the first piece of work that is finished after this many milliseconds.
   */
  readonly turnMilliseconds: number
  /**
   * The sum over all time slices of a read. The time between them does not count, nor does the time
   * that other processes took of a slice, where the clock has `processor`.
   */
  readonly maxMilliseconds: number
  /**
   * Records that its loops visit, and distinct texts that it compares. A text that is compared with
   * a list of patterns counts once for each pattern. Sorting does not count.
   */
  readonly maxRowVisits: number
}

/** The clock of time slices: milliseconds, and those of the processor where the host tells them. */
interface SliceClock {
  monotonic(): number
  processor?(): number
}

/**
 * Thrown to end a time slice when a piece of work is finished. Code of the application may catch
 * it, which changes nothing.
 */
const END_OF_SLICE = new Error('The time slice has ended: the read continues in the next one.')

/** The progress of one loop of a read. */
interface Work {
  readonly state: unknown
  at: number
  /** Steps of the next block. */
  size: number
  /** Where the block begins in which a time slice ended last; -1 for none. */
  cutAt: number
}

/** Steps of a loop's first block, if a step is short. */
const FIRST_BLOCK_STEPS = 64
/** A shorter block makes the next one longer, and a longer block makes it shorter. */
const MIN_BLOCK_MILLISECONDS = 1
const MAX_BLOCK_MILLISECONDS = 4

/** Entries of the longest step of a generator. */
const MAX_BUILT_ENTRIES = 8192

/** Units of work within a block between two looks at the clock. */
const UNITS_PER_CLOCK = 256

/** Units of work that it takes to search a text. */
export const lengthUnits = (text: string): number => 1 + (text.length >>> 6)

/**
 * The time slices of one sliced read. The event loop is free between them. Each time slice runs the
 * read from its beginning, and finds the results of earlier time slices under their memo keys. So a
 * time slice costs its new work, plus the repeated work that has no memo key. The first time slice
 * memoises nothing, so that a read that ends in it has no extra cost. After a write, `forget` drops
 * all results.
 *
 * A sliced read runs every loop over many records in blocks, and looks at the clock between them.
 */
export class TimeSlices {
  readonly #clock: SliceClock
  readonly #limits: ReadingLimits
  #memoKeys = new MemoKeys()
  /** Results, by memo key; null in the first time slice. */
  #kept: Map<string, Work> | null = null
  #start = 0
  /** The processor time at the start; null in the first time slice, which would pay for a look. */
  #processorStart: number | null = null
  #spent = 0
  #visits = 0
  #units = 0
  #hasEnded = false
  /** True where the time slice ended, or may end, within a step instead of after one. */
  #isInBlock = false

  constructor(clock: SliceClock, limits: ReadingLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Runs one time slice of a read. Returns undefined if the read is not finished. Throws
   * budgetExceeded, and what the body throws.
   */
  run<R>(body: () => R): { readonly value: R } | undefined {
    this.#hasEnded = false
    this.#isInBlock = false
    this.#processorStart = this.#kept === null ? null : (this.#clock.processor?.() ?? null)
    this.#start = this.#now()
    try {
      const value = body()
      return this.#hasEnded ? undefined : { value }
    } catch (error) {
      // Code of the application may have replaced END_OF_SLICE by an error of its own.
      if (!this.#hasEnded) throw error
      return undefined
    } finally {
      this.#spent += this.#busy(this.#now() - this.#start)
      this.#kept ??= new Map()
    }
  }

  /** Drops all results. */
  forget(): void {
    this.#kept?.clear()
    this.#memoKeys = new MemoKeys()
  }

  /**
   * Runs `body` over [0, `count`) in ascending blocks, until it returns false. Returns the state.
   * The end of a time slice discards one block at most. Running that block again must leave the
   * state as one run would. `slots` belong to the memo key, and must not change. `visits` is the
   * number of records that a step visits, `weight` its duration, as a multiple of a short step's.
   */
  loop<S>(
    memoKey: readonly unknown[],
    slots: Slots | null,
    count: number,
    start: () => S,
    body: (state: S, from: number, to: number) => unknown,
    visits = 1,
    weight = 1,
  ): S {
    const work = this.#workOf(
      memoKey,
      slots,
      start,
      Math.max(1, Math.floor(FIRST_BLOCK_STEPS / weight)),
    )
    const state = work.state as S
    let before = this.#now()
    while (work.at < count) {
      const to = Math.min(count, work.at + work.size)
      let isEnough = false
      try {
        isEnough = body(state, work.at, to) === false
        this.goOn()
      } catch (error) {
        if (this.#hasEnded && this.#isInBlock) shorten(work, to)
        throw error
      }
      this.#visits += (to - work.at) * visits
      work.at = isEnough ? count : to
      const after = this.#now()
      fit(work, after - before)
      before = after
      this.#endIfDue(after)
    }
    return state
  }

  /** Returns what `find` returns, and runs it once. */
  once<T>(memoKey: readonly unknown[], find: () => T, slots: Slots | null = null): T {
    const work = this.#workOf<{ found: T | undefined }>(memoKey, slots, () => ({
      found: undefined,
    }))
    const state = work.state as { found: T | undefined }
    if (work.at === 0) {
      state.found = find()
      this.goOn()
      work.at = 1
      this.#endIfDue(this.#now())
    }
    return state.found as T
  }

  /** Returns what a generator returns. It takes each of its steps once, of a suitable size. */
  build<T>(memoKey: readonly unknown[], start: () => BuildSteps<T>): T {
    const begin = () => ({ steps: start(), found: undefined as T | undefined })
    const work = this.#workOf(memoKey, null, begin, FIRST_BLOCK_STEPS)
    const state = work.state as ReturnType<typeof begin>
    let before = this.#now()
    while (work.at === 0) {
      const { done, value } = state.steps.next(work.size)
      if (done === true) {
        state.found = value
        work.at = 1
      }
      const after = this.#now()
      fit(work, after - before)
      // The next step may be one of another loop, whose entries take longer.
      work.size = Math.min(work.size, MAX_BUILT_ENTRIES)
      before = after
      this.#endIfDue(after)
    }
    return state.found as T
  }

  /**
   * Counts work within a block, or before one: `visits` records or texts, in `units` of about 50
   * nanoseconds. It may end the time slice, so the caller keeps its results by `once`.
   */
  spend(visits: number, units: number): void {
    this.#visits += visits
    this.#units += units
    if (this.#units < UNITS_PER_CLOCK) return
    this.#units = 0
    this.goOn()
    this.#isInBlock = true
    this.#endIfDue(this.#now())
    this.#isInBlock = false
  }

  #workOf<S>(memoKey: readonly unknown[], slots: Slots | null, start: () => S, size = 1): Work {
    this.goOn()
    if (this.#kept === null) return { state: start(), at: 0, size, cutAt: -1 }
    const list = slots === null ? '' : this.#memoKeys.nameOf(slots)
    const text = `${this.#memoKeys.textOf(memoKey)}@${list}`
    let work = this.#kept.get(text)
    if (work === undefined) {
      work = { state: start(), at: 0, size, cutAt: -1 }
      this.#kept.set(text, work)
    }
    return work
  }

  #now(): number {
    return this.#clock.monotonic()
  }

  /**
   * What a read has used of the milliseconds since the start of a time slice. Processor time may be
   * more: it is that of all threads.
   */
  #busy(milliseconds: number): number {
    const from = this.#processorStart
    const now = from === null ? undefined : this.#clock.processor?.()
    return from === null || now === undefined ? milliseconds : Math.min(milliseconds, now - from)
  }

  /**
   * Ends the time slice again, if code of the application has caught its end. Call it after such
   * code and before its result is kept.
   */
  goOn(): void {
    if (this.#hasEnded) throw END_OF_SLICE
  }

  /** Called when a piece of work is finished, so that every time slice finishes one. */
  #endIfDue(now: number): void {
    const { turnMilliseconds, maxMilliseconds, maxRowVisits } = this.#limits
    const inSlice = now - this.#start
    if (this.#visits > maxRowVisits)
      throw overBudget('records looked at', maxRowVisits, 'reading.maxRowVisits')
    if (
      this.#spent + inSlice > maxMilliseconds &&
      this.#spent + this.#busy(inSlice) > maxMilliseconds
    )
      throw overBudget('milliseconds of reading', maxMilliseconds, 'reading.maxMilliseconds')
    if (inSlice < turnMilliseconds) return
    this.#hasEnded = true
    throw END_OF_SLICE
  }
}

/** Returns what `find` returns; a sliced read runs it once, see `TimeSlices.once`. */
export function onceOf<T>(
  slices: TimeSlices | null,
  memoKey: readonly unknown[],
  find: () => T,
  slots: Slots | null = null,
): T {
  return slices === null ? find() : slices.once(memoKey, find, slots)
}

/** Chooses the size of the next block by the time that the last one took. */
function fit(work: Work, milliseconds: number): void {
  if (milliseconds < MIN_BLOCK_MILLISECONDS) work.size *= 2
  else if (milliseconds > MAX_BLOCK_MILLISECONDS) work.size = Math.max(1, work.size >> 2)
}

/** Shortens a block in which a second time slice has ended, so that the next one can finish it. */
function shorten(work: Work, end: number): void {
  if (work.cutAt === work.at) work.size = Math.max(1, (end - work.at) >> 2)
  work.cutAt = work.at
}

// A sliced read lists records once: later time slices find its results by the same list.

/** The members of a set in record order. */
export const listedSlots = (slices: TimeSlices | null, set: RecordSet): Int32Array =>
  onceOf(slices, ['slots', set], () => slotsOf(set))

/** The members of a set, or all living records if it is null. */
export const livingSlots = (
  slices: TimeSlices | null,
  table: Table,
  set: RecordSet | null,
): Int32Array =>
  set !== null
    ? listedSlots(slices, set)
    : onceOf(slices, ['living', table], () => table.liveSlots())
