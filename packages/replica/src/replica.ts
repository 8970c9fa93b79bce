import { RemoteError } from '@entia/client'
import type { AnyDataStore } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { Batches } from './batches.ts'
import { Contents } from './contents.ts'
import type { Coverage } from './coverage.ts'
import { Exchange } from './exchange.ts'
import { Following } from './following.ts'
import { JournalKeeper } from './journal-keeper.ts'
import { Keys } from './keys.ts'
import type { Moment } from './moment.ts'
import type { Position } from './own-classes.ts'
import { OwnData } from './own-data.ts'
import { Pauses } from './pauses.ts'
import { modelOf, Place } from './place.ts'
import { ReplicaError } from './replica-error.ts'
import type { ReplicaParts, ReplicaState, SentShapes } from './replica-parts.ts'
import { ReplicaStatus, removed } from './replica-status.ts'
import type { TabOptions } from './replicate.ts'
import { type Shapes, withShapes } from './shapes.ts'
import { ShapesInUse } from './shapes-in-use.ts'
import { WriteGuard } from './write-guard.ts'
import { Writes } from './writes.ts'

/** The replica without the types of its model. */
export class ReplicaCore {
  readonly store: AnyDataStore
  readonly #parts: ReplicaParts
  readonly #contents: Contents
  readonly batches: Batches
  readonly #keys: Keys
  /** What the program sees of it, and waits for. */
  readonly status: ReplicaStatus
  readonly writes: Writes
  readonly #guard: WriteGuard
  readonly #ownData: OwnData
  readonly #shapes: ShapesInUse
  readonly journal: JournalKeeper
  readonly #place: Place
  /** Null in a tab that follows the one with the stream. */
  #exchange: Exchange | null = null
  readonly #following: Following | null
  readonly #endListening: () => void
  /** What the coverage is for, in a tab that follows; null before the data are here. */
  #seen: string | null = null
  /** Contents of other definitions or of long ago. They are not shown before the server is met. */
  #isOutdated = false
  /** Contents of another user, or in a tab that follows those that are outdated. */
  #isHidden = false
  readonly #pauses: Pauses
  /** This tab has asked the one with the stream to remove the data. */
  #asksToForget = false

  constructor(parts: ReplicaParts) {
    this.#parts = parts
    this.status = new ReplicaStatus(parts.onError)
    this.store = parts.store
    this.#shapes = new ShapesInUse(parts.shapes, {
      coverage: parts.coverage,
      status: this.status,
      // What another tab has asked before must not count again.
      changed: (shapes) => {
        if (this.#following !== null) this.#place.answer(shapes)
      },
      again: () => this.#again(),
      opened: () => this.#exchange?.opened ?? 0,
    })
    this.#contents = new Contents(parts.store, parts.unique)
    const { store, kept, conflict, lease, onError, pauses } = parts
    this.#pauses = new Pauses(pauses.first, pauses.longest)
    this.journal = new JournalKeeper({
      journal: kept,
      pauses: this.#pauses,
      onError,
      isClosed: () => this.status.isClosed,
    })
    const contents = this.#contents
    const guard = new WriteGuard(store)
    const leads = (): boolean => this.#leads
    const place = new Place({ store, leads, write: (body) => guard.write(body) })
    const keys = new Keys({
      store,
      place,
      sizes: lease,
      onError,
      write: (body) => guard.write(body),
      waiting: (dataClass) => this.batches.newKeys(dataClass),
    })
    const batches = new Batches({
      store,
      place,
      contents,
      conflict,
      onError,
      added: () => this.#exchange?.send(),
      changed: () => this.status.changed(),
    })
    this.#guard = guard
    this.#ownData = new OwnData({ ...parts, place, contents, batches })
    this.#place = place
    this.batches = batches
    this.#keys = keys
    const isTab = kept !== null && kept.role !== undefined
    this.#following = isTab
      ? new Following({ kept, store, contents, place, batches, keys, guard, leads })
      : null
    this.writes = new Writes({
      store,
      contents,
      place,
      batches,
      keys,
      guard,
      following: this.#following,
      leads,
      refuseClosed: () => this.status.refuseClosed(),
      changed: () => this.status.changed(),
    })
    this.#endListening = isTab
      ? handleOf(store).writer.listeners.onCommit((commit) => this.#noticed(commit), false)
      : () => {}
    if (kept?.role === 'follower') this.#follow()
    else this.#lead()
  }

  get #leads(): boolean {
    const role = this.#parts.kept?.role
    return role === undefined || role === 'writer'
  }

  /** The role of this tab has changed. */
  becomes(role: Parameters<TabOptions['onRole']>[0]): void {
    if (role === 'closed') {
      // The journal no longer checks commits, and nothing would keep them.
      this.#guard.install()
      this.#end(this.#parts.kept?.error)
    }
    if (role !== 'writer' || this.status.isClosed) return
    try {
      this.#lead(true)
    } catch (error) {
      this.#become('refused', error)
    }
  }

  /** Holds the stream. Throws anotherUser. */
  #lead(hasFollowed = false): void {
    this.#guard.install()
    // What other tabs have asked of the one before counts, but not what they asked long ago.
    const mustForget = hasFollowed && this.#place.mustForget
    if (!mustForget) this.#open()
    if (hasFollowed) this.#answer()
    else this.#place.answer(null)
    if (mustForget) return
    // Other tabs have read what the one before has told.
    this.#become(this.status.state, null)
    this.#exchange = this.#begin()
    if (this.#following !== null) this.batches.adopt()
  }

  /** Follows the tab with the stream. */
  #follow(): void {
    this.#guard.install()
    this.#refresh()
  }

  /** A commit, in a tab. */
  #noticed({ globalStamp }: { readonly globalStamp: number }): void {
    if (this.#leads) this.journal.keepSoon()
    if (this.#guard.isOwn(globalStamp) || this.status.isClosed) return
    if (!this.#leads) {
      this.#refresh()
      return
    }
    this.batches.adopt()
    this.#answer()
  }

  /** Does what another tab has asked for. */
  #answer(): void {
    const { asked } = this.#place
    if (asked === null) return
    if ('forget' in asked) this.#erase(this.#whyRemoved).catch(this.#parts.onError)
    else if (JSON.stringify(asked.shapes) !== JSON.stringify(this.#shapes.wanted))
      // The tab that asked learns of a refusal by the state.
      this.#shapes.ask(asked.shapes).catch(() => {})
  }

  /** Shows what the tab with the stream has. */
  #refresh(): void {
    const { at, told, error, exists } = this.#place
    if (!exists && this.#seen !== null) {
      this.#end(this.#whyRemoved)
      void this.close()
      return
    }
    const state = (told ?? 'offline') as ReplicaState
    const isOther = error instanceof ReplicaError && error.code === 'anotherUser'
    this.#isHidden = at !== null && (isOther || !this.#ownData.mayShow(at, this.#seen === null))
    if (at === null || this.#isHidden) {
      this.status.state = state === 'refused' ? state : 'loading'
      const refusal = isOther ? error : state === 'current' && at && this.#ownData.refusal(at)
      if (refusal) this.status.failed(refusal)
    } else {
      const { instance, globalStamp, fingerprint, ...contents } = at
      const seen = JSON.stringify(contents)
      this.#shapes.show(at, seen === this.#seen)
      this.#seen = seen
      this.#contents.held = at.held
      this.status.state = state
      this.status.loaded()
    }
    this.status.error = error
    this.batches.noticed()
    this.status.changed()
  }

  #begin(): Exchange {
    const { transport, pauses, onError } = this.#parts
    return new Exchange({
      transport,
      pauses,
      contents: this.#contents,
      place: this.#place,
      batches: this.batches,
      keys: this.#keys,
      onError,
      shapes: () => this.#shapes.wanted,
      kept: () => this.journal.kept(),
      continues: () => !this.#isOutdated,
      isOf: (user) => this.#isOf(user),
      connected: () => {
        if (this.status.state !== 'loading') this.#become('behind', null)
      },
      arrived: (moment, shapes, stream) => this.#arrive(moment, shapes, stream),
      leased: () => this.status.changed(),
      lost: (error, isFinal) => this.#lost(error, isFinal),
      refused: (error) => {
        if (this.status.state !== 'refused') this.#become('refused', error)
      },
    })
  }

  /** The moment that is shown. */
  get #position(): Position | null {
    return this.#isOutdated ? null : this.#place.at
  }

  /** Shows what a journal has brought back. Throws anotherUser. */
  #open(): void {
    this.#isHidden = false
    this.#isOutdated = !this.#owned(() => this.#ownData.open())
    const { at } = this.#place
    if (at === null || this.#isOutdated) {
      this.status.state = 'loading'
      return
    }
    // The contents may be those of other shapes.
    this.#shapes.show(at)
    this.#contents.held = at.held
    this.status.state = 'offline'
    this.status.loaded()
  }

  /** Data of another user are not shown. */
  #owned(check: () => boolean): boolean {
    try {
      return check()
    } catch (error) {
      this.#isHidden = true
      throw error
    }
  }

  #isOf(user: string | null): boolean {
    const isOwn = this.#owned(() => this.#ownData.isOf(user))
    if (!isOwn) this.status.state = 'loading'
    return isOwn
  }

  async reshape(shapes: { readonly [name: string]: Shapes[string] | null }): Promise<void> {
    this.status.refuseClosed()
    const before = this.#leads ? this.#shapes.wanted : (this.#place.at?.shapes ?? {})
    const next = withShapes(before, shapes)
    if (this.#leads) return this.#shapes.ask(next)
    // Throws before anything changes.
    this.#parts.coverage(next)
    await this.#following!.ask({ shapes: next })
    const wanted = JSON.stringify(next)
    await this.status.unlessRefused(() => JSON.stringify(this.#place.at?.shapes) === wanted)
  }

  /** Opens the stream again for other shapes, also if those before were refused. */
  #again(): void {
    this.#exchange?.again()
    if (this.status.state === 'refused')
      this.#become(this.#position === null ? 'loading' : 'offline', null)
  }

  /** Opens the connection again, and sends what waits. */
  reconnect(): void {
    this.#exchange?.again()
    this.#exchange?.wake()
  }

  /** Resolves when the state is `current`, leased keys are here and no batch waits. */
  current(): Promise<void> {
    return this.status.until(
      () =>
        this.status.state === 'current' &&
        this.batches.waiting.count === 0 &&
        (!this.#leads || this.#keys.wanted === null),
    )
  }
  /** The first leased key from a position on. Throws keysUsedUp. */
  readonly keyFrom: Keys['from'] = (...asked) => this.#keys.from(...asked)

  async forget({ drop = false }: { readonly drop?: boolean } = {}): Promise<void> {
    if (!drop) this.#ownData.refuseLoss()
    if (!this.#leads) {
      this.#asksToForget = true
      await this.#following!.ask({ forget: true })
      await this.status.until(() => this.status.isClosed)
      // It may have become the tab that does it.
      return this.#ownData.forgotten
    }
    return this.#erase(null)
  }

  /** `why` is null if the program has asked for it. */
  #erase(why: unknown): Promise<void> {
    this.#end(why)
    return this.#ownData.erase()
  }
  get #whyRemoved(): unknown {
    return this.#asksToForget ? null : removed()
  }

  async close(): Promise<void> {
    this.#end()
    await this.#ownData.erased
    await this.#parts.kept?.close()
  }

  readonly mustHold: Coverage['mustHold'] = (...asked) => {
    if (this.#isHidden) this.#parts.coverage({}).mustHold(...asked)
    else if (!this.#parts.partial) this.#shapes.mustHold(...asked)
  }

  /** `why` is null if the program closes the replica. */
  #end(why: unknown = null): void {
    if (this.status.isClosed) return
    this.status.close(why)
    this.#endListening()
    this.#exchange?.close()
    this.#pauses.end()
    if (this.status.state === 'current' && this.#leads) this.#place.meet()
    this.#become('offline', why)
  }

  #lost(error: unknown, isFinal: boolean): void {
    if (!(error instanceof RemoteError) && error !== null) {
      if (!(error instanceof ReplicaError)) this.#exchange?.broken()
      this.#parts.onError(error)
    }
    if (this.#position === null)
      this.status.failed(error ?? new RemoteError(0, 'The server has ended the stream.'))
    if (this.status.state === 'current') this.#place.meet()
    // What has arrived of a moment that is not complete is read again.
    this.#become(isFinal ? 'refused' : this.#position === null ? 'loading' : 'offline', error)
  }

  /** A complete moment of the server: one commit. */
  #arrive(moment: Moment, shapes: SentShapes, stream: number): void {
    const { draft, outcomes, position: reached, isLess } = moment
    const position = { ...reached, shapes, model: modelOf(this.store) }
    this.#isOutdated = false
    this.#isHidden = false
    const isFirst = this.#shapes.arrive(position, stream)
    this.#contents.held = position.held
    this.batches.arrive(draft, outcomes, position)
    if (isLess) this.#ownData.eraseFormer()
    this.status.loaded()
    this.#become('current', null)
    if (!isFirst) return
    this.#keys.askAgain()
    this.#exchange?.wake()
  }

  #become(state: ReplicaState, error: unknown): void {
    this.status.state = state
    this.status.error = error
    if (this.#following !== null && this.#leads && this.#place.exists)
      this.#place.tell(state, error)
    this.status.changed()
  }
}
