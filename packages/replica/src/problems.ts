import type { AnyDataStore, AnySelection } from '@entia/core'
import type { BatchCall, BatchItem, BatchOutcome, BatchRefusal } from '@entia/core/internal'
import {
  type Conflict,
  checkResolution,
  type Resolution,
  resolved,
  shownConflict,
} from './conflict.ts'
import { type Contents, idOf, newDraft } from './contents.ts'
import { Dependencies, type KeptBatch } from './kept-batch.ts'
import { keptItems } from './kept-dates.ts'
import type { Outcome, Outcomes, Problem } from './outcomes.ts'
import { ReplicaBatch } from './own-classes.ts'
import type { Place } from './place.ts'

/** What becomes of all conflicts of a transaction, or of each. */
export type Choice = Resolution | ((conflict: Conflict) => Resolution)

export interface ProblemsPort {
  readonly store: AnyDataStore
  readonly place: Place
  readonly contents: Contents
  readonly conflict: ((conflict: Conflict) => Resolution | undefined) | undefined
  readonly onError: (error: unknown) => void
  /** A batch waits. */
  added(): void
  changed(): void
}

/** The batches that the server has refused, until they are dropped or sent as others. */
export class Problems {
  readonly #port: ProblemsPort
  readonly #outcomes: Outcomes

  constructor(port: ProblemsPort, outcomes: Outcomes) {
    this.#port = port
    this.#outcomes = outcomes
  }

  /** All of them, as entities. */
  get all(): AnySelection {
    return this.#table.query('state = problem').orderBy('number')
  }
  get(number: number): Problem | undefined {
    const batch = this.#get(number)
    return batch?.state === 'problem' ? this.problemOf(batch) : undefined
  }
  solve(number: number, choice: Choice): Promise<Outcome> {
    return this.solveBatch(this.#unsolved(number), this.choicesOf(number, choice))
  }

  /** What a choice is for each conflict of a problem. Throws a TypeError for a wrong one. */
  choicesOf(number: number, choice: Choice): readonly Resolution[] {
    const batch = this.#unsolved(number)
    const { conflicts } = this.problemOf(batch)
    if (typeof choice !== 'function') checkResolution(choice)
    if (conflicts.length === 0) {
      if (typeof choice === 'object')
        throw new TypeError(
          `Problem ${number} has no conflicts, and takes no values: pass 'mine' to send it again, or 'theirs' to drop it.`,
        )
      return [choice === 'theirs' ? 'theirs' : 'mine']
    }
    const choices = conflicts.map(typeof choice === 'function' ? choice : () => choice)
    for (const each of choices) checkResolution(each)
    resolved(this.#port.store, batch.items.list, batch.refusal?.conflicts ?? [], choices)
    return choices
  }

  /** Leaves it to the tab with the stream to solve a problem. Part of the open transaction. */
  askToSolve(number: number, list: readonly Resolution[]): void {
    this.#table.update(number, { state: 'solving', choices: { list } })
  }

  #unsolved(number: number): KeptBatch {
    const batch = this.#get(number)
    if (batch?.state === 'problem') return batch
    throw new TypeError(`There is no problem ${number}: it was solved already, or never existed.`)
  }

  /** Solves a problem by a choice for each of its conflicts. */
  solveBatch(batch: KeptBatch, choices: readonly Resolution[]): Promise<Outcome> {
    const { items, call } = batch
    const reported = batch.refusal?.conflicts ?? []
    if (reported.length > 0)
      return this.#replace(batch, resolved(this.#port.store, items.list, reported, choices))
    return choices[0] === 'theirs'
      ? this.#replace(batch, [])
      : this.#replace(batch, items.list, call)
  }

  /** A refused batch becomes another one, or a problem. */
  refuse({ number, refusal }: Refused): void {
    const batch = this.#get(number)
    if (batch === undefined || batch.state === 'problem' || batch.state === 'done') return
    const { store, contents } = this.#port
    const choices = this.#choicesOf(refusal)
    if (choices !== null) {
      const settle = this.#outcomes.take(number)
      const items = resolved(store, batch.items.list, refusal.conflicts, choices)
      void this.#replace(batch, items).then((outcome) => settle?.(outcome))
      return
    }
    const draft = newDraft()
    const problems = [{ batch, refusal }, ...this.#heldBy(batch)]
    for (const { batch, refusal } of problems) {
      const { number, items } = batch
      const values = { state: 'problem', refusal, result: null }
      draft.own.set(`problem ${number}`, [ReplicaBatch.name, number, values])
      contents.settle(draft, number, items.list)
    }
    // A listener may solve it.
    const told = problems.map((each) => this.problemOf({ ...each.batch, refusal: each.refusal }))
    contents.commit(draft)
    for (const problem of told) this.#outcomes.tell(problem.number, { kind: 'problem', problem })
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
        if (choice !== undefined) checkResolution(choice)
      } catch (error) {
        onError(error)
        return null
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
        items: keptItems(this.#port.store, items),
        strict: batch.strict,
        call,
        at,
        replaces: batch.number,
      }
      draft.own.set('new', [ReplicaBatch.name, number, values])
      place.draftLast(draft, number)
      for (const { dataClass, key } of items.filter(contents.isKnown)) {
        const id = idOf(dataClass, key)
        draft.entities.set(id, { dataClass, key, state: contents.base(dataClass, key) })
      }
      contents.wait(number, items)
    }
    contents.commit(draft)
    const outcome: Promise<Outcome> =
      number === 0 ? Promise.resolve({ kind: 'applied', globalStamp }) : this.#outcomes.of(number)
    if (number > 0) added()
    changed()
    return outcome
  }

  problemOf({ number, call, refusal }: KeptBatch): Problem {
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

type Refused = Extract<BatchOutcome, { kind: 'refused' }>
