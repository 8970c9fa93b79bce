import { RemoteError } from '@entia/client'
import type { Transport } from '@entia/client/internal'
import type { AnyDataStore, AnySelection } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { Batches, type Outcome, type Problem } from './batches.ts'
import type { Conflict, Resolution } from './conflict.ts'
import { Connection } from './connection.ts'
import { Contents } from './contents.ts'
import type { Coverage } from './coverage.ts'
import { type LocalChange, localChanges } from './local-changes.ts'
import { type Marks, marksOf, randomSeed, sentMarks } from './marks.ts'
import { Lines, type Moment } from './moment.ts'
import { type Position, ReplicaPlace } from './own-classes.ts'
import { Pauses } from './pauses.ts'
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
  /** The streams that were opened, and the number of the last one that has brought a moment. */
  #opened = 0
  #arrived = 0
  /** The lines did not follow from what is here: everything is asked for. */
  #isBroken = false
  /** The columns of which the server wants marks, and the marks of the request that was sent. */
  #wantedMarks: Lines['wanted'] = null
  #marks: Marks | null = null
  #state: ReplicaState = 'loading'
  #error: unknown = null
  #isWriting = false
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
    this.#batches = new Batches({
      store: parts.store,
      contents: this.#contents,
      conflict: parts.conflict,
      onError: parts.onError,
      write: (body) => this.#write(body),
      added: () => this.#queue.wake(),
      changed: () => this.#changed(),
    })
    const { replica } = this.#batches
    this.#contents.recover()
    const { position } = this.#batches
    if (position !== null) {
      // The contents may be those of other shapes.
      this.#coverage = parts.coverage(position.shapes)
      this.#hold(position)
      this.#state = 'offline'
      this.#settleReady.resolve()
    }
    this.#refuseOtherWrites()
    const { transport, pauses } = parts
    this.#queue = new Queue(
      {
        transport,
        replica,
        waiting: (most) => this.#batches.sendable(most),
        received: () => this.#batches.received,
        decided: (outcomes, instance) => this.#batches.decided(outcomes, instance),
        refused: (error) => this.#become('refused', error),
        failed: parts.onError,
      },
      new Pauses(pauses.first, pauses.longest),
    )
    this.#connection = new Connection(
      {
        transport,
        request: () => this.#request(replica),
        begin: () => {
          const lines = new Lines(this.#contents, this.#marks)
          const number = ++this.#opened
          const wanted = this.#wanted
          return (line) => {
            const moment = lines.read(line)
            this.#wantedMarks = lines.wanted
            if (moment === null) return lines.wanted !== null
            this.#coverage = wanted.coverage
            this.#arrived = number
            this.#arrive(moment, wanted.shapes)
            return false
          }
        },
        connected: () => {
          if (this.#state !== 'loading') this.#become('behind', null)
          this.#queue.wake()
        },
        lost: (error, isFinal) => this.#lost(error, isFinal),
      },
      new Pauses(pauses.first, pauses.longest),
    )
    if (position !== null) this.#queue.wake()
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
      const globalStamp = this.#batches.position?.globalStamp ?? 0
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
    const before = this.#opened
    this.#connection.again()
    return this.#until(() => this.#arrived > before)
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
    this.#write(() => this.store.dataClass(ReplicaPlace.name).all().remove())
    await this.#parts.compact()
    await this.#parts.close()
  }

  async close(): Promise<void> {
    this.#end()
    await this.#parts.close()
  }

  readonly mustHold: Coverage['mustHold'] = (...asked) => this.#coverage.mustHold(...asked)

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#connection.close()
    this.#queue.close()
    this.#become('offline', null)
  }

  #request(replica: string): unknown {
    const { position } = this.#batches
    const at =
      position === null ? null : [position.instance, position.globalStamp, position.fingerprint]
    const request = { replica, shapes: this.#wanted.shapes, wait: null }
    const columns = this.#isBroken ? null : this.#wantedMarks
    this.#wantedMarks = null
    this.#marks = null
    if (columns === null) return { ...request, at: this.#isBroken ? null : at }
    const seed = randomSeed()
    this.#marks = marksOf(this.#contents, columns, seed)
    return { ...request, at, marks: sentMarks(this.#marks, columns, seed) }
  }

  #lost(error: unknown, isFinal: boolean): void {
    if (!(error instanceof RemoteError) && error !== null) {
      this.#isBroken = true
      this.#parts.onError(error)
    }
    if (this.#batches.position === null)
      this.#settleReady.reject(error ?? new RemoteError(0, 'The server has ended the stream.'))
    // What has arrived of a moment that is not complete is read again.
    this.#become(
      isFinal ? 'refused' : this.#batches.position === null ? 'loading' : 'offline',
      error,
    )
  }

  /** A complete moment of the server: one commit. */
  #arrive({ draft, outcomes, position: reached }: Moment, shapes: SentShapes): void {
    const position = { ...reached, shapes }
    this.#isBroken = false
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
