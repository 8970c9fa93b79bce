import type { Remote } from '@entia/client'
import type { AnyDataClass, CheckedClasses } from '@entia/core'
import type { Capability } from '@entia/core/internal'
import type { KernelModelOf, KernelStore } from '@entia/core/kernel'
import { openReplica } from './open-replica.ts'
import type { ReplicaBatch } from './own-classes.ts'
import type { Replica, ReplicateOptions } from './replicate.ts'

type Classes = readonly AnyDataClass[]
type Held<T extends Classes, C extends string> = KernelModelOf<
  readonly [...T, typeof ReplicaBatch],
  C
>

type Nothing = Record<never, never>

/** What `replicate` of `@entia/replica/kernel` is given. */
export interface KernelReplicateOptions<T, C extends string> extends ReplicateOptions<T> {
  /** What the store can do beside reading entities; nothing by default. */
  readonly capabilities?: readonly Capability<C>[]
}

/** A replica whose store has chosen capabilities. */
export interface KernelReplica<T extends Classes, C extends string>
  extends Omit<Replica<T>, 'store'> {
  readonly store: KernelStore<Held<T, C>, C, Nothing, Nothing>
}

/**
 * As `replicate` of `@entia/replica`, with a store that has only the capabilities it is given, so
 * that bundlers omit the others.
 *
 * @example
 * ```ts
 * import { liveQueries } from '@entia/core/kernel'
 * const shapes = { Employee: { with: ['employer'] } } as const
 * const options = { dataClasses, shapes, capabilities: [liveQueries] }
 * const replica = await replicate(client, options)
 * replica.store.Employee.query('salary > 50000').count // → 1
 * await replica.close()
 * ```
 */
export async function replicate<const T extends Classes, const C extends string = never>(
  db: Remote<never> | object,
  given: KernelReplicateOptions<T & CheckedClasses<T>, C>,
): Promise<KernelReplica<T, C>> {
  const { capabilities = [], ...options } = given ?? {}
  const replica: unknown = await openReplica(db, options as ReplicateOptions, capabilities)
  return replica as KernelReplica<T, C>
}
