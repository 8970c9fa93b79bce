import { type AnyDataStore, type EntiaError, isEntiaError, type Reading } from '@entia/core'
import { engineError } from '../errors/engine-error.ts'
import { type Awaitable, isPromise } from '../interface/awaitable.ts'
import type { Caller } from '../interface/caller.ts'
import {
  ENTITIES_PER_SLICE,
  fitsOneSlice,
  type NextSlice,
  refuseGone,
} from '../interface/time-slices.ts'
import { asSession, type CallerStore } from './caller-store.ts'

/** Long reads that run concurrently; a write waits for at most these. */
const MAX_RUNNING = 2
const RETRY_AFTER_SECONDS = 1

interface WaitingRead {
  readonly caller: Caller | null
  start(): void
  refuse(error: EntiaError): void
}

/**
 * Orders long reads and the writes that arrive meanwhile. A write waits for running reads only,
 * ahead of waiting ones. Then the next read runs, so neither can starve the other.
 */
class ReadQueue {
  /** Long operations in progress. */
  running = 0
  readonly #maxWaiting: number
  readonly #writes: (() => void)[] = []
  #reads: WaitingRead[] = []
  /** True while a long write runs; no read may start. */
  #isAlone = false

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /**
   * Waits until a long read may start; `end` must follow. Rejects with serverBusy if too many wait.
   */
  async beginRead(caller: Caller | null): Promise<void> {
    if (this.#mayRead) {
      this.running++
      return
    }
    if (this.#reads.length >= this.#maxWaiting) this.#dropGone()
    if (this.#reads.length >= this.#maxWaiting) throw this.#busy()
    let endWatch = (): void => {}
    const waiting = new Promise<void>((start, refuse) => {
      const read = { caller, start, refuse }
      this.#reads.push(read)
      endWatch = caller?.stop?.onStop(() => this.#stop(read)) ?? endWatch
    })
    await waiting.finally(() => endWatch())
  }

  /** Waits until no long operation runs, and blocks all others; `end` must follow. */
  async beginAlone(): Promise<void> {
    const start = (): void => {
      this.running++
      this.#isAlone = true
    }
    if (this.running === 0) start()
    else await this.write(start)
  }

  get #mayRead(): boolean {
    return this.running < MAX_RUNNING && !this.#isAlone && this.#writes.length === 0
  }

  /** Writes as soon as no long operation runs, before any other starts. */
  write<R>(write: () => R): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#writes.push(() => {
        try {
          resolve(write())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  end(): void {
    this.running--
    this.#isAlone = false
    while (this.running === 0 && this.#writes.length > 0) this.#writes.shift()?.()
    while (this.#mayRead && this.#reads.length > 0) {
      this.running++
      this.#reads.shift()?.start()
    }
  }

  #stop(read: WaitingRead): void {
    const at = this.#reads.indexOf(read)
    if (at < 0) return
    this.#reads.splice(at, 1)
    read.refuse(engineError('requestStopped', {}))
  }

  /** Removes reads of disconnected clients from the queue. */
  #dropGone(): void {
    const gone = this.#reads.filter(({ caller }) => caller?.isGone?.() === true)
    this.#reads = this.#reads.filter((each) => !gone.includes(each))
    for (const { refuse } of gone) refuse(this.#busy())
  }

  #busy(): EntiaError {
    return engineError('serverBusy', {
      what: 'more long reads',
      limit: this.#maxWaiting,
      option: 'limits.maxWaitingReads',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}

/** What a read has found, if its answer is not complete yet. */
export class Rendering<R> {
  /** True if it needs more than one time slice. */
  readonly isLong: boolean
  /**
   * Yields with `nextSlice` between time slices and lets its errors pass. Null renders in a single
   * slice.
   */
  readonly render: (nextSlice: NextSlice | null) => Awaitable<R>

  constructor(isLong: boolean, render: Rendering<R>['render']) {
    this.isLong = isLong
    this.render = render
  }
}

/**
 * Attempts to render in time slices while the application keeps writing; the next attempt uses one
 * slice.
 */
const MAX_SLICED_ATTEMPTS = 3
/** Answered by a write that is too heavy to share a time slice with others. */
export const HEAVY = Symbol('heavy')
/** Thrown after a write between two time slices. It never leaves this file. */
const RESTART = Symbol('restart')

/**
 * Coordinates long reads, which take several time slices, with writes. Writes of requests wait
 * until running reads end, so a read reflects one moment. Writes of the application in this process
 * do not wait: they restart the read.
 */
export class LongReads {
  readonly #store: AnyDataStore
  readonly #nextSlice: NextSlice
  /** Number of reads so far that took more than one time slice. */
  longReads = 0
  readonly #queue: ReadQueue

  constructor(
    store: AnyDataStore,
    nextSlice: NextSlice,
    maxWaiting: number = Number.POSITIVE_INFINITY,
  ) {
    this.#store = store
    this.#nextSlice = nextSlice
    this.#queue = new ReadQueue(maxWaiting)
  }

  /**
   * Reads as the caller, as of one moment: synchronously if that fits one time slice. Otherwise
   * writes of other requests wait; a write of the application restarts it. Throws budgetExceeded,
   * serverBusy if too many long reads wait, and the errors of the callbacks.
   */
  read<R>(caller: Caller, find: () => R | Rendering<R>): Awaitable<R> {
    const first = this.#begin(find)
    const isFound = this.#advance(first, caller)
    if (isFound) {
      const found = first.value
      if (!(found instanceof Rendering)) return found
      if (!found.isLong) return found.render(null)
    }
    this.longReads++
    const foundAt = this.#store.globalStamp
    return this.during(async () => {
      let finding = first
      let isDone = isFound
      // A write may have preceded the read in the queue and changed the result.
      if (isDone && this.#store.globalStamp !== foundAt) {
        finding = this.#begin(find)
        isDone = this.#advance(finding, caller)
      }
      for (let attempt = 1; ; attempt++) {
        for (; !isDone; isDone = this.#advance(finding, caller)) await this.nextSlice(caller)
        const found = finding.value
        if (!(found instanceof Rendering)) return found
        const { globalStamp } = this.#store
        const nextSlice = async (): Promise<void> => {
          await this.nextSlice(caller)
          if (this.#store.globalStamp !== globalStamp) throw RESTART
        }
        try {
          return await found.render(attempt > MAX_SLICED_ATTEMPTS ? null : nextSlice)
        } catch (error) {
          if (error !== RESTART) throw error
        }
        finding = this.#begin(find)
        isDone = this.#advance(finding, caller)
      }
    }, caller)
  }

  #begin<S>(find: () => S): Reading<S> {
    return this.#store.reading(find as () => never)
  }

  /** Goes on with a read as the caller. True when it is complete. */
  #advance(reading: Reading<unknown>, { session }: Caller): boolean {
    return asSession(this.#store, session, () => reading.advance())
  }

  /** Yields to the event loop. Throws if the client has disconnected. */
  async nextSlice(caller: Caller): Promise<void> {
    await this.#nextSlice()
    refuseGone(caller)
  }

  /** Runs a long read. Once it has started, writes wait for its end. Throws serverBusy. */
  async during<R>(read: () => Promise<R>, caller: Caller | null = null): Promise<R> {
    await this.#queue.beginRead(caller)
    return this.#toItsEnd(read)
  }

  /**
   * Runs a write of several time slices: it waits for running reads, and all other operations wait
   * for it, except those through `own`.
   */
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

  /**
   * Writes, and reads what is answered before another request writes: synchronously unless a long
   * read is running.
   */
  inTurn<R>(run: (own: LongReads) => Awaitable<R>): Awaitable<R> {
    return this.#queue.running === 0 ? run(this) : this.alone(async (own) => run(own))
  }

  /** Writes as the caller: synchronously unless a long read is running. */
  write<R>({ store, session }: CallerStore, write: () => R): Awaitable<R> {
    const run = write as () => never
    return this.#queue.running === 0
      ? asSession(store, session, run)
      : this.#queue.write(() => asSession(store, session, run))
  }

  /** Takes over a change decided elsewhere: synchronously unless a long read is running. */
  takeOver<R>(body: () => R): Awaitable<R> {
    return this.#queue.running === 0 ? body() : this.#queue.write(body)
  }

  /**
   * Writes the end of what the caller has begun: as the caller, or without a session if that has
   * ended since.
   */
  finish<R>(callerStore: CallerStore, write: () => R): Awaitable<R> {
    return this.takeOver(() => asWriter(callerStore, write))
  }

  /**
   * Selects entities and writes to them without a write of another request in between. The write
   * must go through `own` and start in the task in which `write` is called. Throws what both throw.
   */
  writeSelected<S, R>(
    caller: Caller,
    select: () => S,
    write: (selected: S, own: LongReads) => Awaitable<R>,
  ): Awaitable<R> {
    if (this.#queue.running === 0) {
      const selecting = this.#begin(select)
      if (this.#advance(selecting, caller)) return write(selecting.value, this)
    }
    return this.alone(async (own) => write(await own.read(caller, select), own))
  }

  /**
   * Runs many independent writes, some per time slice, to the last one even if the client
   * disconnects. A write that answers `HEAVY` has done nothing and is repeated in a slice of its
   * own. `refuse` answers for the remaining items if the session ends.
   */
  writeEach<T, R>(
    callerStore: CallerStore,
    items: readonly T[],
    write: (item: T, hasOwnSlice: boolean) => R | typeof HEAVY,
    refuse: (item: T, error: EntiaError) => R,
  ): Awaitable<readonly R[]> {
    if (!fitsOneSlice(items.length)) return this.#writeOn(callerStore, items, write, refuse, [])
    const done = this.write(callerStore, () => writeSome(items, write))
    return !isPromise(done) && done.length === items.length
      ? done
      : this.#writeOn(callerStore, items, write, refuse, done)
  }

  /** Writes the items after those that are done. */
  async #writeOn<T, R>(
    callerStore: CallerStore,
    items: readonly T[],
    write: (item: T, hasOwnSlice: boolean) => R | typeof HEAVY,
    refuse: (item: T, error: EntiaError) => R,
    done: Awaitable<readonly R[]>,
  ): Promise<readonly R[]> {
    const all = [...(await done)]
    while (all.length < items.length) {
      if (all.length > 0) await this.#nextSlice()
      try {
        const next = items.slice(all.length, all.length + ENTITIES_PER_SLICE)
        all.push(...(await this.write(callerStore, () => writeSome(next, write))))
      } catch (error) {
        if (all.length === 0 || !isEntiaError(error, 'loginRequired')) throw error
        all.push(...items.slice(all.length).map((item) => refuse(item, error)))
      }
    }
    return all
  }

  /**
   * Reads the results of many writes, some per time slice, even if the session has ended meanwhile.
   */
  readEach<T, R>(
    callerStore: CallerStore,
    items: readonly T[],
    read: (item: T, at: number) => R,
  ): Awaitable<readonly R[]> {
    if (fitsOneSlice(items.length)) return asWriter(callerStore, () => items.map(read))
    return this.#each(items, (some, from) =>
      asWriter(callerStore, () => some.map((item, at) => read(item, from + at))),
    )
  }

  async #each<T, R>(
    items: readonly T[],
    map: (some: readonly T[], from: number) => Awaitable<readonly R[]>,
  ): Promise<readonly R[]> {
    const all: R[] = []
    for (let from = 0; from < items.length; from += ENTITIES_PER_SLICE) {
      if (from > 0) await this.#nextSlice()
      all.push(...(await map(items.slice(from, from + ENTITIES_PER_SLICE), from)))
    }
    return all
  }
}

/** Writes in order, up to a heavy one, which runs only if it comes first. */
function writeSome<T, R>(
  items: readonly T[],
  write: (item: T, hasOwnSlice: boolean) => R | typeof HEAVY,
): R[] {
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

/** Reads the results of a write, or ends it: without a session if it has ended since. */
function asWriter<R>(callerStore: CallerStore, body: () => R): R {
  const isOpen =
    callerStore.session === null ||
    callerStore.store.sessions.peek(callerStore.session.token) !== undefined
  return asSession(callerStore.store, isOpen ? callerStore.session : null, body as () => never)
}
