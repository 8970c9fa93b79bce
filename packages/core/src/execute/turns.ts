import { EntiaError } from '../errors.ts'
import { Questions } from './questions.ts'

/** How long a read may take. */
export interface ReadingLimits {
  /** A turn ends with the first piece of work that is done after so many milliseconds. */
  readonly turnMilliseconds: number
  /** Of all its turns together, what lies between them not counted. */
  readonly maxMilliseconds: number
  /**
   * Records that its loops look at, and distinct texts that are compared, each as often as it is: with a list of patterns, once for each.
   * Putting them into order is not counted.
   */
  readonly maxRowVisits: number
}

/** What ends a turn: thrown where a piece of work is done. It may pass through code of the application, which must not matter. */
const END_OF_TURN = new Error('The turn has ended: the read goes on in the next one.')

/** One loop of a read, as far as it has come. */
interface Work {
  readonly slots: Slots | null
  readonly state: unknown
  at: number
  /** Records of the next block. */
  size: number
  /** The block that a turn ended in the midst of, last; -1 for none. */
  cutAt: number
}

/** Record numbers, or places, in an order. */
export type Slots = Int32Array | readonly number[]

/** The size of a loop's first block where a step is short, and how long blocks are to take, in milliseconds. */
const FIRST = 64
const SHORT = 1
const LONG = 4

/** The clock is looked at after so many units of work within a block. */
const UNITS = 256

/** Units of work that it takes to look through a text. */
export const lengthUnits = (text: string): number => 1 + (text.length >>> 6)

/**
 * A read that is carried out in turns, the event loop being free between them. Each turn runs it from its beginning; what it found
 * in earlier turns is kept by what was asked, and not looked for again: a turn costs what is not kept, and the new work. That holds
 * as long as nothing changes; then `forget`. The first turn keeps nothing, so that what ends in it pays for nothing.
 *
 * While a read is carried out here, every loop over many records is run in blocks, between which the clock is asked.
 */
export class Turns {
  readonly #now: () => number
  readonly #limits: ReadingLimits
  readonly #questions = new Questions()
  /** What is kept, by question; null in the first turn. */
  #kept: Map<string, Work[]> | null = null
  readonly #copies: Slots[] = []
  #start = 0
  #spent = 0
  #visits = 0
  #units = 0
  #hasEnded = false
  /** Whether the turn ended, or may end, within a step rather than behind one. */
  #isInBlock = false

  constructor(now: () => number, limits: ReadingLimits) {
    this.#now = now
    this.#limits = limits
  }

  /** One turn of a read; undefined where it has not come to its end. Throws budgetExceeded, and what the body throws. */
  run<R>(body: () => R): { readonly value: R } | undefined {
    this.#hasEnded = false
    this.#isInBlock = false
    this.#start = this.#now()
    try {
      const value = body()
      return this.#hasEnded ? undefined : { value }
    } catch (error) {
      // Whatever became of it on its way through code of the application.
      if (!this.#hasEnded) throw error
      return undefined
    } finally {
      this.#spent += this.#now() - this.#start
      this.#kept ??= new Map()
    }
  }

  /** Nothing that was found holds any longer. */
  forget(): void {
    this.#kept?.clear()
  }

  /**
   * `body` over [0, `count`) in blocks, ascending; it answers false when it has seen enough. What it throws away with a turn is a block
   * at most: until it returns it changes nothing of the state that running it again would not make as it was. Answers the state.
   * `slots` belong to the question. `visits` are the records that are looked at, one for each step unless told; `weight` says how
   * many times as long as a short one a step may take.
   */
  loop<S>(
    question: readonly unknown[],
    slots: Slots | null,
    count: number,
    start: () => S,
    body: (state: S, from: number, to: number) => unknown,
    visits = 1,
    weight = 1,
  ): S {
    const work = this.#workOf(question, slots, start, Math.max(1, Math.floor(FIRST / weight)))
    const state = work.state as S
    let before = this.#now()
    while (work.at < count) {
      const to = Math.min(count, work.at + work.size)
      let isEnough = false
      try {
        isEnough = body(state, work.at, to) === false
        this.#goOn()
      } catch (error) {
        if (this.#hasEnded && this.#isInBlock) shorten(work, to)
        throw error
      }
      this.#visits += (to - work.at) * visits
      work.at = isEnough ? count : to
      const after = this.#now()
      if (after - before < SHORT) work.size *= 2
      else if (after - before > LONG) work.size = Math.max(1, work.size >> 2)
      before = after
      this.#endIfDue(after)
    }
    return state
  }

  /** What `find` finds, found once. */
  once<T>(question: readonly unknown[], find: () => T, slots: Slots | null = null): T {
    const work = this.#workOf<{ found: T | undefined }>(question, slots, () => ({ found: undefined }))
    const state = work.state as { found: T | undefined }
    if (work.at === 0) {
      state.found = find()
      this.#goOn()
      work.at = 1
      this.#endIfDue(this.#now())
    }
    return state.found as T
  }

  /**
   * Notes work within a block, or before one: so many records or texts were looked at, which took so many units, each some 50
   * nanoseconds. Ends the turn where that is due, so that what was found must be kept, by `once`.
   */
  spend(visits: number, units: number): void {
    this.#visits += visits
    this.#units += units
    if (this.#units < UNITS) return
    this.#units = 0
    this.#goOn()
    this.#isInBlock = true
    this.#endIfDue(this.#now())
    this.#isInBlock = false
  }

  #workOf<S>(question: readonly unknown[], slots: Slots | null, start: () => S, size = 1): Work {
    this.#goOn()
    if (this.#kept === null) return { slots: null, state: start(), at: 0, size, cutAt: -1 }
    const text = this.#questions.textOf(question)
    let works = this.#kept.get(text)
    if (works === undefined) {
      works = []
      this.#kept.set(text, works)
    }
    const known = slots === null ? null : this.#knownCopyOf(slots)
    let work = works.find((work) => work.slots === known)
    if (work === undefined) {
      work = { slots: known, state: start(), at: 0, size, cutAt: -1 }
      works.push(work)
    }
    return work
  }

  /** The one copy of these slots: many questions are about the same ones. */
  #knownCopyOf(slots: Slots): Slots {
    let copy = this.#copies.find((known) => isSame(known, slots))
    if (copy === undefined) {
      copy = slots.slice()
      this.#copies.push(copy)
    }
    return copy
  }

  /** Code of the application may have caught the end of the turn. */
  #goOn(): void {
    if (this.#hasEnded) throw END_OF_TURN
  }

  /** Asked when a piece of work is done, so that every turn does one. */
  #endIfDue(now: number): void {
    const { turnMilliseconds, maxMilliseconds, maxRowVisits } = this.#limits
    const inTurn = now - this.#start
    if (this.#visits > maxRowVisits) throw overBudget('records looked at', maxRowVisits, 'reading.maxRowVisits')
    if (this.#spent + inTurn > maxMilliseconds)
      throw overBudget('milliseconds of reading', maxMilliseconds, 'reading.maxMilliseconds')
    if (inTurn < turnMilliseconds) return
    this.#hasEnded = true
    throw END_OF_TURN
  }
}

/** `body` over [0, `count`) at once, or in blocks where the read is carried out in turns; see `Turns.loop`. */
export function loopOf<S>(
  turns: Turns | null,
  question: () => readonly unknown[],
  slots: Slots | null,
  count: number,
  start: () => S,
  body: (state: S, from: number, to: number) => unknown,
): S {
  if (turns !== null) return turns.loop(question(), slots, count, start, body)
  const state = start()
  if (count > 0) body(state, 0, count)
  return state
}

/** What `find` finds, found once where the read is carried out in turns; see `Turns.once`. */
export function onceOf<T>(
  turns: Turns | null,
  question: () => readonly unknown[],
  slots: Slots | null,
  find: () => T,
): T {
  return turns === null ? find() : turns.once(question(), find, slots)
}

/** A block that turns ended in the midst of more than once must become one that comes to its end within a turn. */
function shorten(work: Work, end: number): void {
  if (work.cutAt === work.at) work.size = Math.max(1, (end - work.at) >> 2)
  work.cutAt = work.at
}

function isSame(a: Slots, b: Slots): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const overBudget = (what: string, limit: number, option: string): EntiaError =>
  new EntiaError('budgetExceeded', { what, limit, option })
