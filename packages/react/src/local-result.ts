import { LiveResult, type Sharing } from './live-result.ts'
import { haveSameMembers } from './same-value.ts'
import type { Key, LocalIdentity, LocalLive, LocalSelection } from './selection.ts'

/** The result of a selection of a store in this process. */
export class LocalResult extends LiveResult {
  readonly #selection: LocalSelection
  readonly #identity: LocalIdentity
  readonly #options: { readonly select?: string }
  #live: LocalLive<unknown> | null = null
  /** The commit that the list was read after. */
  #globalStamp = -1

  /** The selection must be a page, because only pages report their order. */
  constructor(
    selection: LocalSelection,
    identity: LocalIdentity,
    sharing: Sharing,
    options: { readonly select?: string },
  ) {
    super(sharing)
    this.#selection = selection
    this.#identity = identity
    this.#options = options
  }

  /**
   * Reads what the selection would have now. Does nothing while a live query keeps it up to date.
   * Cost: that of the query.
   */
  refresh(): void {
    if (this.#live !== null) return
    const live = this.#selection.live(() => {}, this.#options)
    live.stop()
    this.#take(live)
  }

  override async load(): Promise<void> {}

  protected override get isLoading(): boolean {
    return false
  }
  protected override start(): void {
    if (this.#live !== null) return
    this.#live = this.#selection.live(({ entered, changed, left, order }) => {
      const delta = { entered: this.#keyed(entered), changed: this.#keyed(changed), left, order }
      // A changed entity is a new copy, also if only what its relations lead to has changed.
      if (this.rows.apply(delta, () => false)) this.notify()
    }, this.#options)
    // React compares the list after it has subscribed.
    this.#take(this.#live)
  }
  protected override stop(): void {
    this.#live?.stop()
    this.#live = null
  }
  protected override read(): readonly unknown[] {
    return this.rows.list
  }

  #take({ initial, globalStamp }: LocalLive<unknown>): void {
    // The related values that are shown may have changed with any commit since, as in an effect
    // that runs before the subscription.
    const isOther = this.#options.select !== undefined && globalStamp !== this.#globalStamp
    this.#globalStamp = globalStamp
    this.rows.replace(this.#keyed(initial), isOther ? () => false : this.#isSame)
  }
  *#keyed(entities: Iterable<unknown>): Iterable<readonly [Key, unknown]> {
    for (const entity of entities) yield [this.#identity.keyOf(entity as object), entity]
  }
  /** An entity inserted for a removed one may have its key and stamp, but other values. */
  readonly #isSame = (one: unknown, other: unknown): boolean => {
    const { stampOf } = this.#identity
    return (
      stampOf(one as object) === stampOf(other as object) &&
      haveSameMembers(one as object, other as object)
    )
  }
}
