import type { Remote } from '@entia/client'
import type {
  AnyDataClass,
  AnyDataStore,
  CheckedClasses,
  DataStore,
  ModelOf,
  Transaction,
} from '@entia/core'
import { ALL_CAPABILITIES } from '@entia/core/internal'
import type { ReplicaCalls } from './calls.ts'
import type { Conflict, Resolution } from './conflict.ts'
import { openReplica } from './open-replica.ts'
import type { Outcome, Problem } from './outcomes.ts'
import type { ReplicaBatch } from './own-classes.ts'
import type { ReplicaState } from './replica-parts.ts'
import type { Shape } from './shapes.ts'

type Classes = readonly AnyDataClass[]
/** The dataclasses of a replica: those of its model, and its own queue. */
type Held<T extends Classes> = ModelOf<readonly [...T, typeof ReplicaBatch]>
type Batches<T extends Classes> = ReturnType<DataStore<Held<T>>['dataClass']>

/** What `replicate` is given. */
export interface ReplicateOptions<T = Classes> {
  /**
   * The definitions. Hooks and functions of the server may be left out; those that are here run
   * here too.
   */
  readonly dataClasses: T
  /** What the replica holds, by dataclass. */
  readonly shapes: { readonly [dataClass: string]: Shape | true }
  /**
   * Decides a conflict without the user. It gets one conflict at a time; `undefined` makes a
   * problem of the transaction.
   */
  readonly conflict?: (conflict: Conflict) => Resolution | undefined
  /**
   * How many whole-number keys are asked for at a time, by dataclass, at most 10,000. New entities
   * get them, also without a connection; the next ones are asked for when half of them are used. A
   * key that is not used stays a gap.
   */
  readonly lease?: { readonly [dataClass: string]: number }
  /** Refuses changes of an entity that anybody has saved since, whatever the values. */
  readonly strict?: boolean
  /** Answers every query with what is held, also if it may be a part of the answer. */
  readonly partial?: boolean
  /**
   * Keeps the replica: opens a journal over its store, as `(store) => openJournal(store, folder)`
   * of `@entia/core/node` does. Without it the replica is in memory only. For several tabs of a
   * browser: `(store, tab) => openBrowserJournal(store, name, tab)`.
   */
  readonly keep?: (store: AnyDataStore, tab: TabOptions) => Promise<Kept>
  /**
   * The ID of the user at the server, null for a guest. What is kept of another user is removed
   * before it is shown. Without it, that happens once the server is met.
   */
  readonly user?: string | null
  /** What is kept is not shown after so many days without the server. */
  readonly expires?: { readonly days: number }
  /** Removes transactions that wait if they are those of another user or expired. */
  readonly drop?: boolean
  /** Called with errors that no promise of the replica reports. */
  readonly onError?: (error: unknown) => void
  /** Milliseconds before the connection is opened again: at first, and at most. */
  readonly pauses?: { readonly first: number; readonly longest: number }
}

/** Options of a journal in a browser, with which the tabs share one stream. */
export interface TabOptions {
  onRole(role: 'writer' | 'follower' | 'closed'): void
}

/** A journal. */
export interface Kept {
  /** What this tab of a browser does. */
  readonly role?: 'writer' | 'follower' | 'closed'
  /** Why the journal has closed itself; null if it has not. */
  readonly error?: unknown
  /** Runs a transaction in a tab that follows another one. */
  transact?(body: () => never): Promise<unknown>
  flush(): Promise<void>
  /** Writes the current state and drops older ones, except one generation. */
  compact(): Promise<void>
  close(): Promise<void>
}

/** A transaction that ran here and is on its way to the server. */
export interface Sent<R> {
  /** What the body has returned. */
  readonly result: R
  /** Identifies it among `waiting` and `problems`; 0 if it has changed nothing. */
  readonly number: number
  /** Resolves when the server has decided, also if that takes days. It does not reject. */
  readonly outcome: Promise<Outcome>
}

/** A part of a server's store that is here. */
export interface Replica<T extends Classes = Classes> extends ReplicaCalls<ModelOf<T>> {
  /**
   * A store as any other, for reading. It shows one moment of the server, and the changes of this
   * replica that wait. A query that needs more than the shapes hold throws `notReplicated`.
   */
  readonly store: DataStore<Held<T>>
  readonly state: ReplicaState
  /**
   * Why the replica is `offline` or `refused`, or was closed although the program has not closed
   * it; null in other states.
   */
  readonly error: unknown
  /** The transactions that the server has not decided, or whose effects have not arrived. */
  readonly waiting: ReturnType<Batches<T>['all']>
  /** The transactions that the server has refused. `problem(number)` says why. */
  readonly problems: ReturnType<Batches<T>['all']>
  problem(number: number): Problem | undefined
  /**
   * The calls that the server has applied, with what they have returned, also before the program
   * has started again. Each is kept until it is dismissed: the newest 100, altogether 1,000,000
   * characters of JSON.
   */
  readonly results: ReturnType<Batches<T>['all']>
  /** Removes a result that the program has taken. Rejects with a TypeError for an unknown one. */
  dismiss(result: number | { readonly number: number }): Promise<void>
  /**
   * Runs a transaction here, shows its effects at once, and sends it. Resolves when it is kept.
   * Rejects with what the body throws and with the refusals of the rules that can be checked here,
   * and with errors of the journal: the transaction then waits, and is sent once it is kept.
   */
  transact<R>(
    body: (tx: Transaction<ModelOf<T>>) => R extends PromiseLike<unknown> ? never : R,
    options?: { readonly strict?: boolean },
  ): Promise<Sent<R>>
  /**
   * Decides what becomes of a problem: sends it again with the values of the transaction (`mine`)
   * or others, or drops it (`theirs`). A function decides each conflict. Resolves as `outcome`.
   */
  solve(
    problem: number | { readonly number: number },
    choice: Resolution | ((conflict: Conflict) => Resolution),
  ): Promise<Outcome>
  /**
   * Adds and replaces shapes; null removes one. Resolves when the replica holds them. Rejects if
   * the server refuses them: the replica is then `refused` until it gets others, or is connected
   * again with the former ones.
   */
  reshape(shapes: { readonly [dataClass: string]: Shape | true | null }): Promise<void>
  /** Opens the connection again: after a login, or if the server has refused it. */
  reconnect(): void
  /**
   * Resolves when the replica is `current`, leased keys are here and no transaction waits. Rejects
   * once the replica is closed.
   */
  current(): Promise<void>
  /**
   * Calls back after changes of `state`, `waiting`, `problems` and `results`. Returns a function
   * that ends that.
   */
  subscribe(listener: () => void): () => void
  /**
   * Closes the replica and removes its data. Throws `batchesWait` if transactions would be lost,
   * unless `drop` is true.
   */
  forget(options?: { readonly drop?: boolean }): Promise<void>
  /** Ends the connection. The store stays readable; what waits is sent at the next start. */
  close(): Promise<void>
}

/**
 * Holds a part of a server's store here. Resolves when the first contents are complete, or at once
 * if a journal has them. Throws a RemoteError if there are none and the server cannot be reached or
 * refuses, and the errors of shapes.
 *
 * @example
 * ```ts
 * const shapes = { Employee: { with: ['employer'] } } as const
 * const replica = await replicate(client, { dataClasses, shapes })
 * replica.store.Employee.query('salary > 50000').count // → 1
 * await replica.close()
 * ```
 */
export async function replicate<const T extends Classes>(
  db: Remote<never> | object,
  options: ReplicateOptions<T & CheckedClasses<T>>,
): Promise<Replica<T>> {
  const replica: unknown = await openReplica(db, options as ReplicateOptions, ALL_CAPABILITIES)
  return replica as Replica<T>
}
