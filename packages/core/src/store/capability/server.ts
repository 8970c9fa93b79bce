import type { ReadingLimits } from '../../execute/time-slices.ts'
import type { ClassModel } from '../../model/catalog.ts'
import type { Untyped } from '../../model/definition.ts'
import type { EntityText, SelectionTexts, TextForm } from '../../model/selection-types.ts'
import type { Session } from '../../model/session-types.ts'
import type { StoreReadings, StoreServerState } from '../../model/store-types.ts'
import type { DataClassTexts } from '../../model/table-types.ts'
import { type TableQueries, tableParts } from '../../query/queries.ts'
import { StoreReading } from '../../query/reader.ts'
import { type Selection, selectionParts } from '../../query/selection.ts'
import type { SelectionPort } from '../../query/selection-port.ts'
import { ServerState } from '../../server-state/server-state.ts'
import {
  SERVER_STATE_OPTIONS,
  type ServerStateLimits,
} from '../../server-state/server-state-limits.ts'
import { storedKey } from '../../storage/stored-key.ts'
import type { Table } from '../../storage/table.ts'
import { fromZero } from '../../value/check-options.ts'
import { refusePromise } from '../../write/write-errors.ts'
import { type Capability, handleOf, type StoreHandle } from '../kernel/capability.ts'
import type { DataStore } from '../kernel/data-store.ts'
import { dataClassFunctions, selectionFunctions, storeFunctions } from './functions.ts'
import { projectionFor } from './typed-queries.ts'

// What a server of a store needs: who its callers are and what they keep, the functions that they
// call, entities as text, and reads that leave time to other callers.

const READING_DEFAULTS: ReadingLimits = {
  turnMilliseconds: 10,
  maxMilliseconds: 1000,
  maxRowVisits: 20_000_000,
}

const states = new WeakMap<StoreHandle, ServerState>()
const readingLimits = new WeakMap<StoreHandle, ReadingLimits>()

/** The server state of a store that has this capability. */
export const serverStateOf = (handle: StoreHandle): ServerState => states.get(handle) as ServerState

const store = {
  /**
   * Runs `body` as a session, or without one. Throws `argumentInvalid` if the
   * session is not an open session of this store.
   */
  as<R>(this: DataStore, session: Session | null, body: () => R): R {
    const handle = handleOf(this)
    const { writer } = handle
    writer.guard()
    const writing = session === null ? null : serverStateOf(handle).sessions.current(session)
    const result = writer.context.as(writing, body)
    refusePromise(
      result,
      'The body of as',
      'Await before it: what follows an await is not done as the session.',
    )
    return result
  },
  /** A read in time slices: nothing is done before its first `advance`. */
  reading<R>(this: DataStore, body: () => R): StoreReading<R> {
    const handle = handleOf(this)
    const { reader, writer } = handle
    return new StoreReading(reader, readingLimits.get(handle) as ReadingLimits, writer, body)
  },
} satisfies Pick<StoreServerState, 'as'> & StoreReadings

const queries = {
  /** One entity as text. Cost: O(values), or a look-up where the text is cached. */
  text(this: TableQueries, key: unknown, form: TextForm): EntityText | undefined {
    const { port, model } = tableParts(this)
    const slot = slotOf(port, model, key)
    if (slot < 0) return undefined
    const table = port.database.tableOf(model)
    const { texts } = projectionFor(port, model, form)
    const life = table.lifeOf(slot)
    return {
      text: texts.one(slot),
      life,
      stamp: table.stamps[slot],
      timestamp: texts.timestampOf(slot),
    }
  },
  life(this: TableQueries, key: unknown): string | undefined {
    const { port, model } = tableParts(this)
    const slot = slotOf(port, model, key)
    return slot < 0 ? undefined : port.database.tableOf(model).lifeOf(slot)
  },
} satisfies DataClassTexts<Untyped, string>

const selection = {
  /** Every member in its place as text; undefined for one removed since. */
  texts(this: Selection, form: TextForm): (string | undefined)[] {
    const { port, members } = selectionParts(this)
    port.moment.enter()
    const { texts } = projectionFor(port, this.table.model, form)
    const slots = members.slots(0, members.count)
    const living = members.asOf.livingOf(slots)
    const written = texts.of(living)
    if (living.length === slots.length) return written
    let at = 0
    return Array.from(slots, (slot) => (members.asOf.isAlive(slot) ? written[at++] : undefined))
  },
} satisfies SelectionTexts

/**
 * `sessions`, `locks`, `entitySets`, `uploads`, `as` and `reading` of the store; `call` and
 * `singleton` of the store, `call` and `callOn` of dataclasses and `call` of selections for the
 * functions of the model; `text` and `life` of dataclasses and `texts` of selections for entities
 * in the form of an adapter.
 */
export const server = {
  name: 'server',
  store: { ...store, ...storeFunctions },
  table: dataClassFunctions,
  queries,
  selection: { ...selection, ...selectionFunctions },
  options: {
    ...SERVER_STATE_OPTIONS,
    reading: { defaults: READING_DEFAULTS, rangeOf: fromZero },
  },
  install(handle: StoreHandle, { reading, ...limits }) {
    readingLimits.set(handle, reading)
    const { clock, ids, writer } = handle
    const table = (dataClass: string): Table =>
      writer.tableOf((handle.store as DataStore).dataClass(dataClass).model)
    const state = new ServerState({ clock, ids, writer, table }, limits)
    states.set(handle, state)
    for (const name of ['sessions', 'locks', 'entitySets', 'uploads'] as const)
      Object.defineProperty(handle.store, name, { value: state[name], enumerable: true })
    writer.context.locks = state.locks
    handle.restores = state
    handle.closing.push(() => state.clear())
    handle.replaced.push(() => state.entitySets.clear())
  },
} as const satisfies Capability<string, ServerStateLimits & { reading: ReadingLimits }>

/** The record number of a key, or -1 where this caller sees none. */
function slotOf(port: SelectionPort, model: ClassModel, key: unknown): number {
  port.moment.enter()
  const stored = storedKey(model, key)
  const slot = stored === null ? -1 : port.database.tableOf(model).findKey(stored)
  return slot >= 0 && port.database.visibleIn(model)?.has(slot) === false ? -1 : slot
}
