import { type Capability, handleOf, type StoreHandle } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import type { Session } from '../model/session-types.ts'
import type { StoreServerState } from '../model/store-types.ts'
import { ServerState } from '../server-state/server-state.ts'
import {
  SERVER_STATE_OPTIONS,
  type ServerStateLimits,
} from '../server-state/server-state-limits.ts'
import type { Table } from '../storage/table.ts'
import { refusePromise } from '../write/write-errors.ts'

const states = new WeakMap<StoreHandle, ServerState>()

const store = {
  /**
   * Runs `body` as a session, or without one. Throws `argumentInvalid` if the
   * session is not an open session of this store.
   */
  as<R>(this: DataStore, session: Session | null, body: () => R): R {
    const handle = handleOf(this)
    const { writer } = handle
    writer.guard()
    const writing =
      session === null ? null : (states.get(handle) as ServerState).sessions.current(session)
    const result = writer.as(writing, body)
    refusePromise(
      result,
      'The body of as',
      'Await before it: what follows an await is not done as the session.',
    )
    return result
  },
} satisfies Pick<StoreServerState, 'as'>

/** The server state of a store that has this capability. */
export const serverStateOf = (handle: StoreHandle): ServerState => states.get(handle) as ServerState

/** `sessions`, `locks`, `entitySets`, `uploads` and `as` of the store. */
export const serverState = {
  name: 'serverState',
  store,
  options: SERVER_STATE_OPTIONS,
  install(handle: StoreHandle, limits) {
    const { clock, ids, writer } = handle
    const table = (dataClass: string): Table =>
      writer.tableOf((handle.store as DataStore).dataClass(dataClass).model)
    const state = new ServerState({ clock, ids, writer: () => writer, table }, limits)
    states.set(handle, state)
    for (const name of ['sessions', 'locks', 'entitySets', 'uploads'] as const)
      Object.defineProperty(handle.store, name, { value: state[name], enumerable: true })
    writer.askLocks(state.locks)
    handle.restores = {
      taken: (snapshot) => void state.mark(snapshot),
      before: () => state.beforeRestore(),
      undone: (snapshot) => state.dropSince(snapshot),
    }
    handle.closing.push(() => state.clear())
    handle.replaced.push(() => state.entitySets.clear())
  },
} as const satisfies Capability<string, ServerStateLimits>
