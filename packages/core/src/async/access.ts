import type { ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { Session } from '../model/session-types.ts'
import type { AnyDataStore } from '../model/store-types.ts'
import type { DataClassTable } from '../model/table-types.ts'

/** A store, and the session in which one user of it writes. */
export class Access {
  readonly store: AnyDataStore
  #session: Session | null

  constructor(store: AnyDataStore, session: Session | null) {
    this.store = store
    this.#session = session
  }

  /** Null if there is none, or if it has ended. */
  get session(): Session | null {
    if (this.#session !== null)
      this.#session = this.store.sessions.touch(this.#session.token) ?? null
    return this.#session
  }
  /** The session; a new one if there is none. */
  openSession(): Session {
    this.#session = this.session ?? this.store.sessions.open()
    return this.#session
  }

  model(name: string): ClassModel {
    return this.table(name).model
  }
  table(name: string): DataClassTable<Untyped, string> {
    return this.store.dataClass(name)
  }

  /** Runs a write as the session. */
  write<R>(body: () => R): R {
    const results: R[] = []
    this.store.as(this.session, () => {
      results.push(body())
    })
    return results[0] as R
  }
}
