import { type AnyDataStore, type EntiaError, isEntiaError, type Reading, type Session } from '@entia/core'
import { type Awaitable, andThen } from '../engine/awaitable.ts'
import type { Caller } from '../engine/caller.ts'
import { ENTITIES_PER_TURN, fitsOneSlice, type NextSlice, refuseGone } from '../engine/time-slices.ts'
import type { CallerStore } from './caller-store.ts'
import { ReadQueue } from './read-queue.ts'
import { asSession } from './session.ts'

/** How something that was found is shown. */
export interface Showing<S, R> {
  /** True where that takes more than one turn. */
  isLong(found: S): boolean
  /** `turn` is waited for between turns, and passed on what it throws; null where there is to be one turn only. */
  show(found: S, nextSlice: NextSlice | null): Awaitable<R>
}

/** How often something is shown in turns, while the application writes in every one of them, before it is shown in one. */
const MAX_SLICED_ATTEMPTS = 3
/** A write that is too much to share a time slice with others. */
export const HEAVY = Symbol('heavy')
/** Thrown between turns where something was written meanwhile; it never leaves this file. */
const RESTART = Symbol('begin anew')

/**
 * Reads that take more than one turn of the event loop, and the writes that come meanwhile: these wait until the reads are done, so
 * that a read answers what was there at one moment, and none has to begin anew because of them. What the application writes
 * in this process does not wait: what was found before it is looked for again.
 */
export class LongReads {
  readonly #store: AnyDataStore
  readonly #nextSlice: NextSlice
  /** Reads that took more than one turn, so far. */
  longReads = 0
  readonly #queue: ReadQueue

  constructor(store: AnyDataStore, nextSlice: NextSlice, maxWaiting: number = Number.POSITIVE_INFINITY) {
    this.#store = store
    this.#nextSlice = nextSlice
    this.#queue = new ReadQueue(maxWaiting)
  }

  /** Reads as a caller: at once where one turn is enough, which is nearly always. Throws budgetExceeded, and what the body throws. */
  read<R>(caller: Caller, body: () => R): Awaitable<R> {
    return this.readAndShow(caller, body, { isLong: () => false, show: (found) => found })
  }

  /**
   * Finds something and shows it, all as of one moment: writes of other requests wait, and what the application writes meanwhile makes it begin
   * anew. Throws budgetExceeded, serverBusy where too many long reads wait, and what is thrown inside.
   */
  readAndShow<S, R>(caller: Caller, find: () => S, showing: Showing<S, R>): Awaitable<R> {
    const first = this.#begin(caller, find)
    const isFound = first.advance()
    if (isFound && !showing.isLong(first.value)) return showing.show(first.value, null)
    this.longReads++
    const foundAt = this.#store.globalStamp
    return this.during(async () => {
      let finding = first
      let isDone = isFound
      // It may have waited for a write, which changes what is found.
      if (isDone && this.#store.globalStamp !== foundAt) {
        finding = this.#begin(caller, find)
        isDone = finding.advance()
      }
      for (let attempt = 1; ; attempt++) {
        for (; !isDone; isDone = finding.advance()) await this.nextSlice(caller)
        const { globalStamp } = this.#store
        const nextSlice = async (): Promise<void> => {
          await this.nextSlice(caller)
          if (this.#store.globalStamp !== globalStamp) throw RESTART
        }
        try {
          return await showing.show(finding.value, attempt > MAX_SLICED_ATTEMPTS ? null : nextSlice)
        } catch (error) {
          if (error !== RESTART) throw error
        }
        finding = this.#begin(caller, find)
        isDone = finding.advance()
      }
    }, caller)
  }

  #begin<S>(caller: Caller, find: () => S): Finding<S> {
    return new Finding(this.#store, caller.session, find)
  }

  /** Waits for the next turn. Throws when the caller has gone meanwhile. */
  async nextSlice(caller: Caller): Promise<void> {
    await this.#nextSlice()
    refuseGone(caller)
  }

  /** Something long that reads: writes wait for its end, once it has begun. Throws serverBusy. */
  async during<R>(read: () => Promise<R>, caller: Caller | null = null): Promise<R> {
    await this.#queue.beginRead(caller)
    return this.#toItsEnd(read)
  }

  /** A write of many turns: long reads that have begun are waited for, and what else is written waits for it. `own` does not. */
  async alone<R>(write: (own: LongReads, nextSlice: NextSlice) => Promise<R>): Promise<R> {
    await this.#queue.beginAlone()
    return this.#toItsEnd(() => write(new LongReads(this.#store, this.#nextSlice), this.#nextSlice))
  }

  async #toItsEnd<R>(body: () => Promise<R>): Promise<R> {
    try {
      return await body()
    } finally {
      this.#queue.end()
    }
  }

  /** A write as the caller: at once where no long read is under way. */
  write<R>(callerStore: CallerStore, write: () => R): Awaitable<R> {
    return this.#queue.running === 0 ? as(callerStore, write) : this.#queue.write(() => as(callerStore, write))
  }

  /**
   * Selects, and writes what follows from it: no other request writes in between, so that what is written was selected. The write goes through
   * `own`, and begins in the turn that it is called in. Throws what both throw.
   */
  writeSelected<S, R>(
    caller: Caller,
    select: () => S,
    write: (selected: S, own: LongReads) => Awaitable<R>,
  ): Awaitable<R> {
    if (this.#queue.running === 0) {
      const selecting = this.#begin(caller, select)
      if (selecting.advance()) return write(selecting.value, this)
    }
    return this.alone(async (own) => write(await own.read(caller, select), own))
  }

  /**
   * Many writes, each by itself: some in each time slice, until the last one, whether the caller still waits or not. A write that answers `HEAVY`
   * has done nothing, and is called again in a slice of its own. `refuse` answers for those that are left when the session ends in between.
   */
  writeEach<T, R>(
    callerStore: CallerStore,
    items: readonly T[],
    write: (item: T, hasOwnSlice: boolean) => R | typeof HEAVY,
    refuse: (item: T, error: EntiaError) => R,
  ): Awaitable<readonly R[]> {
    const next = (from: number, count: number): Awaitable<readonly R[]> =>
      this.write(callerStore, () => writeSome(items.slice(from, from + count), write))
    const goOn = async (done: readonly R[]): Promise<readonly R[]> => {
      const all = [...done]
      while (all.length < items.length) {
        if (all.length > 0) await this.#nextSlice()
        try {
          all.push(...(await next(all.length, ENTITIES_PER_TURN)))
        } catch (error) {
          if (all.length === 0 || !isEntiaError(error, 'loginRequired')) throw error
          all.push(...items.slice(all.length).map((item) => refuse(item, error)))
        }
      }
      return all
    }
    if (!fitsOneSlice(items.length)) return goOn([])
    return andThen(next(0, items.length), (done) => (done.length === items.length ? done : goOn(done)))
  }

  /** What there is to be told of many writes: some in each turn. A session that ended meanwhile is told all the same. */
  readEach<T, R>(
    callerStore: CallerStore,
    items: readonly T[],
    read: (item: T, at: number) => R,
  ): Awaitable<readonly R[]> {
    if (fitsOneSlice(items.length)) return asWriter(callerStore, () => items.map(read))
    return this.#each(items, (some, from) => asWriter(callerStore, () => some.map((item, at) => read(item, from + at))))
  }

  async #each<T, R>(
    items: readonly T[],
    map: (some: readonly T[], from: number) => Awaitable<readonly R[]>,
  ): Promise<readonly R[]> {
    const all: R[] = []
    for (let from = 0; from < items.length; from += ENTITIES_PER_TURN) {
      if (from > 0) await this.#nextSlice()
      all.push(...(await map(items.slice(from, from + ENTITIES_PER_TURN), from)))
    }
    return all
  }
}

/**
 * A read in turns as a session. A class: an object literal with an accessor would have a layout of its own each time, which the
 * collector finds long after the request, with all that was found.
 */
class Finding<S> {
  readonly #store: AnyDataStore
  readonly #session: Session | null
  readonly #reading: Reading<S>

  constructor(store: AnyDataStore, session: Session | null, find: () => S) {
    this.#store = store
    this.#session = session
    this.#reading = store.reading(find as () => never)
  }

  /** True at its end. */
  advance(): boolean {
    return asSession(this.#store, this.#session, () => this.#reading.advance())
  }
  get value(): S {
    return this.#reading.value
  }
}

function as<R>({ store, session }: CallerStore, body: () => R): R {
  return asSession(store, session, body as () => never)
}

/** Writes in order, up to a heavy one, which is written only if it is the first. */
function writeSome<T, R>(items: readonly T[], write: (item: T, hasOwnSlice: boolean) => R | typeof HEAVY): R[] {
  const written: R[] = []
  for (const item of items) {
    const one = write(item, false)
    if (one !== HEAVY) {
      written.push(one)
      continue
    }
    if (written.length === 0) written.push(write(item, true) as R)
    break
  }
  return written
}

/** Reads what there is to be told of a write: as nobody, where the session has ended since. */
function asWriter<R>(callerStore: CallerStore, body: () => R): R {
  const isOpen =
    callerStore.session === null || callerStore.store.sessions.peek(callerStore.session.token) !== undefined
  return asSession(callerStore.store, isOpen ? callerStore.session : null, body as () => never)
}
