/** A session without a user. */
interface AnonymousSession {
  readonly id: string
  /** The network address of the caller; '' if unknown. */
  readonly address: string
}

/**
 * The sessions without a user, in the order of their use: all of them, and those of each address.
 * Anonymous callers get one each, so they have limits of their own, and no address can push out the
 * sessions of another.
 */
export class AnonymousSessions {
  readonly #all = new Map<string, AnonymousSession>()
  readonly #byAddress = new Map<string, Set<string>>()

  get size(): number {
    return this.#all.size
  }
  sizeOf(address: string): number {
    return this.#byAddress.get(address)?.size ?? 0
  }

  /** Adds a session, or makes it the most recently used. */
  use(id: string, address: string): void {
    this.drop(id)
    this.#all.set(id, { id, address })
    if (address === '') return
    const ids = this.#byAddress.get(address)
    if (ids === undefined) this.#byAddress.set(address, new Set([id]))
    else ids.add(id)
  }

  drop(id: string): void {
    const session = this.#all.get(id)
    if (session === undefined) return
    this.#all.delete(id)
    const ids = this.#byAddress.get(session.address)
    ids?.delete(id)
    if (ids?.size === 0) this.#byAddress.delete(session.address)
  }

  /** Ids, the least recently used first. */
  ids(): Iterable<string> {
    return this.#all.keys()
  }
  /** The same for one address, which must have sessions. */
  idsOf(address: string): Iterable<string> {
    return this.#byAddress.get(address) as Set<string>
  }
}
