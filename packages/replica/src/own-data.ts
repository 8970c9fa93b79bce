import type { AnyDataStore } from '@entia/core'
import type { Batches } from './batches.ts'
import type { Contents } from './contents.ts'
import type { Position } from './own-classes.ts'
import { modelOf, type Place } from './place.ts'
import { heldByOther, ReplicaError } from './replica-error.ts'
import type { Kept } from './replicate.ts'

interface OwnDataPort {
  readonly store: AnyDataStore
  readonly kept: Kept | null
  readonly place: Place
  readonly contents: Contents
  readonly batches: Batches
  /** Whose data these are, if the program knows it. */
  readonly user: string | null | undefined
  /** After so many days without the server, contents are not shown. */
  readonly expires: number | null
  /** Removes changes that wait if they are in the way. */
  readonly drop: boolean
  readonly onError: (error: unknown) => void
}

/** Whose the data are that a journal has brought back, and whether they are shown. */
export class OwnData {
  readonly #port: OwnDataPort
  /** Settles when a journal has nothing of the data that were removed. */
  erased: Promise<void> = Promise.resolve()
  /** Settles when a forget in this tab is done. */
  forgotten: Promise<void> = Promise.resolve()

  constructor(port: OwnDataPort) {
    this.#port = port
  }

  /**
   * Reads what a journal has brought back. False for contents of other definitions or of long ago,
   * which are not shown before the server is met. Throws anotherUser.
   */
  open(): boolean {
    const { drop, store, place, contents, batches } = this.#port
    const { at } = place
    if (place.mustForget) {
      // The tab that was to remove the data has ended before.
      this.#startOver(true)
      return true
    }
    if (at === null) return true
    const model = modelOf(store)
    const isSame = (name: string): boolean => model[name] === at.model[name]
    if (!this.#isOfModel(at)) batches.adapt()
    contents.recover(isSame)
    contents.held = at.held
    if (this.#isOther(at) || (this.#isExpired && (drop || batches.unsettled.count === 0))) {
      this.#startOver(drop)
      return true
    }
    return !this.#isExpired && this.#isOfModel(at)
  }

  /** Whether a tab that follows may show what it finds, at its start or later. */
  mayShow(at: Position, isStart: boolean): boolean {
    return !this.#isOther(at) && !(isStart && (this.#isExpired || !this.#isOfModel(at)))
  }

  #isOther(at: Position): boolean {
    const { user } = this.#port
    return user !== undefined && at.user !== user
  }
  get #isExpired(): boolean {
    const { expires, place } = this.#port
    return expires !== null && place.isOlderThan(expires)
  }
  /** Why a tab cannot follow the one whose contents these are; null if it can. */
  refusal(at: Position): ReplicaError | null {
    return this.#isOfModel(at) ? null : heldByOther()
  }
  #isOfModel(at: Position): boolean {
    const model = modelOf(this.#port.store)
    return Object.keys({ ...model, ...at.model }).every((name) => model[name] === at.model[name])
  }

  /** Whether the contents are those of a user; otherwise they are removed. Throws anotherUser. */
  isOf(user: string | null): boolean {
    const { at } = this.#port.place
    if (at === null || at.user === user) return true
    this.#startOver(false)
    return false
  }

  /** Throws batchesWait if transactions would be lost. */
  refuseLoss(): void {
    const { count } = this.#port.batches.unsettled
    if (count > 0)
      throw new ReplicaError(
        'batchesWait',
        `${count} transactions have not been applied by the server and would be lost. Wait for current(), solve the problems, or pass { drop: true }.`,
      )
  }

  /** Removes everything, and the place, and closes the journal. */
  erase(): Promise<void> {
    this.forgotten = this.#eraseAll()
    return this.forgotten
  }

  async #eraseAll(): Promise<void> {
    const { kept, contents, place } = this.#port
    contents.clear()
    // At once: another tab could keep a transaction in between, which nothing would remove.
    place.remove()
    await this.erased
    await kept?.compact()
    // A journal keeps the generation before: the second, after another commit, has no data either.
    place.startOver()
    place.remove()
    await kept?.compact()
    await kept?.close()
  }

  /** Removes what is here. Throws anotherUser if changes would be lost. */
  #startOver(drop: boolean): void {
    const { contents, place, batches } = this.#port
    const { count } = batches.unsettled
    if (count > 0 && !drop)
      throw new ReplicaError(
        'anotherUser',
        `This replica is that of another user, who has made ${count} transactions that the server has not applied. Log in as that user, or remove them with the option drop or with forget({ drop: true }).`,
      )
    contents.clear()
    place.startOver()
    contents.held = {}
    this.eraseFormer()
  }

  /** Removes from the journal what is no longer here. Cost: two dumps, in the background. */
  eraseFormer(): void {
    const { onError } = this.#port
    this.erased = this.erased.then(() => this.#eraseHistory()).catch(onError)
  }

  async #eraseHistory(): Promise<void> {
    const { kept, place } = this.#port
    await kept?.compact()
    place.meet()
    await kept?.compact()
  }
}
