import { useRef, useSyncExternalStore } from 'react'

/** The part of a replica that a page shows. See `@entia/replica`. */
export interface ShownReplica<S extends string = string> {
  readonly state: S
  readonly error: unknown
  readonly waiting: { readonly count: number }
  readonly problems: { keys(): readonly (string | number)[] }
  subscribe(listener: () => void): () => void
}

/** What `useReplica` returns. */
export interface ReplicaStatus<S extends string = string> {
  readonly state: S
  /** Why the replica is `offline` or `refused`; null in other states. */
  readonly error: unknown
  /** How many transactions the server has not decided. */
  readonly waiting: number
  /** The numbers of the transactions that it has refused; `replica.problem(number)` says why. */
  readonly problems: readonly number[]
}

/**
 * The state of a replica, and what waits. Its entities come from `useLive(replica.store…)`, as
 * those of any store in this process.
 *
 * @example
 * ```ts
 * import { replicate } from '@entia/replica'
 * const replica = await replicate(client, { dataClasses, shapes: { Employee: {} } })
 * const Status = () => `${useReplica(replica).waiting} waiting`
 * ```
 */
export function useReplica<S extends string>(replica: ShownReplica<S>): ReplicaStatus<S> {
  const known = useRef<ReplicaStatus<S> | null>(null)
  const read = (): ReplicaStatus<S> => {
    const next = {
      state: replica.state,
      error: replica.error,
      waiting: replica.waiting.count,
      problems: replica.problems.keys() as readonly number[],
    }
    // React compares by identity.
    if (!isSame(known.current, next)) known.current = next
    return known.current as ReplicaStatus<S>
  }
  return useSyncExternalStore(replica.subscribe, read, read)
}

const isSame = (a: ReplicaStatus | null, b: ReplicaStatus): boolean =>
  a !== null &&
  a.state === b.state &&
  a.error === b.error &&
  a.waiting === b.waiting &&
  a.problems.length === b.problems.length &&
  a.problems.every((number, at) => number === b.problems[at])
