import type { AsyncStore } from '../model/async-store.ts'
import type { Untyped } from '../model/definition.ts'
import type { Session } from '../model/session-types.ts'
import type { DataStore } from '../model/store-types.ts'
import type { Model } from '../model/value-types.ts'
import { Access } from './access.ts'
import { LocalClass } from './local-class.ts'

export interface AsyncOptions {
  /**
   * The session that writes and locks. Without one, the first lock opens a session without a user.
   */
  readonly session?: Session | null
}

/**
 * The asynchronous interface of a store in the process. A program with an `AsyncStore` also runs
 * with a store elsewhere. Each call is carried out at once, and copies what it returns. Each result
 * of `asyncOf` is a user with its own session. It sees the whole store, also attributes that are
 * not exposed.
 */
export function asyncOf<M extends Model>(
  store: DataStore<M, Untyped, Untyped>,
  { session = null }: AsyncOptions = {},
): AsyncStore<M> {
  const access = new Access(store, session)
  const classes = new Map(
    store.catalog.classes.map(({ name }) => [name, new LocalClass<Untyped, string>(access, name)]),
  )
  return {
    ...Object.fromEntries(classes),
    // Throws `dataClassNotFound` for an unknown name.
    dataClass: (name: string) => classes.get(access.model(name).name),
  } as Untyped
}
