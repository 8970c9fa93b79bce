import type { AnyDataStore, AnySelection } from '@entia/core'
import type { Batch, BatchCall, BatchItem, BatchOutcome, BatchRefusal } from '@entia/core/internal'
import { type Conflict, type Resolution, resolved, shownConflict } from './conflict.ts'
import { type Contents, type Draft, idOf, newDraft } from './contents.ts'
import type { LocalChange } from './local-changes.ts'
import { type Position, ReplicaBase, ReplicaBatch } from './own-classes.ts'
import type { Place } from './place.ts'

/** What became of a transaction. */
export type Outcome =
  | {
      readonly kind: 'applied'
      readonly globalStamp: number
      /** What a function has returned: a JSON value. */
      readonly result?: unknown
    }
  | { readonly kind: 'problem'; readonly problem: Problem }

/**
 * A transaction or a call that the server has refused. The store shows the server's values instead.
 */
export interface Problem {
  readonly number: number
  /** The function that was to be called; a transaction has none. */
  readonly call?: BatchCall
  /** Values that somebody else has changed too. Empty for another reason. */
  readonly conflicts: readonly Conflict[]
  /** The errors of the server, the outermost first. */
  readonly errors: BatchRefusal['errors']
}

/** What becomes of all conflicts of a transaction, or of each. */
export type Choice = Resolution | ((conflict: Conflict) => Resolution)

interface BatchesPort {
  readonly store: AnyDataStore
  readonly place: Place
  readonly contents: Contents
  readonly conflict: ((conflict: Conflict) => Resolution | undefined) | undefined
  readonly onError: (error: unknown) => void
  /** A batch waits. */
  added(): void
  changed(): void
}

/**
 * The transactions that the server has not decided or has refused.
 * A batch is in the store until its effects are: a reload between the two loses neither.
 */
export class Batches {
  readonly #port: BatchesPort
  readonly #outcomes = new Map<number, (outcome: Outcome) => void>()

  constructor(port: BatchesPort) {
    this.#port = port
  }

  /** All of them, as entities. */
  get all(): AnySelection {
    return this.#table.all()
  }
  get waiting(): AnySelection {
    return this.#table.query('state != problem').orderBy('number')
  }
  get problems(): AnySelection {
    return this.#table.query('state = problem').orderBy('number')
  }
  problem(number: number): Problem | undefined {
    const batch = this.#get(number)
    return batch?.state === 'problem' ? this.#problemOf(batch) : undefined
  }
  /** Up to this number, all outcomes have arrived. */
  get received(): number {
    const [first] = this.sendable(1)
    return (first?.number ?? this.#port.place.last + 1) - 1
  }
  sendable(most: number): readonly Batch[] {
    const waiting = this.#table.query('state = waiting').orderBy('number').page(0, most)
    const batches = [...(waiting as Iterable<KeptBatch>)]
    const before = new Dependencies()
    // What depends on others is sent once they are decided.
    const held = batches.findIndex((batch) => {
      if (before.include(batch)) return true
      before.add(batch)
      return false
    })
    return batches.slice(0, held < 0 ? most : held).map(({ number, items, strict, call }) => ({
      number,
      items: items.list,
      strict,
      ...(call !== null && { call }),
    }))
  }

  /** The keys of new entities of a dataclass that the server may not have. */
  newKeys(dataClass: string): readonly number[] {
    const batches = this.#table.query('state != applied') as Iterable<KeptBatch>
    return [...batches].flatMap(({ items }) =>
      items.list.flatMap((item) =>
        item.kind === 'insert' && item.dataClass === dataClass ? [item.key as number] : [],
      ),
    )
  }

  /** Keeps the changes of the open transaction, and what the server has of what they change. */
  insert(changes: readonly LocalChange[], strict: boolean): number {
    const { store, contents } = this.#port
    const bases = store.dataClass(ReplicaBase.name)
    for (const { id, item, before } of changes) {
      if (contents.hasBase(id)) continue
      const { dataClass, key } = item
      const none = { values: null, stamp: 0, timestamp: 0 }
      bases.insert({ ID: id, state: { dataClass, key, ...(before ?? none) } })
    }
    return this.#insert({ items: { list: changes.map(({ item }) => item) }, strict })
  }
  /** Keeps a call. Part of the open transaction. */
  insertCall(call: BatchCall): number {
    return this.#insert({ items: { list: [] }, strict: false, call })
  }
  #insert(values: Pick<KeptBatch, 'items' | 'strict'> & { readonly call?: BatchCall }): number {
    const { place } = this.#port
    const number = place.last + 1
    place.setLast(number)
    this.#table.insert({ number, state: 'waiting', at: new Date(), ...values })
    return number
  }

  outcomeOf(number: number): Promise<Outcome> {
    return new Promise((resolve) => this.#outcomes.set(number, resolve))
  }

  solve(number: number, choice: Choice): Promise<Outcome> {
    return this.#solve(this.#problem(number), this.choicesOf(number, choice))
  }

  /** What a choice is for each conflict of a problem. Throws a TypeError for a wrong one. */
  choicesOf(number: number, choice: Choice): readonly Resolution[] {
    const batch = this.#problem(number)
    const { conflicts } = this.#problemOf(batch)
    if (conflicts.length === 0) {
      if (typeof choice === 'object')
        throw new TypeError(
          `Problem ${number} has no conflicts, and takes no values: pass 'mine' to send it again, or 'theirs' to drop it.`,
        )
      return [choice === 'theirs' ? 'theirs' : 'mine']
    }
    const choices = conflicts.map(typeof choice === 'function' ? choice : () => choice)
    resolved(this.#port.store, batch.items.list, batch.refusal?.conflicts ?? [], choices)
    return choices
  }

  /** Leaves it to the tab with the stream to solve a problem. Part of the open transaction. */
  askToSolve(number: number, list: readonly Resolution[]): void {
    this.#table.update(number, { state: 'solving', choices: { list } })
  }

  /** Does what other tabs have left: their problems and their batches. */
  adopt(): void {
    const { contents, place, added } = this.#port
    if (place.last > contents.last) {
      const batches = this.#table.query('state = waiting and number > :1', [contents.last])
      for (const { number, items } of [...(batches.orderBy('number') as Iterable<KeptBatch>)])
        contents.adopt(number, items.list)
      contents.last = place.last
      added()
    }
    for (const batch of [...(this.#table.query('state = solving') as Iterable<KeptBatch>)])
      void this.#solve(batch, batch.choices?.list ?? [])
  }

  /** Settles the outcomes that the tab with the stream has written. */
  noticed(): void {
    for (const [number, settle] of [...this.#outcomes]) {
      const batch = this.#get(number)
      const next = this.#table.query('replaces = :1', [number]).orderBy('number desc').first()
      if (batch?.state === 'problem')
        this.#tell(number, { kind: 'problem', problem: this.#problemOf(batch) })
      else if (batch?.state === 'applied')
        this.#tell(number, {
          kind: 'applied',
          globalStamp: batch.globalStamp ?? 0,
          ...(batch.result !== null && { result: batch.result.value }),
        })
      else if (batch === undefined && next !== undefined) {
        this.#outcomes.delete(number)
        this.#outcomes.set((next as object as KeptBatch).number, settle)
      } else if (batch === undefined) {
        const globalStamp = this.#port.place.at?.globalStamp ?? 0
        this.#tell(number, { kind: 'applied', globalStamp })
      }
    }
  }

  #problem(number: number): KeptBatch {
    const batch = this.#get(number)
    if (batch?.state === 'problem') return batch
    throw new TypeError(`There is no problem ${number}: it was solved already, or never existed.`)
  }

  #solve(batch: KeptBatch, choices: readonly Resolution[]): Promise<Outcome> {
    const { items, call } = batch
    const reported = batch.refusal?.conflicts ?? []
    if (reported.length > 0)
      return this.#replace(batch, resolved(this.#port.store, items.list, reported, choices))
    return choices[0] === 'theirs'
      ? this.#replace(batch, [])
      : this.#replace(batch, items.list, call)
  }

  /** The answers to a request. */
  decided(outcomes: readonly BatchOutcome[], instance: string | null): void {
    this.#keepResults(outcomes)
    const draft = newDraft()
    const position = this.#port.place.at
    // The stamps of another instance of the server than that of the contents say nothing here.
    const reached = position?.instance === instance ? position.globalStamp : -1
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused') continue
      const batch = this.#get(outcome.number)
      // The stream was faster.
      if (batch === undefined || batch.state === 'problem') continue
      if (outcome.globalStamp > reached) this.#noteApplied(draft, outcome)
      else this.#end(draft, batch)
    }
    this.#port.contents.commit(draft)
    this.#settle(outcomes)
    this.#port.changed()
  }

  /** A complete moment of the server: one commit with the batches that it includes. */
  arrive(draft: Draft, outcomes: readonly BatchOutcome[], position: Position): void {
    const { place } = this.#port
    const isOther = place.at !== null && place.at.instance !== position.instance
    this.#keepResults(outcomes)
    if (isOther) this.#askAgain(draft)
    for (const outcome of outcomes)
      if (outcome.kind === 'applied') this.#noteApplied(draft, outcome)
    place.draftMoment(draft, position)
    const applied = this.#table.query('state = applied').orderBy('number')
    for (const batch of isOther ? [] : [...(applied as Iterable<KeptBatch>)])
      if (appliedAt(draft, batch) <= position.globalStamp) this.#end(draft, batch)
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused' || outcome.globalStamp > position.globalStamp) continue
      const batch = this.#get(outcome.number)
      if (batch !== undefined && batch.state !== 'problem') this.#end(draft, batch)
    }
    this.#port.contents.commit(draft)
    this.#settle(outcomes)
    if (isOther) this.#port.added()
  }

  /**
   * Another instance of the server may have been restored from before a batch was applied. It is
   * sent again: the server knows by its number whether it was.
   */
  #askAgain(draft: Draft): void {
    const applied = this.#table.query('state = applied')
    for (const { number } of [...(applied as Iterable<KeptBatch>)]) {
      const values = { state: 'waiting', globalStamp: null, result: null }
      draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, values])
    }
  }

  /** Other tabs read the results of calls before the batches end. */
  #keepResults(outcomes: readonly BatchOutcome[]): void {
    const draft = newDraft()
    for (const outcome of outcomes)
      if (outcome.kind === 'applied' && outcome.result !== undefined)
        this.#noteApplied(draft, outcome)
    this.#port.contents.commit(draft)
  }

  #noteApplied(draft: Draft, { number, globalStamp, result }: Applied): void {
    if (this.#get(number)?.state !== 'waiting') return
    const values = {
      state: 'applied',
      globalStamp,
      ...(result !== undefined && { result: { value: result } }),
    }
    draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, values])
  }

  /** Its effects are here: the batch goes. */
  #end(draft: Draft, { number, items }: KeptBatch): void {
    draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, null])
    this.#port.contents.settle(draft, number, items.list)
  }

  #settle(outcomes: readonly BatchOutcome[]): void {
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused') this.#refuse(outcome)
      else {
        const { number, ...applied } = outcome
        this.#tell(number, applied)
      }
    }
  }

  #tell(number: number, outcome: Outcome): void {
    this.#outcomes.get(number)?.(outcome)
    this.#outcomes.delete(number)
  }

  /** A refused batch becomes another one, or a problem. */
  #refuse({ number, refusal }: Refused): void {
    const batch = this.#get(number)
    if (batch === undefined || batch.state === 'problem') return
    const { store, contents } = this.#port
    const choices = this.#choicesOf(refusal)
    if (choices !== null) {
      const settle = this.#outcomes.get(number)
      this.#outcomes.delete(number)
      const items = resolved(store, batch.items.list, refusal.conflicts, choices)
      void this.#replace(batch, items).then((outcome) => settle?.(outcome))
      return
    }
    const draft = newDraft()
    const problems = [{ batch, refusal }, ...this.#heldBy(batch)]
    for (const { batch, refusal } of problems) {
      const { number, items } = batch
      const values = { state: 'problem', refusal }
      draft.own.set(`problem ${number}`, [ReplicaBatch.name, number, values])
      contents.settle(draft, number, items.list)
    }
    contents.commit(draft)
    for (const { batch } of problems)
      this.#tell(batch.number, {
        kind: 'problem',
        problem: this.#problemOf(this.#get(batch.number)!),
      })
    this.#port.changed()
  }

  /** What depends on a refused batch: it is not sent. */
  #heldBy(batch: KeptBatch) {
    const { number, call } = batch
    const later = this.#table.query('state = waiting and number > :1', [number]).orderBy('number')
    const what = call === null ? '' : `, which calls ${call.name},`
    const message = `Transaction ${number} before it${what} was refused. Solve that one, then send this one again or drop it.`
    const refusal = { conflicts: [], errors: [{ code: 'callRefused', errCode: 0, message }] }
    const refused = new Dependencies()
    refused.add(batch)
    return [...(later as Iterable<KeptBatch>)].flatMap((batch) => {
      if (!refused.include(batch)) return []
      refused.add(batch)
      return [{ batch, refusal }]
    })
  }

  /** What the option `conflict` decides; null if it leaves a conflict to the user. */
  #choicesOf({ conflicts }: BatchRefusal): readonly Resolution[] | null {
    const { store, conflict: decide, onError } = this.#port
    if (decide === undefined || conflicts.length === 0) return null
    const choices: Resolution[] = []
    for (const conflict of conflicts) {
      let choice: Resolution | undefined
      try {
        choice = decide(shownConflict(store, conflict))
      } catch (error) {
        onError(error)
      }
      // An entity that is gone cannot be changed.
      if (choice === undefined || (conflict.theirs === null && choice !== 'theirs')) return null
      choices.push(choice)
    }
    return choices
  }

  /** Puts other changes in the place of a batch, at the end of the queue. */
  #replace(
    batch: KeptBatch,
    items: readonly BatchItem[],
    call: BatchCall | null = null,
  ): Promise<Outcome> {
    const { contents, place, added, changed } = this.#port
    const draft = newDraft()
    const globalStamp = place.at?.globalStamp ?? 0
    const number = items.length === 0 && call === null ? 0 : place.last + 1
    draft.own.set('old', [ReplicaBatch.name, batch.number, null])
    contents.settle(draft, batch.number, batch.items.list)
    if (number > 0) {
      const at = Date.now()
      const values = {
        state: 'waiting',
        items: { list: items },
        strict: batch.strict,
        call,
        at,
        replaces: batch.number,
      }
      draft.own.set('new', [ReplicaBatch.name, number, values])
      place.draftLast(draft, number)
      for (const { dataClass, key } of items) {
        const id = idOf(dataClass, key)
        draft.states.set(id, contents.base(dataClass, key))
        draft.touched.set(id, [dataClass, key])
      }
      contents.wait(number, items)
    }
    contents.commit(draft)
    const outcome: Promise<Outcome> =
      number === 0 ? Promise.resolve({ kind: 'applied', globalStamp }) : this.outcomeOf(number)
    if (number > 0) added()
    changed()
    return outcome
  }

  #problemOf({ number, call, refusal }: KeptBatch): Problem {
    const { conflicts = [], errors = [] } = refusal ?? {}
    const { store } = this.#port
    return {
      number,
      ...(call !== null && { call }),
      conflicts: conflicts.map((each) => shownConflict(store, each)),
      errors,
    }
  }

  #get(number: number): KeptBatch | undefined {
    return this.#table.get(number) as object as KeptBatch | undefined
  }
  get #table() {
    return this.#port.store.dataClass(ReplicaBatch.name)
  }
}

type Applied = Extract<BatchOutcome, { kind: 'applied' }>
type Refused = Extract<BatchOutcome, { kind: 'refused' }>

/** An entity of `ReplicaBatch`. */
interface KeptBatch {
  readonly number: number
  readonly state: string
  readonly items: { readonly list: readonly BatchItem[] }
  readonly strict: boolean
  readonly call: BatchCall | null
  readonly result: { readonly value: unknown } | null
  readonly globalStamp: number | null
  readonly refusal: BatchRefusal | null
  readonly choices: { readonly list: readonly Resolution[] } | null
}

/** The entities that a batch changes, or for which it calls a function. */
const idsOf = ({ items, call }: KeptBatch): readonly string[] =>
  call === null
    ? items.list.map(({ dataClass, key }) => idOf(dataClass, key))
    : call.key === null
      ? []
      : [idOf(call.dataClass, call.key)]

/**
 * What later batches depend on: calls, and new entities for which a function is called. The key of
 * one that is refused may be that of an entity of somebody else. Values are compared by the server.
 */
class Dependencies {
  readonly #called = new Set<string>()
  readonly #made = new Set<string>()

  add(batch: KeptBatch): void {
    if (batch.call !== null) for (const id of idsOf(batch)) this.#called.add(id)
    for (const { kind, dataClass, key } of batch.items.list)
      if (kind === 'insert') this.#made.add(idOf(dataClass, key))
  }
  include(batch: KeptBatch): boolean {
    return idsOf(batch).some(
      (id) => this.#called.has(id) || (batch.call !== null && this.#made.has(id)),
    )
  }
}

function appliedAt({ own }: Draft, { number, globalStamp }: KeptBatch): number {
  const noted = own.get(`batch ${number}`)?.[2] as { readonly globalStamp?: number } | null
  return noted?.globalStamp ?? globalStamp ?? 0
}
