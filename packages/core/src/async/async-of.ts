import { needCapabilities } from '../kernel/capability.ts'
import type { ChangesOptions, InProcessAsyncStore } from '../model/async-local.ts'
import type { Untyped } from '../model/definition.ts'
import type { Session } from '../model/session-types.ts'
import type { DataStore } from '../model/store-types.ts'
import type { Model } from '../model/value-types.ts'
import { checkNames, describeFound, refused } from '../value/check-options.ts'
import { Access, callFunction } from './call.ts'
import { followChanges, loadInPieces } from './load-in-pieces.ts'
import { LocalClass } from './local-class.ts'
import { entitySetOf } from './local-selection.ts'

export interface AsyncOptions {
  /**
   * The session that writes and locks. Without one, the first lock opens a session without a user.
   */
  readonly session?: Session | null
}

/** The capabilities whose members its calls use. */
const NEEDED = ['serverState', 'functions', 'bulkWrites', 'projections', 'aggregates', 'grouping']

/**
 * The asynchronous interface of a store in the process. A program with an `AsyncStore` also runs
 * with a store elsewhere. Each call is carried out at once, and copies what it returns. Each result
 * of `asyncOf` is a user with its own session. It sees the whole store, also attributes and
 * functions that are not exposed. It has no `transact`, because transactions of a store in memory
 * are synchronous: use `saveAll`, or `transact` of the store itself. `close` closes the store.
 *
 * @example
 * ```ts
 * const db = asyncOf(store)
 * await db.Employee.query`salary > ${50_000}`.count() // → 1
 * ```
 */
export function asyncOf<M extends Model, F, S>(
  store: DataStore<M, F, S>,
  options: AsyncOptions = {},
): InProcessAsyncStore<M, F, S> {
  checkNames(options, ['session'])
  checkStore(store)
  needCapabilities(store, 'asyncOf', NEEDED)
  return open(store as DataStore, options.session ?? null) as Untyped
}

/** Checks the shape, because the store may come from another copy of the package. */
function checkStore(store: unknown): void {
  const isStore =
    typeof store === 'object' && store !== null && 'catalog' in store && 'transact' in store
  if (isStore && !('then' in store)) return
  throw refused(
    'The store of asyncOf',
    'one that createDataStore or openDump created',
    describeFound(store),
  )
}

function open(store: DataStore, session: Session | null): object {
  const access = new Access(store, session)
  const classes = new Map(
    store.catalog.classes.map(({ name }) => [name, new LocalClass<Untyped, string>(access, name)]),
  )
  const call = (run: (args: readonly unknown[]) => unknown, args: readonly unknown[]) =>
    callFunction(access, run, args, entitySetOf(access))
  const closed = new AbortController()
  return {
    ...Object.fromEntries(classes),
    // Throws `dataClassNotFound` for an unknown name.
    dataClass: (name: string) => classes.get(access.model(name).name),
    call: (name: string, ...args: readonly unknown[]) =>
      call((given) => store.call(name, ...given), args),
    singleton: (singleton: string) => ({
      call: (name: string, ...args: readonly unknown[]) =>
        call((given) => store.singleton(singleton).call(name, ...given), args),
    }),
    as: (other: Session | null) => open(store, other),
    load: (...[name, rows, options]: Parameters<LoadAny>) =>
      loadInPieces(
        async (piece, each) =>
          access.write(() => [access.table(name).load(piece as Iterable<Untyped>, each)])[0]!,
        rows as Iterable<object>,
        options,
      ),
    changes: (options: ChangesOptions) => followChanges(store, options, closed.signal),
    close: async () => {
      closed.abort()
      store.close()
    },
  }
}

type LoadAny = InProcessAsyncStore<Untyped>['load']
