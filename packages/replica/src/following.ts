import type { AnyDataStore } from '@entia/core'
import type { Batches } from './batches.ts'
import type { Contents } from './contents.ts'
import { localChanges } from './local-changes.ts'
import type { Place } from './place.ts'
import type { Kept } from './replicate.ts'

interface FollowingPort {
  readonly kept: Kept
  readonly store: AnyDataStore
  readonly contents: Contents
  readonly place: Place
  readonly batches: Batches
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
    const { store, contents, place, batches } = this.#port
    let number = 0
    const result = await this.propose((tx) => {
      contents.recover(() => true)
      contents.held = place.at?.held ?? {}
      const given = body(tx)
      const changes = localChanges(store, contents)
      number = changes.length === 0 ? 0 : batches.insert(changes, strict)
      return given
    })
    return { result, number }
  }

  /** Runs a body in a commit of the tab with the stream. */
  async propose(body: (tx: never) => unknown): Promise<unknown> {
    const { kept } = this.#port
    if (kept.transact === undefined)
      throw new TypeError('The journal of a tab that follows needs transact.')
    // The journal passes the tables to the body, whatever its type says.
    return kept.transact(body as () => never)
  }
}
