import { RemoteError } from '@entia/client'
import type { Transport } from '@entia/client/internal'
import type { AnyDataStore, AnySelection } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { Batches, type Choice, type Outcome, type Problem } from './batches.ts'
import type { Conflict, Resolution } from './conflict.ts'
import { Contents } from './contents.ts'
import type { Coverage } from './coverage.ts'
import { Exchange } from './exchange.ts'
import { Following } from './following.ts'
import { type LocalChange, localChanges } from './local-changes.ts'
import type { Moment } from './moment.ts'
import type { Position } from './own-classes.ts'
import { modelOf, Place } from './place.ts'
import { ReplicaError } from './replica-error.ts'
import type { Kept, TabOptions } from './replicate.ts'
import { type SentShape, type Shapes, sentShapes } from './shapes.ts'

type SentShapes = { readonly [dataClass: string]: SentShape }

/**
 * | state | |
 * |---|---|
 * | `loading` | nothing is here yet |
 * | `behind` | connected; changes of the server are on their way |
 * | `current` | connected; everything that the server has sent is here |
 * | `offline` | no connection; it is opened again by itself |
 * | `refused` | the server refuses the request or the user; see `error` |
 */
export type ReplicaState = 'loading' | 'behind' | 'current' | 'offline' | 'refused'

export interface ReplicaParts {
  readonly store: AnyDataStore
  readonly transport: Transport
  readonly coverage: (shapes: SentShapes) => Coverage
  readonly shapes: SentShapes
  readonly strict: boolean
  readonly conflict: ((conflict: Conflict) => Resolution | undefined) | undefined
  readonly onError: (error: unknown) => void
  /** Whose data these are, if the program knows it. */
  readonly user: string | null | undefined
  /** After so many days without the server, contents are not shown. */
  readonly expires: number | null
  /** Removes changes that wait if they are in the way. */
  readonly drop: boolean
  readonly pauses: { readonly first: number; readonly longest: number }
  /** The journal; null for a replica in memory. */
  readonly kept: Kept | null
}

/** The replica without the types of its model. */
export class ReplicaCore {
  readonly store: AnyDataStore
  readonly #parts: ReplicaParts
  readonly #contents: Contents
  readonly #batches: Batches
  readonly #listeners = new Set<() => void>()
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
  #isWriting = false
  #isClosed = false
  /** Settles when a journal has nothing of the data that were removed. */
  #erasing: Promise<void> = Promise.resolve()
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
    const { store, kept, conflict, onError } = parts
    const contents = this.#contents
    const place = new Place({
      store,
      leads: () => this.#leads,
      write: (body) => this.#write(body),
    })
    const batches = new Batches({
      store,
      place,
      contents,
      conflict,
      onError,
      added: () => this.#exchange?.send(),
      changed: () => this.#changed(),
    })
    this.#place = place
    this.#batches = batches
    const isTab = kept !== null && kept.role !== undefined
    this.#following = isTab ? new Following({ kept, store, contents, place, batches }) : null
    this.#endListening = isTab
      ? handleOf(store).writer.listeners.onCommit(() => this.#noticed())
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
    this.#refuseOtherWrites()
    this.#exchange = this.#begin()
    if (this.#following !== null) this.#batches.adopt()
  }

  /** Follows the tab with the stream. */
  #follow(): void {
    this.#refuseOtherWrites()
    this.#refresh()
  }

  /** A commit, in a tab. */
  #noticed(): void {
    if (this.#isWriting || this.#isClosed) return
    if (!this.#leads) {
      this.#refresh()
      return
    }
    this.#batches.adopt()
    const { asked } = this.#place
    if (asked === null) return
    if ('forget' in asked) this.forget({ drop: true }).catch(this.#parts.onError)
    else if (JSON.stringify(asked.shapes) !== JSON.stringify(this.#wanted.shapes))
      void this.#ask(asked.shapes)
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
    this.#changed()
  }

  #begin(): Exchange {
    const { transport, pauses, onError, coverage } = this.#parts
    return new Exchange({
      transport,
      pauses,
      contents: this.#contents,
      place: this.#place,
      batches: this.#batches,
      onError,
      shapes: () => this.#wanted.shapes,
      continues: () => !this.#isOutdated,
      isOf: (user) => this.#isOf(user),
      connected: () => {
        if (this.#state !== 'loading') this.#become('behind', null)
      },
      arrived: (moment, shapes, stream) => {
        if (stream !== this.#arrived)
          this.#coverage = shapes === this.#wanted.shapes ? this.#wanted.coverage : coverage(shapes)
        this.#arrived = stream
        this.#arrive(moment, shapes)
      },
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

  /** Reads what a journal has brought back. */
  #open(): void {
    const { user, expires, drop, coverage, store } = this.#parts
    const { at } = this.#place
    if (at === null) return
    const model = modelOf(store)
    const isSame = (name: string): boolean => model[name] === at.model[name]
    this.#contents.recover(isSame)
    this.#contents.held = at.held
    const isExpired = expires !== null && this.#place.isOlderThan(expires)
    const isOther = user !== undefined && at.user !== user
    if (isOther || (isExpired && (drop || this.#batches.all.count === 0))) {
      this.#startOver(drop)
      return
    }
    this.#isOutdated = isExpired || !Object.keys({ ...model, ...at.model }).every(isSame)
    if (this.#isOutdated) return
    // The contents may be those of other shapes.
    this.#coverage = coverage(at.shapes)
    this.#hold(at)
    this.#state = 'offline'
    this.#settleReady.resolve()
  }

  /** Whether the contents are those of a user; otherwise they are removed. Throws anotherUser. */
  #isOf(user: string | null): boolean {
    const { at } = this.#place
    if (at === null || at.user === user) return true
    this.#startOver(false)
    this.#state = 'loading'
    return false
  }

  /** Removes what is here. Throws anotherUser if changes would be lost. */
  #startOver(drop: boolean): void {
    const { count } = this.#batches.all
    if (count > 0 && !drop) {
      // The data are not those of the user who is there now.
      this.#coverage = this.#parts.coverage({})
      throw new ReplicaError(
        'anotherUser',
        `This replica is that of another user, who has made ${count} transactions that the server has not applied. Log in as that user, or remove them with the option drop or with forget({ drop: true }).`,
      )
    }
    this.#contents.clear()
    this.#place.startOver()
    this.#contents.held = {}
    this.#erasing = this.#erase().catch(this.#parts.onError)
  }

  /** A journal keeps the generation before: the second leaves none with the data. */
  async #erase(): Promise<void> {
    await this.#parts.kept?.compact()
    this.#place.meet()
    await this.#parts.kept?.compact()
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
    return this.#batches.problems
  }
  problem(number: number): Problem | undefined {
    return this.#batches.problem(number)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  transact<R>(body: (tx: never) => R, strict: boolean) {
    if (this.#leads) return this.#transact(body, strict)
    return this.#proposed(body, strict)
  }

  async #proposed<R>(body: (tx: never) => R, strict: boolean) {
    const { result, number } = await this.#propose((following) =>
      following.transact((tx) => this.#writing(() => body(tx)), strict),
    )
    return { result: result as R, number, outcome: this.#outcomeOf(number) }
  }

  /** Runs something in a tab that follows, which may become the one with the stream meanwhile. */
  async #propose<R>(run: (following: Following) => Promise<R>): Promise<R> {
    const done = await run(this.#following!)
    if (this.#leads) this.#batches.adopt()
    return done
  }

  /** Allows the commit of a transaction, which follows its body at once. */
  #writing<R>(body: () => R): R {
    this.#isWriting = true
    queueMicrotask(() => {
      this.#isWriting = false
    })
    return body()
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
    const result = this.#write(() =>
      this.store.transact((tx) => {
        const given = body(tx as never)
        changes = localChanges(this.store, this.#contents)
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
      this.#changed()
    }
    return { result, number, outcome: this.#outcomeOf(number) }
  }

  /** Decides what becomes of a problem. */
  async solve(number: number, choice: Choice): Promise<Outcome> {
    if (this.#leads) return this.#batches.solve(number, choice)
    const choices = this.#batches.choicesOf(number, choice)
    await this.#propose((following) =>
      following.propose(() => this.#writing(() => this.#batches.askToSolve(number, choices))),
    )
    return this.#outcomeOf(number)
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
    await this.#propose((following) =>
      following.propose(() => this.#writing(() => this.#place.ask({ shapes: next }))),
    )
    const wanted = JSON.stringify(next)
    await this.#until(() => JSON.stringify(this.#place.at?.shapes) === wanted)
  }

  /** Asks the server for other shapes. */
  #ask(shapes: SentShapes): Promise<void> {
    // Throws before anything changes.
    this.#wanted = { shapes, coverage: this.#parts.coverage(shapes) }
    const before = this.#exchange?.opened ?? 0
    this.#exchange?.again()
    return this.#until(() => this.#arrived > before)
  }

  /** Opens the connection again, and sends what waits. */
  reconnect(): void {
    this.#exchange?.again()
    this.#exchange?.send()
  }

  /** Resolves when all changes of the server are here and no batch waits. */
  current(): Promise<void> {
    return this.#until(() => this.#state === 'current' && this.waiting.count === 0)
  }

  async forget({ drop = false }: { readonly drop?: boolean } = {}): Promise<void> {
    const waiting = this.#batches.all.count
    if (waiting > 0 && !drop)
      throw new ReplicaError(
        'batchesWait',
        `${waiting} transactions have not been applied by the server and would be lost. Wait for current(), solve the problems, or pass { drop: true }.`,
      )
    if (!this.#leads) {
      await this.#propose((following) =>
        following.propose(() => this.#writing(() => this.#place.ask({ forget: true }))),
      )
      return this.#until(() => this.#isClosed)
    }
    this.#end()
    this.#contents.clear()
    // A journal keeps the generation before: the second leaves none with the data.
    await this.#parts.kept?.compact()
    this.#place.remove()
    await this.#parts.kept?.compact()
    await this.#parts.kept?.close()
  }

  async close(): Promise<void> {
    this.#end()
    await this.#erasing
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

  /** Changes of the store that do not go through the queue would be lost. */
  #refuseOtherWrites(): void {
    const { writer } = handleOf(this.store)
    const before = writer.beforeCommit
    writer.beforeCommit = () => {
      if (this.#isWriting) return before?.()
      throw new ReplicaError(
        'notByTransact',
        'A replica is changed by replica.transact((tx) => …), which sends the change to the server.',
      )
    }
  }
  #write<R>(body: () => R): R {
    const outer = this.#isWriting
    this.#isWriting = true
    try {
      return body()
    } finally {
      this.#isWriting = outer
    }
  }

  #become(state: ReplicaState, error: unknown): void {
    this.#state = state
    this.#error = error
    if (this.#following !== null && this.#leads && this.#place.exists)
      this.#place.tell(state, error === null ? null : String(error))
    this.#changed()
  }
  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
  #until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isReached()) return
        stop()
        resolve()
      }
      const stop = this.subscribe(check)
      check()
    })
  }
}
