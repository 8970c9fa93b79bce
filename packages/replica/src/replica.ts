import { RemoteError } from '@entia/client'
import type { Transport } from '@entia/client/internal'
import type { AnyDataStore, AnySelection } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { Batches, type Outcome, type Problem } from './batches.ts'
import type { Conflict, Resolution } from './conflict.ts'
import { Connection } from './connection.ts'
import { Contents } from './contents.ts'
import type { Coverage } from './coverage.ts'
import { Incoming } from './incoming.ts'
import { type LocalChange, localChanges } from './local-changes.ts'
import type { Moment } from './moment.ts'
import type { Position } from './own-classes.ts'
import { Pauses } from './pauses.ts'
import { modelOf, Place } from './place.ts'
import { Queue } from './queue.ts'
import { ReplicaError } from './replica-error.ts'
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
  readonly close: () => Promise<void>
  readonly compact: () => Promise<void>
}

/** The replica without the types of its model. */
export class ReplicaCore {
  readonly store: AnyDataStore
  readonly #parts: ReplicaParts
  readonly #contents: Contents
  readonly #connection: Connection
  readonly #batches: Batches
  readonly #queue: Queue
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
  readonly #incoming: Incoming
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
    const write = <R>(body: () => R): R => this.#write(body)
    this.#place = new Place({ store: parts.store, write })
    this.#batches = new Batches({
      store: parts.store,
      place: this.#place,
      contents: this.#contents,
      conflict: parts.conflict,
      onError: parts.onError,
      added: () => this.#queue.wake(),
      changed: () => this.#changed(),
    })
    this.#open()
    this.#refuseOtherWrites()
    const { transport, pauses } = parts
    this.#queue = new Queue(
      {
        transport,
        origin: () => ({ replica: this.#place.replica, user: this.#place.at?.user ?? null }),
        waiting: (most) => this.#batches.sendable(most),
        received: () => this.#batches.received,
        decided: (outcomes, instance) => this.#batches.decided(outcomes, instance),
        refused: (error) => {
          if (this.#state !== 'refused') this.#become('refused', error)
        },
        failed: parts.onError,
      },
      new Pauses(pauses.first, pauses.longest),
    )
    this.#incoming = new Incoming({
      contents: this.#contents,
      replica: () => this.#place.replica,
      shapes: () => this.#wanted.shapes,
      position: () => this.#place.at,
      continues: () => !this.#isOutdated,
      isOf: (user) => this.#isOf(user),
      arrived: (moment, shapes, stream) => {
        if (stream !== this.#arrived) {
          const { shapes: wanted, coverage } = this.#wanted
          this.#coverage = shapes === wanted ? coverage : parts.coverage(shapes)
        }
        this.#arrived = stream
        this.#arrive(moment, shapes)
      },
    })
    this.#connection = new Connection(
      {
        transport,
        request: () => this.#incoming.request(),
        begin: () => this.#incoming.begin(),
        connected: () => {
          if (this.#state !== 'loading') this.#become('behind', null)
        },
        lost: (error, isFinal) => this.#lost(error, isFinal),
      },
      new Pauses(pauses.first, pauses.longest),
    )
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
    if (at === null || at.user === user) {
      this.#queue.wake()
      return true
    }
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
    await this.#parts.compact()
    this.#place.meet()
    await this.#parts.compact()
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

  transact<R>(body: (tx: never) => R, strict = this.#parts.strict) {
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
    if (number === 0) {
      const globalStamp = this.#place.at?.globalStamp ?? 0
      const outcome: Outcome = { kind: 'applied', globalStamp }
      return { result, number, outcome: Promise.resolve(outcome) }
    }
    this.#contents.wait(
      number,
      changes.map(({ item }) => item),
    )
    const outcome = this.#batches.outcomeOf(number)
    this.#queue.wake()
    this.#changed()
    return { result, number, outcome }
  }

  /** Decides what becomes of a problem. */
  solve(
    number: number,
    choice: Resolution | ((conflict: Conflict) => Resolution),
  ): Promise<Outcome> {
    return this.#batches.solve(number, choice)
  }

  reshape(shapes: { readonly [name: string]: Shapes[string] | null }): Promise<void> {
    const next: { [name: string]: SentShape } = { ...this.#wanted.shapes }
    for (const [name, shape] of Object.entries(shapes))
      if (shape === null) delete next[name]
      else Object.assign(next, sentShapes({ [name]: shape }))
    // Throws before anything changes.
    this.#wanted = { shapes: next, coverage: this.#parts.coverage(next) }
    const before = this.#incoming.opened
    this.#connection.again()
    return this.#until(() => this.#arrived > before)
  }

  /** Opens the connection again, and sends what waits. */
  reconnect(): void {
    this.#connection.again()
    this.#queue.wake()
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
    this.#end()
    this.#contents.clear()
    // A journal keeps the generation before: the second leaves none with the data.
    await this.#parts.compact()
    this.#place.remove()
    await this.#parts.compact()
    await this.#parts.close()
  }

  async close(): Promise<void> {
    this.#end()
    await this.#erasing
    await this.#parts.close()
  }

  readonly mustHold: Coverage['mustHold'] = (...asked) => this.#coverage.mustHold(...asked)

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#connection.close()
    this.#queue.close()
    if (this.#state === 'current') this.#place.meet()
    this.#become('offline', null)
  }

  #lost(error: unknown, isFinal: boolean): void {
    if (!(error instanceof RemoteError) && error !== null) {
      this.#incoming.isBroken = !(error instanceof ReplicaError)
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
      before?.()
      if (this.#isWriting) return
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
