import type { AnySelection } from '@entia/core'
import { type Batch, type BatchCall, type BatchOutcome, OwnStamps } from '@entia/core/internal'
import { type Draft, newDraft } from './contents.ts'
import { Dependencies, type KeptBatch } from './kept-batch.ts'
import { adaptedItems, keptItems } from './kept-dates.ts'
import type { LocalChange } from './local-changes.ts'
import { type Outcome, Outcomes } from './outcomes.ts'
import { type Position, ReplicaBase, ReplicaBatch } from './own-classes.ts'
import { Problems, type ProblemsPort } from './problems.ts'
import { Results } from './results.ts'

/**
 * The transactions that the server has not decided or has refused.
 * A batch is in the store until its effects are: a reload between the two loses neither.
 */
export class Batches {
  readonly #port: ProblemsPort
  readonly #outcomes = new Outcomes()
  readonly problems: Problems
  readonly results: Results

  constructor(port: ProblemsPort) {
    this.#port = port
    this.results = new Results(port.store, port.contents)
    this.problems = new Problems(port, this.#outcomes)
  }

  /** Those whose effects have not arrived, as entities: what would be lost. */
  get unsettled(): AnySelection {
    return this.#table.query('state != done')
  }
  get waiting(): AnySelection {
    return this.#table.query('state != problem and state != done').orderBy('number')
  }
  /** Up to this number, all outcomes have arrived. */
  get received(): number {
    const first = this.#table.query('state = waiting').orderBy('number').first()
    return ((first as KeptBatch | undefined)?.number ?? this.#port.place.last + 1) - 1
  }
  /** True if no batch up to a number waits for its outcome, or for its effects. */
  isSettled(number: number): boolean {
    return (
      this.#table.query('(state = waiting or state = applied) and number <= :1', [number]).count ===
      0
    )
  }
  /**
   * The first batches that wait, after those whose effects have not arrived: a server that was
   * restored may not have these, and would count them as decided after a later number. None above
   * `last`.
   */
  sendable(most: number, last: number): readonly Batch[] {
    const filter = '(state = waiting or state = applied) and number <= :1'
    const unsettled = this.#table.query(filter, [last]).orderBy('number')
    const batches = [...(unsettled.page(0, most) as Iterable<KeptBatch>)]
    const before = new Dependencies()
    // What depends on others is sent once they are decided.
    const held = batches.findIndex((batch) => {
      if (batch.state === 'applied') return false
      if (before.include(batch)) return true
      before.add(batch)
      return false
    })
    const sent = batches.slice(0, held < 0 ? most : held)
    if (sent.at(-1)?.state !== 'waiting') return []
    return sent.map(({ number, items, strict, call }) => ({
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
    const own = new OwnStamps()
    for (const { items, stamps } of this.#applied as Iterable<KeptBatch>)
      own.add(items.list, stamps?.list ?? [])
    const list = own.after(changes.map(({ item }) => item))
    return this.#insert({ items: keptItems(store, list), strict })
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
    return this.#outcomes.of(number)
  }

  /** Other definitions than before read what is kept. */
  adapt(): void {
    const { store, contents } = this.#port
    const draft = newDraft()
    for (const { number, items } of this.#table.all() as Iterable<KeptBatch>) {
      const values = { items: adaptedItems(store, items) }
      draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, values])
    }
    contents.commit(draft)
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
      void this.problems.solveBatch(batch, batch.choices?.list ?? [])
  }

  /** Settles the outcomes that the tab with the stream has written. */
  noticed(): void {
    for (const number of this.#outcomes.numbers) {
      const batch = this.#get(number)
      const next = this.#table.query('replaces = :1', [number]).orderBy('number desc').first()
      if (batch?.state === 'problem')
        this.#outcomes.tell(number, { kind: 'problem', problem: this.problems.problemOf(batch) })
      else if (batch?.state === 'applied' || batch?.state === 'done')
        this.#outcomes.tell(number, {
          kind: 'applied',
          globalStamp: batch.globalStamp ?? 0,
          ...(batch.result !== null && { result: batch.result.value }),
        })
      else if (batch === undefined && next !== undefined)
        this.#outcomes.move(number, (next as object as KeptBatch).number)
      else if (batch === undefined) {
        const globalStamp = this.#port.place.at?.globalStamp ?? 0
        this.#outcomes.tell(number, { kind: 'applied', globalStamp })
      }
    }
  }

  /** The answers to a request. */
  decided(given: readonly BatchOutcome[]): void {
    // What the server has applied and then forgotten is applied.
    const outcomes = given.filter(
      ({ kind, number }) => kind === 'applied' || this.#get(number)?.state !== 'applied',
    )
    this.#keepResults(outcomes)
    this.#adjustWaiting(outcomes)
    const draft = newDraft()
    const reached = this.#port.place.at?.globalStamp ?? -1
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused') continue
      const batch = this.#get(outcome.number)
      // The stream was faster.
      if (batch === undefined || isEnded(batch)) continue
      if (outcome.globalStamp > reached) this.#noteApplied(draft, outcome)
      else this.#end(draft, batch)
    }
    this.#port.contents.commit(draft)
    this.results.limit()
    this.#settle(outcomes)
    this.#port.changed()
  }

  /** A complete moment of the server: one commit with the batches that it includes. */
  arrive(draft: Draft, outcomes: readonly BatchOutcome[], position: Position): void {
    const { place } = this.#port
    const isOther = place.at !== null && place.at.instance !== position.instance
    this.#keepResults(outcomes)
    this.#adjustWaiting(outcomes)
    if (isOther) this.#askAgain(draft)
    for (const outcome of outcomes)
      if (outcome.kind === 'applied') this.#noteApplied(draft, outcome)
    place.draftMoment(draft, position)
    for (const batch of isOther ? [] : [...(this.#applied as Iterable<KeptBatch>)])
      if (appliedAt(draft, batch) <= position.globalStamp) this.#end(draft, batch)
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused' || outcome.globalStamp > position.globalStamp) continue
      const batch = this.#get(outcome.number)
      if (batch !== undefined && !isEnded(batch)) this.#end(draft, batch)
    }
    this.#port.contents.commit(draft)
    this.results.limit()
    this.#settle(outcomes)
    if (isOther) this.#port.added()
  }

  /**
   * Another instance of the server may have been restored from before a batch was applied. It is
   * sent again: the server knows by its number whether it was. It may have forgotten the result.
   */
  #askAgain(draft: Draft): void {
    for (const { number } of [...(this.#applied as Iterable<KeptBatch>)]) {
      const values = { state: 'waiting', globalStamp: null, stamps: null }
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

  /** What waits was made for entities as they were before these batches. */
  #adjustWaiting(outcomes: readonly BatchOutcome[]): void {
    const own = new OwnStamps()
    const decided = new Set<number>()
    for (const outcome of outcomes) {
      decided.add(outcome.number)
      if (outcome.kind === 'applied')
        own.add(this.#get(outcome.number)?.items.list ?? [], outcome.stamps ?? [])
    }
    if (own.isEmpty) return
    const draft = newDraft()
    for (const { number, items } of this.#table.query('state = waiting') as Iterable<KeptBatch>) {
      const list = own.after(items.list)
      if (list !== items.list && !decided.has(number))
        draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, { items: { ...items, list } }])
    }
    this.#port.contents.commit(draft)
  }

  #noteApplied(draft: Draft, { number, globalStamp, result, stamps }: Applied): void {
    if (this.#get(number)?.state !== 'waiting') return
    const values = {
      state: 'applied',
      globalStamp,
      ...(result !== undefined && { result: { value: result } }),
      ...(stamps !== undefined && { stamps: { list: stamps } }),
    }
    draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, values])
  }

  /** Its effects are here: the batch goes, except the result of a call. */
  #end(draft: Draft, batch: KeptBatch): void {
    const { number, items } = batch
    if (!this.results.keep(draft, batch))
      draft.own.set(`batch ${number}`, [ReplicaBatch.name, number, null])
    this.#port.contents.settle(draft, number, items.list)
  }

  #settle(outcomes: readonly BatchOutcome[]): void {
    for (const outcome of outcomes) {
      if (outcome.kind === 'refused') this.problems.refuse(outcome)
      else {
        const { number, kind, globalStamp, result } = outcome
        this.#outcomes.tell(number, {
          kind,
          globalStamp,
          ...(result !== undefined && { result }),
        })
      }
    }
  }

  /** Those whose effects have not arrived. */
  get #applied(): AnySelection {
    return this.#table.query('state = applied').orderBy('number')
  }
  #get(number: number): KeptBatch | undefined {
    return this.#table.get(number) as object as KeptBatch | undefined
  }
  get #table() {
    return this.#port.store.dataClass(ReplicaBatch.name)
  }
}

const isEnded = ({ state }: KeptBatch): boolean => state === 'problem' || state === 'done'

type Applied = Extract<BatchOutcome, { kind: 'applied' }>

function appliedAt({ own }: Draft, { number, globalStamp }: KeptBatch): number {
  const noted = own.get(`batch ${number}`)?.[2] as { readonly globalStamp?: number } | null
  return noted?.globalStamp ?? globalStamp ?? 0
}
