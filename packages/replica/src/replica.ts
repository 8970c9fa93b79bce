import { RemoteError } from '@entia/client'
import type { AnyDataStore, AnySelection } from '@entia/core'
import { type BatchCall, handleOf } from '@entia/core/internal'
import { Batches } from './batches.ts'
import { Contents } from './contents.ts'
import type { Coverage } from './coverage.ts'
import { Exchange } from './exchange.ts'
import { Following } from './following.ts'
import { Keys } from './keys.ts'
import { type LocalChange, localChanges } from './local-changes.ts'
import type { Moment } from './moment.ts'
import type { Outcome, Problem } from './outcomes.ts'
import type { Position } from './own-classes.ts'
import { OwnData } from './own-data.ts'
import { modelOf, Place } from './place.ts'
import type { Choice } from './problems.ts'
import { ReplicaError } from './replica-error.ts'
import type { ReplicaParts, ReplicaState, SentShapes } from './replica-parts.ts'
import type { TabOptions } from './replicate.ts'
import { type SentShape, type Shapes, sentShapes } from './shapes.ts'
import { Subscribers } from './subscribers.ts'
import { WriteGuard } from './write-guard.ts'

/** The replica without the types of its model. */
export class ReplicaCore {
  readonly store: AnyDataStore
  readonly #parts: ReplicaParts
  readonly #contents: Contents
  readonly #batches: Batches
  readonly #keys: Keys
  readonly #subscribers = new Subscribers()
  readonly #guard: WriteGuard
  readonly #ownData: OwnData
  /** Resolves when the first contents are here. */
  readonly ready: Promise<void>
  /** Of the contents. */
  #coverage: Coverage
  /** Of the contents that are asked for. */
  #wanted: { readonly shapes: SentShapes; readonly coverage: Coverage }
  /** The number of the last stream that has brought a moment. */
  #arrived = 0
  readonly #place: Place
  /** Null in a tab that follows the one with the stream. */
  #exchange: Exchange | null = null
  readonly #following: Following | null
  readonly #endListening: () => void
  /** What the coverage is for, in a tab that follows. */
  #seen = ''
  /** Contents of other definitions or of long ago. They are not shown before the server is met. */
  #isOutdated = false
  #state: ReplicaState = 'loading'
  #error: unknown = null
  #isClosed = false
  #settleReady: { resolve(): void; reject(error: unknown): void } = {
    resolve: () => {},
    reject: () => {},
  }

  constructor(parts: ReplicaParts) {
    this.#parts = parts
    this.store = parts.store
    this.#wanted = { shapes: parts.shapes, coverage: parts.coverage(parts.shapes) }
    this.#coverage = this.#wanted.coverage
    this.#contents = new Contents(parts.store)
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject }
    })
    // An unhandled rejection would end the program of a caller who only waits for `current`.
    this.ready.catch(() => {})
    const { store, kept, conflict, lease, onError } = parts
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
      waiting: (dataClass) => this.#batches.newKeys(dataClass),
    })
    const batches = new Batches({
      store,
      place,
      contents,
      conflict,
      onError,
      added: () => this.#exchange?.send(),
      changed: () => this.#subscribers.call(),
    })
    this.#guard = guard
    this.#ownData = new OwnData({ ...parts, place, contents, batches })
    this.#place = place
    this.#batches = batches
    this.#keys = keys
    const isTab = kept !== null && kept.role !== undefined
    this.#following = isTab
      ? new Following({ kept, store, contents, place, batches, keys, guard, leads })
      : null
    this.#endListening = isTab
      ? handleOf(store).writer.listeners.onCommit(() => this.#noticed(), false)
      : () => {}
    if (kept?.role === 'follower') this.#follow()
    else this.#lead()
  }

  get #leads(): boolean {
    return this.#parts.kept?.role !== 'follower'
  }

  /** The role of this tab has changed. */
  becomes(role: Parameters<TabOptions['onRole']>[0]): void {
    if (role === 'closed') this.#end()
    if (role !== 'writer' || this.#isClosed) return
    try {
      this.#lead()
    } catch (error) {
      this.#become('refused', error)
    }
  }

  /** Holds the stream. Throws anotherUser. */
  #lead(): void {
    this.#open()
    this.#guard.install()
    this.#exchange = this.#begin()
    if (this.#following !== null) this.#batches.adopt()
  }

  /** Follows the tab with the stream. */
  #follow(): void {
    this.#guard.install()
    this.#refresh()
  }

  /** A commit, in a tab. */
  #noticed(): void {
    if (this.#guard.isOpen || this.#isClosed) return
    if (!this.#leads) {
      this.#refresh()
      return
    }
    this.#batches.adopt()
    const { asked } = this.#place
    if (asked === null) return
    if ('forget' in asked) this.forget({ drop: true }).catch(this.#parts.onError)
    else if (JSON.stringify(asked.shapes) !== JSON.stringify(this.#wanted.shapes))
      // The tab that asked learns of a refusal by the state.
      this.#ask(asked.shapes).catch(() => {})
  }

  /** Shows what the tab with the stream has. */
  #refresh(): void {
    const { at, told, exists } = this.#place
    if (!exists && this.#seen !== '') {
      // Another tab has removed the data.
      void this.close()
      return
    }
    if (at === null) this.#state = 'loading'
    else {
      const { instance, globalStamp, fingerprint, ...contents } = at
      const seen = JSON.stringify(contents)
      if (seen !== this.#seen) this.#coverage = this.#parts.coverage(at.shapes)
      this.#seen = seen
      this.#hold(at)
      this.#state = (told.state ?? 'offline') as ReplicaState
      this.#settleReady.resolve()
    }
    this.#error = told.problem === null ? null : new Error(told.problem)
    this.#batches.noticed()
    this.#subscribers.call()
  }

  #begin(): Exchange {
    const { transport, pauses, onError, coverage } = this.#parts
    return new Exchange({
      transport,
      pauses,
      contents: this.#contents,
      place: this.#place,
      batches: this.#batches,
      keys: this.#keys,
      onError,
      shapes: () => this.#wanted.shapes,
      kept: async () => this.#parts.kept?.flush().catch(onError),
      continues: () => !this.#isOutdated,
      isOf: (user) => this.#isOf(user),
      connected: () => {
        if (this.#state !== 'loading') this.#become('behind', null)
      },
      arrived: (moment, shapes, stream) => {
        const isFirst = stream !== this.#arrived
        if (isFirst)
          this.#coverage = shapes === this.#wanted.shapes ? this.#wanted.coverage : coverage(shapes)
        this.#arrived = stream
        this.#arrive(moment, shapes)
        if (isFirst) {
          this.#keys.askAgain()
          this.#exchange?.wake()
        }
      },
      leased: () => this.#subscribers.call(),
      lost: (error, isFinal) => this.#lost(error, isFinal),
      refused: (error) => {
        if (this.#state !== 'refused') this.#become('refused', error)
      },
    })
  }

  /** The moment that is shown. */
  get #position(): Position | null {
    return this.#isOutdated ? null : this.#place.at
  }

  /** Shows what a journal has brought back. Throws anotherUser. */
  #open(): void {
    this.#isOutdated = !this.#owned(() => this.#ownData.open())
    const { at } = this.#place
    if (at === null || this.#isOutdated) return
    // The contents may be those of other shapes.
    this.#coverage = this.#parts.coverage(at.shapes)
    this.#hold(at)
    this.#state = 'offline'
    this.#settleReady.resolve()
  }

  /** Data of another user are not shown. */
  #owned(check: () => boolean): boolean {
    try {
      return check()
    } catch (error) {
      this.#coverage = this.#parts.coverage({})
      throw error
    }
  }

  #isOf(user: string | null): boolean {
    const isOwn = this.#owned(() => this.#ownData.isOf(user))
    if (!isOwn) this.#state = 'loading'
    return isOwn
  }

  get state(): ReplicaState {
    return this.#state
  }
  /** Why the replica is `offline` or `refused`; null in other states. */
  get error(): unknown {
    return this.#error
  }
  get waiting(): AnySelection {
    return this.#batches.waiting
  }
  get problems(): AnySelection {
    return this.#batches.problems.all
  }
  get results(): AnySelection {
    return this.#batches.results.all
  }
  problem(number: number): Problem | undefined {
    return this.#batches.problems.get(number)
  }

  subscribe(listener: () => void): () => void {
    return this.#subscribers.add(listener)
  }

  transact<R>(body: (tx: never) => R, strict: boolean) {
    if (this.#leads) return this.#transact(body, strict)
    return this.#proposed(body, strict)
  }

  async #proposed<R>(body: (tx: never) => R, strict: boolean) {
    const { result, number } = await this.#following!.transact(body, strict)
    return { result: result as R, number, outcome: this.#outcomeOf(number) }
  }

  #outcomeOf(number: number): Promise<Outcome> {
    if (number === 0)
      return Promise.resolve({ kind: 'applied', globalStamp: this.#place.at?.globalStamp ?? 0 })
    const outcome = this.#batches.outcomeOf(number)
    if (!this.#leads) this.#batches.noticed()
    return outcome
  }

  #transact<R>(body: (tx: never) => R, strict: boolean) {
    let number = 0
    let changes: readonly LocalChange[] = []
    const result = this.#guard.write(() =>
      this.store.transact((tx) => {
        this.#keys.begin()
        const given = body(tx as never)
        changes = localChanges(this.store, this.#contents, this.#keys)
        if (changes.length > 0) number = this.#batches.insert(changes, strict)
        return given as never
      }),
    ) as R
    for (const { id, before } of changes)
      if (!this.#contents.hasBase(id)) this.#contents.keepBase(id, before)
    if (number > 0) {
      const items = changes.map(({ item }) => item)
      this.#contents.wait(number, items)
      this.#exchange?.send()
      this.#subscribers.call()
    }
    return { result, number, outcome: this.#outcomeOf(number) }
  }

  /** Keeps a call of a function, and sends it in its place. */
  async call(call: BatchCall) {
    const number = this.#leads
      ? this.#guard.write(() => this.store.transact(() => this.#batches.insertCall(call)))
      : await this.#following!.call(call)
    if (this.#leads) {
      this.#contents.wait(number, [])
      this.#exchange?.send()
      this.#subscribers.call()
    }
    return { number, outcome: this.#outcomeOf(number) }
  }

  /** Decides what becomes of a problem. */
  async solve(number: number, choice: Choice): Promise<Outcome> {
    if (this.#leads) return this.#batches.problems.solve(number, choice)
    await this.#following!.solve(number, choice)
    return this.#outcomeOf(number)
  }

  /** Removes the result of a call. */
  async dismiss(number: number): Promise<void> {
    if (!this.#leads) return this.#following!.dismiss(number)
    const { results } = this.#batches
    this.#guard.write(() => this.store.transact(() => results.dismiss(number)))
    this.#subscribers.call()
  }

  async reshape(shapes: { readonly [name: string]: Shapes[string] | null }): Promise<void> {
    const before = this.#leads ? this.#wanted.shapes : (this.#place.at?.shapes ?? {})
    const next: { [name: string]: SentShape } = { ...before }
    for (const [name, shape] of Object.entries(shapes))
      if (shape === null) delete next[name]
      else Object.assign(next, sentShapes({ [name]: shape }))
    if (this.#leads) return this.#ask(next)
    // Throws before anything changes.
    this.#parts.coverage(next)
    await this.#following!.ask({ shapes: next })
    const wanted = JSON.stringify(next)
    await this.#unlessRefused(() => JSON.stringify(this.#place.at?.shapes) === wanted)
  }

  /** Asks the server for other shapes. If it refuses, the former ones are asked for again later. */
  async #ask(shapes: SentShapes): Promise<void> {
    const former = this.#wanted
    // Throws before anything changes.
    const wanted = { shapes, coverage: this.#parts.coverage(shapes) }
    const before = this.#exchange?.opened ?? 0
    this.#want(wanted)
    this.#exchange?.again()
    if (this.#state === 'refused')
      this.#become(this.#position === null ? 'loading' : 'offline', null)
    try {
      await this.#unlessRefused(() => this.#arrived > before)
    } catch (error) {
      if (this.#wanted === wanted && !this.#isClosed) this.#want(former)
      throw error
    }
  }

  #want(wanted: { readonly shapes: SentShapes; readonly coverage: Coverage }): void {
    this.#wanted = wanted
    // What another tab has asked before must not count again.
    this.#place.answer(wanted.shapes)
  }

  /** Resolves once a condition holds. Rejects if the server refuses or the replica is closed. */
  #unlessRefused(isReached: () => boolean): Promise<void> {
    // A tab that follows still shows the refusal of an earlier question.
    let isAsked = this.#state !== 'refused'
    return this.#subscribers.until(() => {
      if (isReached()) return true
      isAsked ||= this.#state !== 'refused'
      if (isAsked && this.#state === 'refused') throw this.#error
      if (this.#isClosed) throw new RemoteError(0, 'The replica is closed.')
      return false
    })
  }

  /** Opens the connection again, and sends what waits. */
  reconnect(): void {
    this.#exchange?.again()
    this.#exchange?.wake()
  }

  /** Resolves when all changes of the server and leased keys are here, and no batch waits. */
  current(): Promise<void> {
    return this.#subscribers.until(
      () =>
        this.#state === 'current' &&
        this.waiting.count === 0 &&
        (!this.#leads || this.#keys.wanted === null),
    )
  }
  /** The first leased key from a position on. Throws keysUsedUp. */
  readonly keyFrom: Keys['from'] = (...asked) => this.#keys.from(...asked)

  async forget({ drop = false }: { readonly drop?: boolean } = {}): Promise<void> {
    const waiting = this.#batches.unsettled.count
    if (waiting > 0 && !drop)
      throw new ReplicaError(
        'batchesWait',
        `${waiting} transactions have not been applied by the server and would be lost. Wait for current(), solve the problems, or pass { drop: true }.`,
      )
    if (!this.#leads) {
      await this.#following!.ask({ forget: true })
      return this.#subscribers.until(() => this.#isClosed)
    }
    this.#end()
    await this.#ownData.erase()
    await this.#parts.kept?.close()
  }

  async close(): Promise<void> {
    this.#end()
    await this.#ownData.erased
    await this.#parts.kept?.close()
  }

  readonly mustHold: Coverage['mustHold'] = (...asked) => this.#coverage.mustHold(...asked)

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#endListening()
    this.#exchange?.close()
    if (this.#state === 'current' && this.#leads) this.#place.meet()
    this.#become('offline', null)
  }

  #lost(error: unknown, isFinal: boolean): void {
    if (!(error instanceof RemoteError) && error !== null) {
      if (!(error instanceof ReplicaError)) this.#exchange?.broken()
      this.#parts.onError(error)
    }
    if (this.#position === null)
      this.#settleReady.reject(error ?? new RemoteError(0, 'The server has ended the stream.'))
    if (this.#state === 'current') this.#place.meet()
    // What has arrived of a moment that is not complete is read again.
    this.#become(isFinal ? 'refused' : this.#position === null ? 'loading' : 'offline', error)
  }

  /** A complete moment of the server: one commit. */
  #arrive({ draft, outcomes, position: reached }: Moment, shapes: SentShapes): void {
    const position = { ...reached, shapes, model: modelOf(this.store) }
    this.#isOutdated = false
    this.#hold(position)
    this.#batches.arrive(draft, outcomes, position)
    this.#settleReady.resolve()
    this.#become('current', null)
  }

  #hold({ held }: Position): void {
    this.#contents.held = held
    this.#coverage.hold(held)
  }

  #become(state: ReplicaState, error: unknown): void {
    this.#state = state
    this.#error = error
    if (this.#following !== null && this.#leads && this.#place.exists)
      this.#place.tell(state, error === null ? null : String(error))
    this.#subscribers.call()
  }
}
