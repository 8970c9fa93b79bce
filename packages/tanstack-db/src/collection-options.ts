import type { RemoteClass, RemoteEntity } from '@entia/client'
import type {
  AsyncEntity,
  AttributesOf,
  Condition,
  DataClassTable,
  KeyOf,
  Model,
  NewAsyncEntity,
  Untyped,
} from '@entia/core'
import { checkObject, describeFound, refused } from '@entia/core/internal'
import type { Replica } from '@entia/replica'
import type { CollectionConfig, LoadSubsetOptions } from '@tanstack/db'
import { conditionsOf, Filter } from './filter.ts'
import { remoteSource } from './remote-source.ts'
import { replicaSource } from './replica-source.ts'
import { type Key, type Row, Rows } from './rows.ts'
import type { Source } from './source.ts'
import { type Subset, Subsets } from './subsets.ts'
import { conditionFor } from './window.ts'
import { type Mutation, Writes } from './writes.ts'

/** The rows that a collection takes and shows. A Standard Schema that accepts every value. */
export interface RowSchema<I, O> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: O }
    readonly types?: { readonly input: I; readonly output: O }
  }
}

/** Options of a collection, besides those of TanStack DB, which may be added. */
export interface EntiaCollectionOptions<M extends Model, N extends keyof M> {
  /** Identifies the collection; the name of the dataclass by default. */
  readonly id?: string
  /** The name of the key attribute. */
  readonly key: keyof AttributesOf<M, N> & string
  /** The only entities that the collection has: a condition of `where`. */
  readonly filter?: Condition<N & string>
  /**
   * `on-demand`, the default, loads what live queries need. `eager` loads all entities of the
   * filter when the collection starts.
   */
  readonly syncMode?: 'on-demand' | 'eager'
}
export interface RemoteCollectionOptions<M extends Model, N extends keyof M>
  extends EntiaCollectionOptions<M, N> {
  /** A dataclass of a client: `db.Employee`. */
  readonly dataClass: RemoteClass<M, N>
}
export interface ReplicaCollectionOptions<M extends Model, N extends keyof M>
  extends EntiaCollectionOptions<M, N> {
  /** A dataclass of the store of a replica: `replica.store.Employee`. */
  readonly dataClass: DataClassTable<M, N>
  readonly replica: Replica<Untyped>
}

/** Members of `collection.utils`. A type, because TanStack DB takes records of functions. */
export type EntiaUtils = {
  /**
   * A key for a row whose key comes from a sequence of the server. The row gets its own when it is
   * saved.
   */
  readonly temporaryKey: () => number
}

/**
 * Options for `createCollection`, to which those of TanStack DB can be added. What TanStack DB
 * calls is not typed here, so that every version takes it.
 */
export interface EntiaCollectionConfig<M extends Model, N extends keyof M, E> {
  readonly id: string
  readonly getKey: (row: E) => KeyOf<AttributesOf<M, N>> & Key
  readonly schema: RowSchema<NewAsyncEntity<M, N>, E>
  readonly syncMode: 'on-demand' | 'eager'
  readonly sync: { readonly sync: (parts: Untyped) => Untyped; readonly rowUpdateMode: 'full' }
  readonly onInsert: (mutated: Untyped) => Promise<void>
  readonly onUpdate: (mutated: Untyped) => Promise<void>
  readonly onDelete: (mutated: Untyped) => Promise<void>
  readonly utils: EntiaUtils
}

/**
 * Options of a collection of TanStack DB whose rows are the entities of a dataclass: of a client,
 * or of a replica. Live queries of the collection send their conditions, and those with an order
 * and a limit only read what they show. Every change shows at once. It is sent with the stamp that
 * was read, and its transaction rejects with a `MutationError` if the server refuses it.
 *
 * @example
 * ```ts
 * import { createCollection, createLiveQueryCollection, gt } from '@tanstack/db'
 * const options = entiaCollectionOptions({ dataClass: client.Employee, key: 'ID' })
 * const employees = createCollection(options)
 * const rich = createLiveQueryCollection((q) =>
 *   q.from({ e: employees }).where(({ e }) => gt(e.salary, 50_000)))
 * await rich.preload()
 * rich.toArray.map(({ lastName }) => lastName) // → [ 'Byron' ]
 * await employees.update(1, (draft) => { draft.salary = 71_000 }).isPersisted.promise
 * store.Employee.get(1)?.salary // → 71000
 * ```
 */
export function entiaCollectionOptions<M extends Model, N extends keyof M>(
  options: RemoteCollectionOptions<M, N>,
): EntiaCollectionConfig<M, N, RemoteEntity<M, N>>
export function entiaCollectionOptions<M extends Model, N extends keyof M>(
  options: ReplicaCollectionOptions<M, N>,
): EntiaCollectionConfig<M, N, AsyncEntity<M, N>>
export function entiaCollectionOptions(
  options: RemoteCollectionOptions<Untyped, string> | ReplicaCollectionOptions<Untyped, string>,
): Untyped {
  checkObject('The options of entiaCollectionOptions', options)
  const { id, key, filter, syncMode = 'on-demand' } = options
  if (typeof key !== 'string')
    throw refused('The option key', 'the name of the key attribute', describeFound(key))
  const whole =
    'replica' in options
      ? replicaSource(options.dataClass, options.replica)
      : remoteSource(options.dataClass)
  const source = filter === undefined ? whole : within(whole, filter)
  const conditions = conditionsOf(source.name)
  const temporary = new Set<Key>()
  let writes: Writes | null = null

  const sync: Sync = (parts) => {
    const rows = new Rows(parts)
    const subsets = new Subsets(source, rows, conditions, parts.markError)
    const written = new Subsets(source, rows, conditions, () => {})
    writes = new Writes(source, rows, written, conditions)
    const cleanup = (): void => {
      subsets.end()
      written.end()
    }
    if (syncMode === 'eager') {
      const all = subsets.open(conditions.and())
      all.loaded.then(() => parts.markReady(), parts.markError)
      return cleanup
    }
    parts.markReady()
    const loads = new Map<LoadSubsetOptions, readonly Promise<Subset>[]>()
    const subsetFor = async (asked: LoadSubsetOptions): Promise<Subset> => {
      const terms = new Filter(conditions, await source.terms())
      const condition = await conditionFor(asked, terms, conditions, source)
      asked.signal?.throwIfAborted()
      return subsets.open(condition)
    }
    return {
      cleanup,
      async loadSubset(asked) {
        const load = subsetFor(asked)
        loads.set(asked, [...(loads.get(asked) ?? []), load])
        const { shown } = await (await load).loaded
        await shown
      },
      unloadSubset(asked) {
        const [load, ...others] = loads.get(asked) ?? []
        if (others.length > 0) loads.set(asked, others)
        else loads.delete(asked)
        load?.then((subset) => subset.close()).catch(() => {})
      },
    }
  }

  // Some versions of TanStack DB do not start the sync run for a mutation.
  const written = ({ collection }: Mutated): Writes => {
    if (writes === null) collection.startSyncImmediate()
    return writes!
  }
  return {
    id: id ?? source.name,
    getKey: (row: Row) => row[key],
    schema: ANY_ROW,
    syncMode,
    sync: { sync, rowUpdateMode: 'full' },
    onInsert: (mutated: Mutated) =>
      written(mutated).save(
        mutated.transaction.mutations.map((each) => {
          if (!temporary.has(each.key)) return each
          const { [key]: _, ...changes } = each.changes
          return { ...each, changes }
        }),
      ),
    onUpdate: (mutated: Mutated) => written(mutated).save(mutated.transaction.mutations),
    onDelete: (mutated: Mutated) => written(mutated).remove(mutated.transaction.mutations),
    utils: {
      temporaryKey: () => {
        const given = -1 - temporary.size
        temporary.add(given)
        return given
      },
    },
  }
}

/** The entities of a source that satisfy a condition. */
const within = (source: Source, filter: Condition): Source => ({
  ...source,
  page: (condition, ...others) => source.page(filter.and(condition), ...others),
  follow: (condition, ...others) => source.follow(filter.and(condition), ...others),
})

const ANY_ROW: RowSchema<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'entia', validate: (value) => ({ value }) },
}

type Sync = CollectionConfig<Row, Key>['sync']['sync']
/** What the handlers of a collection get. */
interface Mutated {
  readonly collection: { startSyncImmediate(): void }
  readonly transaction: { readonly mutations: readonly Mutation[] }
}
