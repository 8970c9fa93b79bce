import { EntiaError, type Session } from '@entia/core'
import { Access, CORE_ERRORS } from '@entia/core/internal'
import {
  type Awaitable,
  type OpenTransaction,
  type Outcome,
  outcomeOf,
  type WorkingStore,
} from '@entia/engine'
import { type AsyncRuns, notWithin, type RunFacts } from './sql-user.ts'

/** A call of `tx`. */
interface Call {
  readonly isWrite: boolean
  readonly run: (access: Access) => Awaitable<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * One transaction whose body may wait. The body runs once. A call that needs entities which are not
 * loaded ends the run of the decision; the next run repeats the writes before it, over all that is
 * loaded by then. Cost: each call that loads repeats the earlier writes, without the database.
 */
export class Transacting<R> implements AsyncRuns {
  readonly port = null
  readonly #session: Session | null
  readonly #begin: (runs: AsyncRuns) => Promise<R>
  #body: Promise<void> | null = null
  #settled: Outcome<R> | null = null
  /** The writes that succeeded so far. */
  readonly #done: Call[] = []
  readonly #waiting: Call[] = []
  #failure: { readonly error: unknown } | null = null
  #wantsToWrite = false
  #wake = (): void => {}

  constructor(session: Session | null, begin: (runs: AsyncRuns) => Promise<R>) {
    this.#session = session
    this.#begin = begin
  }

  async session(): Promise<Session | null> {
    return this.#session
  }
  async openSession(): Promise<Session> {
    throw notWithin('A new session', WITH_THE_STORE)
  }
  read<T>(facts: RunFacts, body: (access: Access) => Awaitable<T>): Promise<T> {
    return this.#call(facts, body, false)
  }
  write<T>(_name: string, facts: RunFacts, body: (access: Access) => Awaitable<T>): Promise<T> {
    return this.#call(facts, body, true)
  }

  /** True from the first write on: the reads before it are those of a snapshot. */
  get wantsToWrite(): boolean {
    return this.#wantsToWrite
  }

  /** One run of the decision. Void if something is missing afterwards. */
  async run(working: WorkingStore): Promise<R> {
    this.#body ??= this.#started()
    const store = await this.#replayed(working)
    let { transaction } = store
    for (;;) {
      if (this.#failure !== null) break
      const call = this.#waiting[0]
      if (call === undefined) {
        if (this.#settled !== null) break
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      if (call.isWrite && !this.#wantsToWrite) {
        this.#wantsToWrite = true
        transaction.rollback()
        return VOID as R
      }
      const outcome = await outcomeOf(async () => call.run(store.access))
      if (working.missing.length > 0) {
        transaction.rollback()
        return VOID as R
      }
      if (this.#failure !== null) break
      this.#waiting.shift()
      if (call.isWrite && transaction.hasFailed()) {
        // A part of it is staged: the transaction goes on as if it had not been called.
        transaction.rollback()
        working.begin()
        Object.assign(store, await this.#replayed(working))
        transaction = store.transaction
      } else if (call.isWrite) this.#done.push(call)
      if (outcome.kind === 'returned') call.resolve(outcome.value)
      else call.reject(outcome.error)
    }
    if (this.#failure !== null || this.#settled?.kind !== 'returned') {
      transaction.rollback()
      throw this.#failure?.error ?? (this.#settled as { readonly error: unknown }).error
    }
    transaction.commit()
    return this.#settled.value
  }

  /** Ends the transaction: calls that wait, and later ones, are rejected. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    for (const call of this.#waiting.splice(0)) call.reject(error)
    this.#wake()
  }

  async #started(): Promise<void> {
    this.#settled = await outcomeOf(() => this.#begin(this))
    this.#wake()
  }

  async #replayed(working: WorkingStore): Promise<Replayed> {
    const session = this.#session === null ? null : working.adopt(this.#session)
    const access = new Access(working.store, session)
    const transaction = working.open()
    for (const call of this.#done) await outcomeOf(async () => call.run(access))
    return { access, transaction }
  }

  #call<T>(
    { sets = [] }: RunFacts,
    run: (access: Access) => Awaitable<T>,
    isWrite: boolean,
  ): Promise<T> {
    if (this.#failure !== null) return Promise.reject(this.#failure.error)
    if (this.#settled !== null) return Promise.reject(endedError())
    if (sets.length > 0) return Promise.reject(notWithin('An entity set', WITH_THE_STORE))
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ isWrite, run, resolve: (value) => resolve(value as T), reject })
      this.#wake()
    })
  }
}

interface Replayed {
  access: Access
  transaction: OpenTransaction
}

/** The value of a run that is void. */
const VOID: unknown = undefined

const WITH_THE_STORE = 'Use it before or after the transaction, with the store itself.'

const endedError = (): EntiaError =>
  new EntiaError(
    'notInTransaction',
    { operation: 'A call of tx', remedy: 'Await every call of tx inside of the body.' },
    undefined,
    {
      ...CORE_ERRORS.notInTransaction,
      message: ({ remedy }) => `The transaction of this tx has ended. ${remedy}`,
    },
  )
