import type { AnyDataStore } from '@entia/core'
import type { BatchCall } from '@entia/core/internal'
import type { Batches } from './batches.ts'
import type { Contents } from './contents.ts'
import type { Keys } from './keys.ts'
import { localChanges } from './local-changes.ts'
import type { Asked } from './own-classes.ts'
import type { Place } from './place.ts'
import type { Choice } from './problems.ts'
import { removed } from './replica-status.ts'
import type { Kept } from './replicate.ts'
import type { WriteGuard } from './write-guard.ts'

interface FollowingPort {
  readonly kept: Kept
  readonly store: AnyDataStore
  readonly contents: Contents
  readonly place: Place
  readonly batches: Batches
  readonly keys: Keys
  readonly guard: WriteGuard
  /** False in a tab that follows. */
  leads(): boolean
}

/**
 * What a tab does that follows the one with the stream: it proposes commits to it. They may run
 * more than once here, until no other commit comes first.
 */
export class Following {
  readonly #port: FollowingPort

  constructor(port: FollowingPort) {
    this.#port = port
  }

  /** Keeps a transaction. Resolves to its result and its number, 0 if it has changed nothing. */
  async transact(
    body: (tx: never) => unknown,
    strict: boolean,
  ): Promise<{ readonly result: unknown; readonly number: number }> {
    const { store, contents, place, batches, keys } = this.#port
    let number = 0
    const result = await this.#propose((tx) => {
      contents.recover(() => true)
      contents.held = place.at?.held ?? {}
      keys.begin()
      const given = body(tx)
      const changes = localChanges(store, contents, keys)
      number = changes.length === 0 ? 0 : batches.insert(changes, strict)
      return given
    })
    return { result, number }
  }

  /** Keeps a call. Resolves to its number. */
  async call(call: BatchCall): Promise<number> {
    let number = 0
    await this.#propose(() => {
      number = this.#port.batches.insertCall(call)
    })
    return number
  }

  /** Leaves it to the tab with the stream to solve a problem. Rejects for a wrong choice. */
  async solve(number: number, choice: Choice): Promise<void> {
    const { batches } = this.#port
    const choices = batches.problems.choicesOf(number, choice)
    await this.#propose(() => batches.problems.askToSolve(number, choices))
  }

  /** Removes the result of a call. Rejects for an unknown number. */
  async dismiss(number: number): Promise<void> {
    await this.#propose(() => this.#port.batches.results.dismiss(number))
  }

  /** Asks the tab with the stream. */
  async ask(asked: Asked): Promise<void> {
    await this.#propose(() => this.#port.place.ask(asked))
  }

  /** Runs a body in a commit of the tab with the stream, which this one may become meanwhile. */
  async #propose(body: (tx: never) => unknown): Promise<unknown> {
    const { kept, guard, batches, place, leads } = this.#port
    if (kept.transact === undefined)
      throw new TypeError('The journal of a tab that follows needs transact.')
    const guarded = (tx: never): unknown => {
      // Another tab has removed the data.
      if (!place.exists) throw removed()
      return guard.begin(() => body(tx))
    }
    // The journal passes the tables to the body, whatever its type says.
    const result = await kept.transact(guarded as () => never)
    if (leads()) batches.adopt()
    return result
  }
}
