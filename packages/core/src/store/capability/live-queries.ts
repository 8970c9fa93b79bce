import { type FollowedQuery, LiveQueries } from '../../live/live-queries.ts'
import {
  type LiveSource,
  liveSource,
  type Shown,
  shownOf,
  textOfSource,
} from '../../live/live-source.ts'
import type { ClassModel } from '../../model/catalog.ts'
import type { Untyped } from '../../model/definition.ts'
import { keyOf, stampOf } from '../../model/entity.ts'
import type { LiveDelta, LiveIdentity, LiveOptions, LiveQuery } from '../../model/live-types.ts'
import type { SelectionLive } from '../../model/selection-types.ts'
import type { StoreFigures as Figures } from '../../model/store-types.ts'
import { rewrite } from '../../plan/rewrite.ts'
import { type Selection, selectionParts } from '../../query/selection.ts'
import { heldPath, type SelectionPort } from '../../query/selection-port.ts'
import type { Watch } from '../../query/watch.ts'
import { refused } from '../../value/check-options.ts'
import { type Capability, handleOf, perStore, type StoreHandle } from '../kernel/capability.ts'
import { storeOfSelection } from './views.ts'

/** The counters of a store. Reading a property reads the counter. */
class StoreFigures implements Figures {
  readonly #handle: StoreHandle
  readonly #begin: number

  constructor(handle: StoreHandle) {
    this.#handle = handle
    this.#begin = handle.clock.monotonic()
  }

  get uptimeMilliseconds(): number {
    return this.#handle.clock.monotonic() - this.#begin
  }
  get historyCommits(): number {
    return this.#handle.writer.history.commits
  }
  get historyBytes(): number {
    return this.#handle.writer.history.bytes
  }
  get keptTextCharacters(): number {
    const { tables } = this.#handle.writer
    return tables.reduce((sum, { rowCache }) => sum + (rowCache?.characters ?? 0), 0)
  }
  get filtersCompiled(): number {
    const { names, exposedNames } = this.#handle.reader
    return names.filtersCompiled + exposedNames.filtersCompiled
  }
}

const liveQueriesByStore = new WeakMap<StoreHandle, LiveQueries>()

const liveQueriesOf = (handle: StoreHandle): LiveQueries =>
  perStore(liveQueriesByStore, handle, ({ writer, reader }) => {
    const queries = new LiveQueries(writer.listeners, reader.database, writer)
    writer.afterCommit.observer = queries
    return queries
  })

const sourceOf = (selection: Selection, shown: readonly Shown[]): LiveSource => {
  const { members, provenance } = selectionParts(selection)
  return liveSource(selection.table.model, provenance, members.pageWindow, shown)
}

/**
 * Follows the entities of a dataclass that satisfy a bound predicate, since a global stamp. Null if
 * the history does not reach back so far. Throws `argumentInvalid` if records cannot be tested one
 * by one.
 */
export function followPredicate(
  port: SelectionPort,
  dataClass: ClassModel,
  predicate: LiveSource['predicate'],
  listener: (delta: LiveDelta) => void,
  options: LiveOptions & { readonly since: number },
): FollowedQuery | null {
  const { select = '' } = options
  const shown = select === '' ? [] : shownOf(dataClass, select, port.scope.sees)
  const source = { dataClass, predicate: rewrite(predicate), orderBy: null, page: null, shown }
  const live = liveQueriesOf(storeOfSelection(port, 'live')).start(port, source, listener, options)
  if (live.plan === 'incremental' && live.missed !== null) return live
  live.stop()
  if (live.plan === 'incremental') return null
  throw refused(
    `The condition on ${dataClass.name}`,
    'one of stored attributes, whose entities can be tested one by one',
    'one with a computed attribute',
  )
}

const selection = {
  live(this: Selection, listener: (delta: LiveDelta) => void, options?: LiveOptions): LiveQuery {
    const { port } = selectionParts(this)
    port.moment.enter()
    const source = sourceOf(this, shownBy(options, this.table.model, port))
    return liveQueriesOf(storeOfSelection(port, 'live')).start(port, source, listener, options)
  },
  liveIdentity(this: Selection): LiveIdentity {
    const source = sourceOf(this, [])
    const { port: origin } = selectionParts(this)
    return { origin, text: textOfSource(source), isPage: source.page !== null, keyOf, stampOf }
  },
} satisfies SelectionLive<Untyped, string>

/** What the option `select` shows of related entities. Throws as `heldPath`. */
function shownBy(
  options: LiveOptions | undefined,
  model: ClassModel,
  { scope, whole }: SelectionPort,
): readonly Shown[] {
  const select: unknown = options?.select
  if (select === undefined) return []
  if (typeof select !== 'string')
    throw refused('The option select', 'a list of paths as text', typeof select)
  const shown = shownOf(model, select, scope.sees)
  for (const { steps, attribute } of shown)
    heldPath(whole, model, { steps, attribute: attribute ?? steps[steps.length - 1].target.key })
  return shown
}

/** `live` and `liveIdentity` of selections, and `figures` of the store. */
export const liveQueries = {
  name: 'liveQueries',
  selection,
  install(handle: StoreHandle) {
    const value = new StoreFigures(handle)
    Object.defineProperty(handle.store, 'figures', { value, enumerable: true })
  },
} as const satisfies Capability

/** Who watches a store. Throws `argumentInvalid` if the value is not a store of this library. */
export const watchOf = (store: unknown): Watch => handleOf(store).reader.options.watch
