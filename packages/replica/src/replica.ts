import { RemoteError } from '@entia/client'
import type { Transport } from '@entia/client/internal'
import type { AnyDataStore, AnySelection } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import type { BatchItem, BatchOutcome, BatchRefusal } from './batch.ts'
import { type Conflict, type Resolution, resolved, shownConflict } from './conflict.ts'
import { Connection } from './connection.ts'
import { Contents, idOf, newDraft } from './contents.ts'
import type { Coverage } from './coverage.ts'
import { type LocalChange, localChanges } from './local-changes.ts'
import { Lines, type Moment } from './moment.ts'
import { type Position, ReplicaBase, ReplicaBatch, ReplicaPlace } from './own-classes.ts'
import { Pauses } from './pauses.ts'
import { Queue, type SentBatch } from './queue.ts'
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

/** What became of a transaction. */
export type Outcome =
  | { readonly kind: 'applied'; readonly globalStamp: number }
  | { readonly kind: 'problem'; readonly problem: Problem }

/** A transaction that the server has refused. The store shows the server's values instead. */
export interface Problem {
  readonly number: number
  /** Values that somebody else has changed too. Empty for another reason. */
  readonly conflicts: readonly Conflict[]
  /** The errors of the server, the outermost first. */
  readonly errors: BatchRefusal['errors']
}

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
  readonly #queue: Queue
  readonly #listeners = new Set<() => void>()
  readonly #outcomes = new Map<number, (outcome: Outcome) => void>()
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
    const { replica } = this.#place
    this.#contents.recover()
    const position = this.#position
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
        waiting: (most) => this.#sendable(most),
        received: () => this.#received,
        decided: (outcomes) => this.#decided(outcomes),
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
          const lines = new Lines(this.#contents)
          const number = ++this.#opened
          const wanted = this.#wanted
          return (line) => {
            const moment = lines.read(line)
            if (moment === null) return
            this.#coverage = wanted.coverage
            this.#arrived = number
            this.#arrive(moment, wanted.shapes)
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
    return this.#batches.query('state != problem').orderBy('number')
  }
  get problems(): AnySelection {
    return this.#batches.query('state = problem').orderBy('number')
  }
  problem(number: number): Problem | undefined {
    const batch = this.#batch(number)
    return batch?.state === 'problem' ? this.#problemOf(batch) : undefined
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  transact<R>(body: (tx: never) => R, strict = this.#parts.strict) {
    let number = 0
    let items: readonly BatchItem[] = []
    let replaced: readonly LocalChange[] = []
    const result = this.#write(() =>
      this.store.transact((tx) => {
        const given = body(tx as never)
        const changes = localChanges(this.store, this.#contents)
        items = changes.map(({ item }) => item)
        if (items.length === 0) return given as never
        const bases = this.store.dataClass(ReplicaBase.name)
        for (const { id, item, before } of changes) {
          if (this.#contents.hasBase(id)) continue
          const { dataClass, key } = item
          const none = { values: null, stamp: 0, timestamp: 0 }
          bases.insert({ ID: id, state: { dataClass, key, ...(before ?? none) } })
        }
        number = this.#insertBatch(items, strict)
        replaced = changes
        return given as never
      }),
    ) as R
    for (const { id, before } of replaced)
      if (!this.#contents.hasBase(id)) this.#contents.keepBase(id, before)
    if (number === 0) {
      const outcome: Outcome = { kind: 'applied', globalStamp: this.#position?.globalStamp ?? 0 }
      return { result, number, outcome: Promise.resolve(outcome) }
    }
    this.#contents.wait(number, items)
    const outcome = this.#outcomeOf(number)
    this.#queue.wake()
    this.#changed()
    return { result, number, outcome }
  }

  /** Decides what becomes of a problem. */
  solve(
    number: number,
    choice: Resolution | ((conflict: Conflict) => Resolution),
  ): Promise<Outcome> {
    const batch = this.#batch(number)
    if (batch?.state !== 'problem')
      throw new TypeError(`There is no problem ${number}: it was solved already, or never existed.`)
    const conflicts = this.#problemOf(batch).conflicts
    const choose = typeof choice === 'function' ? choice : () => choice
    const given = conflicts.length === 0 ? [] : conflicts.map(choose)
    const items =
      conflicts.length === 0
        ? choice === 'theirs'
          ? []
          : batch.items.list
        : resolved(this.store, batch.items.list, batch.refusal?.conflicts ?? [], given)
    return this.#replace(batch, items)
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
    const waiting = this.#batches.all().count
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
    const position = this.#position
    const at =
      position === null ? null : [position.instance, position.globalStamp, position.fingerprint]
    return { replica, shapes: this.#wanted.shapes, at: this.#isBroken ? null : at, wait: null }
  }

  #lost(error: unknown, isFinal: boolean): void {
    if (!(error instanceof RemoteError) && error !== null) {
      this.#isBroken = true
      this.#parts.onError(error)
    }
    if (this.#position === null)
      this.#settleReady.reject(error ?? new RemoteError(0, 'The server has ended the stream.'))
    // What has arrived of a moment that is not complete is read again.
    this.#become(isFinal ? 'refused' : this.#position === null ? 'loading' : 'offline', error)
  }

  /** A complete moment of the server: one commit. */
  #arrive({ draft, outcomes, position: reached }: Moment, shapes: SentShapes): void {
    const position = { ...reached, shapes }
    this.#isBroken = false
    const refused: BatchOutcome[] = []
    for (const outcome of outcomes)
      if (outcome.kind === 'refused') refused.push(outcome)
      else this.#noteApplied(draft, outcome)
    const { ID } = this.#place
    draft.own.set('place', [ReplicaPlace.name, ID, { at: position }])
    this.#hold(position)
    for (const batch of this.#all('state = applied')) {
      if (this.#appliedAt(draft, batch) > position.globalStamp) continue
      draft.own.set(`batch ${batch.number}`, [ReplicaBatch.name, batch.number, null])
      this.#contents.settle(draft, batch.number, batch.items.list)
    }
    for (const outcome of outcomes)
      if (outcome.kind === 'applied' && outcome.globalStamp <= position.globalStamp) {
        const batch = this.#batch(outcome.number)
        if (batch === undefined || batch.state === 'problem') continue
        draft.own.set(`batch ${batch.number}`, [ReplicaBatch.name, batch.number, null])
        this.#contents.settle(draft, batch.number, batch.items.list)
      }
    this.#contents.commit(draft)
    for (const outcome of outcomes) if (outcome.kind === 'applied') this.#settled(outcome)
    for (const outcome of refused) this.#refuse(outcome as Refused)
    this.#settleReady.resolve()
    this.#become('current', null)
  }

  #appliedAt(
    { own }: { readonly own: ReadonlyMap<string, readonly unknown[]> },
    batch: Batch,
  ): number {
    const noted = own.get(`batch ${batch.number}`)?.[2] as { readonly globalStamp?: number } | null
    return noted?.globalStamp ?? batch.globalStamp ?? 0
  }

  /** The answers to a request. */
  #decided(outcomes: readonly BatchOutcome[]): void {
    const draft = newDraft()
    const reached = this.#position?.globalStamp ?? -1
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused') continue
      const batch = this.#batch(outcome.number)
      // The stream was faster.
      if (batch === undefined || batch.state !== 'waiting') continue
      if (outcome.globalStamp > reached) this.#noteApplied(draft, outcome)
      else {
        draft.own.set(`batch ${batch.number}`, [ReplicaBatch.name, batch.number, null])
        this.#contents.settle(draft, batch.number, batch.items.list)
      }
    }
    this.#contents.commit(draft)
    for (const outcome of outcomes)
      if (outcome.kind === 'refused') this.#refuse(outcome)
      else this.#settled(outcome)
    this.#changed()
  }

  #noteApplied(
    draft: ReturnType<typeof newDraft>,
    { number, globalStamp }: Extract<BatchOutcome, { kind: 'applied' }>,
  ): void {
    const batch = this.#batch(number)
    if (batch?.state !== 'waiting') return
    draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, { state: 'applied', globalStamp }])
  }

  #settled({ number, globalStamp }: Extract<BatchOutcome, { kind: 'applied' }>): void {
    this.#outcomes.get(number)?.({ kind: 'applied', globalStamp })
    this.#outcomes.delete(number)
  }

  /** A refused batch becomes another one, or a problem. */
  #refuse({ number, refusal }: Refused): void {
    const batch = this.#batch(number)
    if (batch === undefined || batch.state === 'problem') return
    const choices = this.#choicesOf(refusal)
    if (choices !== null) {
      const settle = this.#outcomes.get(number)
      this.#outcomes.delete(number)
      const items = resolved(this.store, batch.items.list, refusal.conflicts, choices)
      void this.#replace(batch, items).then((outcome) => settle?.(outcome))
      return
    }
    const draft = newDraft()
    draft.own.set('problem', [ReplicaBatch.name, number, { state: 'problem', refusal }])
    this.#contents.settle(draft, number, batch.items.list)
    this.#contents.commit(draft)
    const problem = this.#problemOf(this.#batch(number)!)
    this.#outcomes.get(number)?.({ kind: 'problem', problem })
    this.#outcomes.delete(number)
    this.#changed()
  }

  /** What the option `conflict` decides; null if it leaves a conflict to the user. */
  #choicesOf({ conflicts }: BatchRefusal): readonly Resolution[] | null {
    const { conflict: decide } = this.#parts
    if (decide === undefined || conflicts.length === 0) return null
    const choices: Resolution[] = []
    for (const conflict of conflicts) {
      let choice: Resolution | undefined
      try {
        choice = decide(shownConflict(this.store, conflict))
      } catch (error) {
        this.#parts.onError(error)
      }
      // An entity that is gone cannot be changed.
      if (choice === undefined || (conflict.theirs === null && choice !== 'theirs')) return null
      choices.push(choice)
    }
    return choices
  }

  /** Puts other changes in the place of a batch, at the end of the queue. */
  #replace(batch: Batch, items: readonly BatchItem[]): Promise<Outcome> {
    const draft = newDraft()
    const { globalStamp = 0 } = this.#position ?? {}
    const place = this.#place
    const number = items.length === 0 ? 0 : place.last + 1
    draft.own.set('old', [ReplicaBatch.name, batch.number, null])
    this.#contents.settle(draft, batch.number, batch.items.list)
    if (number > 0) {
      const at = Date.now()
      const values = { state: 'waiting', items: { list: items }, strict: batch.strict, at }
      draft.own.set('new', [ReplicaBatch.name, number, values])
      draft.own.set('place', [ReplicaPlace.name, place.ID, { last: number }])
      for (const { dataClass, key } of items) {
        const id = idOf(dataClass, key)
        draft.states.set(id, this.#contents.base(dataClass, key))
        draft.touched.set(id, [dataClass, key])
      }
      this.#contents.wait(number, items)
    }
    this.#contents.commit(draft)
    const outcome: Promise<Outcome> =
      number === 0 ? Promise.resolve({ kind: 'applied', globalStamp }) : this.#outcomeOf(number)
    if (number > 0) this.#queue.wake()
    this.#changed()
    return outcome
  }

  #insertBatch(items: readonly BatchItem[], strict: boolean): number {
    const { ID, last } = this.#place
    const number = last + 1
    this.store.dataClass(ReplicaPlace.name).update(ID, { last: number })
    const at = new Date()
    this.#batches.insert({ number, state: 'waiting', at, items: { list: items }, strict })
    return number
  }

  #outcomeOf(number: number): Promise<Outcome> {
    return new Promise((resolve) => this.#outcomes.set(number, resolve))
  }

  #problemOf({ number, refusal }: Batch): Problem {
    const { conflicts = [], errors = [] } = refusal ?? {}
    return { number, conflicts: conflicts.map((each) => shownConflict(this.store, each)), errors }
  }

  #sendable(most: number): readonly SentBatch[] {
    const waiting = this.#batches.query('state = waiting').orderBy('number').page(0, most)
    return [...(waiting as Iterable<Batch>)].map(({ number, items, strict }) => ({
      number,
      items: items.list,
      strict,
    }))
  }
  get #received(): number {
    const [first] = this.#sendable(1)
    return (first?.number ?? this.#place.last + 1) - 1
  }
  #batch(number: number): Batch | undefined {
    return this.#batches.get(number) as object as Batch | undefined
  }
  #all(filter: string): readonly Batch[] {
    return [...(this.#batches.query(filter).orderBy('number') as Iterable<Batch>)]
  }
  get #batches() {
    return this.store.dataClass(ReplicaBatch.name)
  }
  get #place(): Place {
    const table = this.store.dataClass(ReplicaPlace.name)
    const [known] = [...(table.all() as Iterable<Place>)]
    if (known !== undefined) return known
    const replica = unguessable()
    return this.#write(() => table.insert({ ID: 'place', replica })) as object as Place
  }
  get #position(): Position | null {
    return this.#place.at
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

type Refused = Extract<BatchOutcome, { kind: 'refused' }>

/** An entity of `ReplicaBatch`. */
interface Batch {
  readonly number: number
  readonly state: string
  readonly items: { readonly list: readonly BatchItem[] }
  readonly strict: boolean
  readonly globalStamp: number | null
  readonly refusal: BatchRefusal | null
}
/** The entity of `ReplicaPlace`. */
interface Place {
  readonly ID: string
  readonly replica: string
  readonly last: number
  readonly at: Position | null
}

/** An id that others cannot guess, because a request with it acts for the replica. */
function unguessable(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
