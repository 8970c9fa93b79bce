import type { AnyDataStore } from '@entia/core'
import { type BatchCall, handleOf } from '@entia/core/internal'
import type { Batches } from './batches.ts'
import type { Contents } from './contents.ts'
import type { Following } from './following.ts'
import type { Keys } from './keys.ts'
import { localChanges } from './local-changes.ts'
import type { Outcome } from './outcomes.ts'
import type { Place } from './place.ts'
import type { Choice } from './problems.ts'
import type { WriteGuard } from './write-guard.ts'

interface WritesPort {
  readonly store: AnyDataStore
  readonly contents: Contents
  readonly place: Place
  readonly batches: Batches
  readonly keys: Keys
  readonly guard: WriteGuard
  /** Null in a replica that is not in several tabs. */
  readonly following: Following | null
  /** False in a tab that follows. */
  leads(): boolean
  /** Throws if the replica is closed. */
  refuseClosed(): void
  /** Something that the program can see has changed. */
  changed(): void
}

/** The program's writes: made at once in the tab with the stream, and proposed to it in others. */
export class Writes {
  readonly #port: WritesPort

  constructor(port: WritesPort) {
    this.#port = port
  }

  transact<R>(body: (tx: never) => R, strict: boolean) {
    this.#begin('transact')
    return this.#port.leads() ? this.#transact(body, strict) : this.#proposed(body, strict)
  }

  async #proposed<R>(body: (tx: never) => R, strict: boolean) {
    const { result, number } = await this.#port.following!.transact(body, strict)
    return { result: result as R, number, outcome: this.#outcomeOf(number) }
  }

  #transact<R>(body: (tx: never) => R, strict: boolean) {
    const { store, contents, batches, keys, guard } = this.#port
    let number = 0
    const result = guard.write(() =>
      store.transact((tx) => {
        keys.begin()
        const given = body(tx as never)
        const changes = localChanges(store, contents, keys)
        if (changes.length > 0) number = batches.insert(changes, strict)
        return given as never
      }),
    ) as R
    if (number > 0) this.#waits()
    return { result, number, outcome: this.#outcomeOf(number) }
  }

  /** Keeps a call of a function, and sends it in its place. */
  async call(call: BatchCall) {
    this.#begin('call')
    const { store, batches, guard, following, leads } = this.#port
    const number = leads()
      ? guard.write(() => store.transact(() => batches.insertCall(call)))
      : await following!.call(call)
    if (leads()) this.#waits()
    return { number, outcome: this.#outcomeOf(number) }
  }

  /** Decides what becomes of a problem. */
  async solve(number: number, choice: Choice): Promise<Outcome> {
    const { batches, following, leads } = this.#port
    this.#begin('solve')
    if (leads()) return batches.problems.solve(number, choice)
    await following!.solve(number, choice)
    return this.#outcomeOf(number)
  }

  /** Removes the result of a call. */
  async dismiss(number: number): Promise<void> {
    const { store, batches, guard, following, leads, changed } = this.#port
    this.#begin('dismiss')
    if (!leads()) return following!.dismiss(number)
    guard.write(() => store.transact(() => batches.results.dismiss(number)))
    changed()
  }

  /**
   * Throws if the replica is closed, and notInTransaction within a transaction: a batch is a whole
   * one. A hook or a listener may call it before the batch of its commit is among those that wait.
   */
  #begin(operation: string): void {
    const { store, batches, leads, refuseClosed } = this.#port
    refuseClosed()
    handleOf(store).writer.outside(operation)
    if (leads()) batches.adopt()
  }

  /** A batch that was kept is sent. */
  #waits(): void {
    this.#port.batches.adopt()
    this.#port.changed()
  }

  #outcomeOf(number: number): Promise<Outcome> {
    const { batches, place, leads } = this.#port
    if (number === 0)
      return Promise.resolve({ kind: 'applied', globalStamp: place.at?.globalStamp ?? 0 })
    const outcome = batches.outcomeOf(number)
    if (!leads()) batches.noticed()
    return outcome
  }
}
