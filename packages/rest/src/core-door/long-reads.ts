import type { AnyDataStore } from '@entia/core'
import type { Awaitable } from '../door/awaitable.ts'
import type { Caller } from '../door/caller.ts'
import { ENTITIES_PER_TURN, isFew, type NextTurn, refuseGone } from '../door/turns.ts'
import type { CallerStore } from './caller-store.ts'
import { asSession } from './session.ts'

/**
 * Reads that take more than one turn of the event loop, and the writes that come meanwhile: these wait until the reads are done, so
 * that a read answers what was there at one moment, and none has to begin anew because of them. What the application writes
 * in this process does not wait: what was found before it is looked for again.
 */
export class LongReads {
  readonly #store: AnyDataStore
  readonly #nextTurn: NextTurn
  #reading = 0
  /** Writes that wait for the reads, and reads that wait for those writes. */
  #waiting: (() => void)[] = []

  constructor(store: AnyDataStore, nextTurn: NextTurn) {
    this.#store = store
    this.#nextTurn = nextTurn
  }

  /** Reads as a caller: at once where one turn is enough, which is nearly always. Throws budgetExceeded, and what the body throws. */
  read<R>(caller: Caller, body: () => R): Awaitable<R> {
    const reading = this.#store.reading(body as () => never)
    const advance = (): boolean => asSession(this.#store, caller.session, () => reading.advance())
    if (advance()) return reading.value
    return this.during(async () => {
      do await this.turn(caller)
      while (!advance())
      return reading.value
    })
  }

  /** Waits for the next turn. Throws when the caller has gone meanwhile. */
  async turn(caller: Caller): Promise<void> {
    await this.#nextTurn()
    refuseGone(caller)
  }

  /** Something long that reads: writes wait for its end. */
  async during<R>(read: () => Promise<R>): Promise<R> {
    if (this.#waiting.length > 0) await this.#wait()
    this.#reading++
    try {
      return await read()
    } finally {
      this.#reading--
      if (this.#reading === 0) for (const go of this.#waiting.splice(0)) go()
    }
  }

  /** A write of many turns: long reads are waited for, and what else is written waits for it. `own` does not. */
  async alone<R>(write: (own: LongReads, turn: NextTurn) => Promise<R>): Promise<R> {
    // Of those that waited together, one before this may be long again.
    while (this.#reading > 0) await this.#wait()
    return this.during(() => write(new LongReads(this.#store, this.#nextTurn), this.#nextTurn))
  }

  /** A write as the caller: at once where no long read is under way. */
  write<R>(seen: CallerStore, write: () => R): Awaitable<R> {
    return this.#reading === 0 ? as(seen, write) : this.#wait().then(() => this.write(seen, write))
  }

  /** Many writes, each by itself: some in each turn, until the last one, whether anybody waits for it or not. */
  writeEach<T, R>(seen: CallerStore, items: readonly T[], write: (item: T) => R): Awaitable<readonly R[]> {
    if (isFew(items.length)) return this.write(seen, () => items.map(write))
    return this.#each(items, (some) => this.write(seen, () => some.map(write)))
  }

  /** What there is to be told of many writes: some in each turn. */
  readEach<T, R>(seen: CallerStore, items: readonly T[], read: (item: T, at: number) => R): Awaitable<readonly R[]> {
    if (isFew(items.length)) return as(seen, () => items.map(read))
    return this.#each(items, (some, from) => as(seen, () => some.map((item, at) => read(item, from + at))))
  }

  async #each<T, R>(
    items: readonly T[],
    map: (some: readonly T[], from: number) => Awaitable<readonly R[]>,
  ): Promise<readonly R[]> {
    const all: R[] = []
    for (let from = 0; from < items.length; from += ENTITIES_PER_TURN) {
      if (from > 0) await this.#nextTurn()
      all.push(...(await map(items.slice(from, from + ENTITIES_PER_TURN), from)))
    }
    return all
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}

function as<R>({ store, session }: CallerStore, body: () => R): R {
  return asSession(store, session, body as () => never)
}
