import { keyOf, stampOf } from '../../src/index.ts'
import type { LiveQuery } from '../../src/model/live-types.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import type { ClubEntity, ClubStore } from './club.ts'
import { Divergence, isSame } from './divergence.ts'
import type { HookGate } from './hook-gate.ts'

type Delta = {
  readonly globalStamp: number
  readonly entered: readonly ClubEntity[]
  readonly changed: readonly ClubEntity[]
  readonly left: readonly unknown[]
  readonly order: readonly unknown[] | null
}
type Asked = ReturnType<ReturnType<ClubStore['dataClass']>['all']> & {
  live(listener: (delta: Delta) => void): LiveQuery & { readonly initial: readonly ClubEntity[] }
}

/** A commit is one array of bytes or several. */
type Bytes = Uint8Array | readonly Uint8Array[]
const joined = (bytes: Bytes): Uint8Array =>
  bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)

/** Queries to follow: by own values, over a relation, of a page, and of extremes. */
const FOLLOWED: readonly ((store: ClubStore) => unknown)[] = [
  (store) => store.dataClass('Player').query('score >= 1 or name = null'),
  (store) => store.dataClass('Player').query('team.name = a or captain.score = null'),
  (store) => store.dataClass('Team').all().orderBy('name desc').page(0, 3),
  (store) => store.dataClass('Oddity').query('then > 0 or key = null'),
]

/**
 * Observes a store as its users do: by commit notices, live queries, and the writes of a journal.
 */
export class Witness {
  readonly #store: ClubStore
  readonly #stamps: number[] = []
  #checked: number
  readonly #followed: readonly Followed[]
  /** A dump, and every later commit in the form of the journal. */
  #dump: Uint8Array
  #commits: Uint8Array[] = []

  constructor(store: ClubStore, gate: HookGate) {
    this.#store = store
    this.#checked = store.globalStamp
    store.on('commit', ({ globalStamp }) => {
      this.#stamps.push(globalStamp)
      gate.enter('listener')
    })
    this.#followed = FOLLOWED.map((ask) => new Followed(() => ask(store) as Asked))
    this.#dump = store.dump()
    persistenceOf(store).reportCommitsTo(
      (_, commit: Bytes) => void this.#commits.push(joined(commit)),
    )
  }

  /**
   * Throws if a commit was not reported, or out of order, or if a live result differs from its
   * query.
   */
  check(): void {
    const before = this.#checked
    for (const stamp of this.#stamps.splice(0)) {
      if (stamp !== this.#checked + 1)
        throw new Divergence(`a listener received commit ${stamp} after ${this.#checked}`)
      this.#checked = stamp
    }
    if (this.#checked !== this.#store.globalStamp)
      throw new Divergence(
        `a listener received ${this.#checked} last, the store is at ${this.#store.globalStamp}`,
      )
    if (this.#checked !== before) for (const followed of this.#followed) followed.check()
  }

  /** Opens the recorded dump and commits in an empty store. Throws if its bytes differ. */
  replayInto(store: ClubStore): ClubStore {
    persistenceOf(store).replace(new CheckedDump(this.#dump), this.#commits)
    const bytes = this.#store.dump()
    if (!isSame(store.dump(), bytes)) throw new Divergence('replaying the journal gives other data')
    this.#dump = bytes
    this.#commits = []
    store.verify()
    return store
  }
}

/** The result of a live query, followed delta by delta. */
class Followed {
  readonly #ask: () => Asked
  readonly #members = new Map<unknown, number>()
  #order: readonly unknown[] = []
  #globalStamp: number
  #isPage = false
  /** The first wrong delta, stored because errors of listeners are not thrown to the caller. */
  #problem: string | null = null

  constructor(ask: () => Asked) {
    this.#ask = ask
    const live = ask().live((delta) => this.#hear(delta))
    this.#globalStamp = live.globalStamp
    for (const entity of live.initial) this.#members.set(keyOf(entity), stampOf(entity))
    this.#order = live.initial.map(keyOf)
  }

  check(): void {
    if (this.#problem !== null) throw new Divergence(this.#problem)
    const found = this.#ask().toArray()
    const isSameNow =
      found.length === this.#members.size &&
      found.every((entity) => this.#members.get(keyOf(entity)) === stampOf(entity)) &&
      (!this.#isPage || JSON.stringify(this.#order) === JSON.stringify(found.map(keyOf)))
    if (isSameNow) return
    const text = JSON.stringify([...this.#members])
    throw new Divergence(
      `a live query: ${text}\nasked now: ${JSON.stringify(found.map((e) => [keyOf(e), stampOf(e)]))}`,
    )
  }

  #hear({ globalStamp, entered, changed, left, order }: Delta): void {
    if (globalStamp <= this.#globalStamp)
      this.#problem ??= `a live query hears of commit ${globalStamp} after ${this.#globalStamp}`
    this.#globalStamp = globalStamp
    for (const key of left) this.#members.delete(key)
    for (const entity of [...entered, ...changed]) this.#members.set(keyOf(entity), stampOf(entity))
    if (order === null) return
    this.#isPage = true
    this.#order = order
  }
}
