import { type AnySelection, type ClassModel, EntiaError, isEntiaError, keyOf } from '@entia/core'
import { afterStoring } from '../engine/after-storing.ts'
import { type Awaitable, andThen } from '../engine/awaitable.ts'
import type { RemoveAnswer, RemoveItem, RemoveOutcome, RemoveQuery } from '../engine/engine.ts'
import { refuseTooManyAtOnce } from '../engine/query-parts.ts'
import type { KeyValue } from '../engine/selection-source.ts'
import { allOrNothing } from './all-or-nothing.ts'
import type { CallerStore } from './caller-store.ts'
import { meets } from './entity-state.ts'
import { notFound, preconditionError, removeError, toEntiaError, visibleReason } from './errors.ts'
import { HEAVY, type LongReads } from './long-reads.ts'
import { RecordReader } from './record.ts'
import { selectSource } from './select.ts'

type Attempt = { readonly item: RemoveItem | null; readonly error: EntiaError | null }

/** Deletes named entities, or all that an entity set and a filter select. */
export function removeEntities(callerStore: CallerStore, query: RemoveQuery, long: LongReads): Awaitable<RemoveAnswer> {
  const { dataClass, items, entitySet, filter } = query
  const remove = (selected: Selected | null, long: LongReads): Awaitable<RemoveAnswer> => {
    if (query.atomic) refuseTooManyAtOnce(items?.length ?? selected?.keys.length ?? 0, query.maxAtomicItems)
    if (items !== null) return runAll(callerStore, query, items, (key) => selected?.selection.has(key) !== false, long)
    if (selected === null) throw notFound(dataClass, null)
    return removeSelected(callerStore, query, selected.keys, long)
  }
  if (entitySet === null && filter === null) return remove(null, long)
  const select = (): Selected | null => {
    const selection = selectedBy(callerStore, query)
    return selection === null ? null : { selection, keys: items === null ? selection.keys() : [] }
  }
  return long.writeSelected(callerStore.caller, select, remove)
}

interface Selected {
  readonly selection: AnySelection
  readonly keys: readonly KeyValue[]
}

/** The largest cascade of a removal that shares its time slice with others. */
const LIGHT_CASCADE = 40
/** The largest cascade of removals that share a transaction without having to. */
const SHARED_CASCADE = 1_000
/** Entities removed per transaction if they need not be removed together: each may cascade. */
const REMOVED_PER_SLICE = 100

/**
 * Removes the selected keys, first all together in one transaction, which usually succeeds.
 * Non-atomic deletions use one transaction per time slice. No other request writes meanwhile, so
 * exactly the selected entities are deleted.
 */
function removeSelected(
  callerStore: CallerStore,
  query: RemoveQuery,
  keys: readonly KeyValue[],
  long: LongReads,
): Awaitable<RemoveAnswer> {
  const shared = query.atomic ? query.maxCascade : Math.min(query.maxCascade, SHARED_CASCADE)
  const runSome = (some: readonly KeyValue[], long: LongReads): Awaitable<RemoveAnswer> => {
    const canGo =
      !callerStore.checksEntities(query.dataClass, 'delete') &&
      long.write(callerStore, () => removeAll(callerStore, query, some, shared))
    return andThen(canGo, (isDone) => {
      if (isDone) return { outcomes: [], committed: true }
      const items = some.map((key): RemoveItem => {
        const reference = { kind: 'key', dataClass: query.dataClass, key } as const
        return { reference, keyText: String(key), stamp: null, precondition: null }
      })
      if (query.atomic) return runAll(callerStore, query, items, () => true, long)
      return long.alone((own) => Promise.resolve(runAll(callerStore, query, items, () => true, own)))
    })
  }
  if (query.atomic || keys.length <= REMOVED_PER_SLICE) return runSome(keys, long)
  return long.alone(async (own, nextSlice) => {
    const outcomes: RemoveOutcome[] = []
    for (let from = 0; from < keys.length; from += REMOVED_PER_SLICE) {
      if (from > 0) await nextSlice()
      outcomes.push(...(await runSome(keys.slice(from, from + REMOVED_PER_SLICE), own)).outcomes)
    }
    return { outcomes, committed: true }
  })
}

/** False if not all of them can be removed; then none is. */
function removeAll(
  { store }: CallerStore,
  { dataClass }: RemoveQuery,
  keys: readonly KeyValue[],
  maxCascade: number,
): boolean {
  try {
    store.transact(() => {
      const table = store.dataClass(dataClass.name)
      // An earlier deletion may have removed it by cascade.
      for (const key of keys) if (table.has(key)) table.remove(key, { maxCascade })
    })
    return true
  } catch (error) {
    if (isEntiaError(error)) return false
    throw error
  }
}

/** Null if neither an entity set nor a filter selects what to delete. */
function selectedBy(callerStore: CallerStore, query: RemoveQuery): AnySelection | null {
  const { dataClass, entitySet, filter } = query
  if (entitySet === null) return filter === null ? null : callerStore.select(dataClass, filter)
  // An expired set is not recreated for a deletion: the client has not seen its members.
  return selectSource(callerStore, { source: entitySet, filter, orderBy: null, saved: null })?.selection ?? null
}

function runAll(
  callerStore: CallerStore,
  query: RemoveQuery,
  items: readonly (RemoveItem | EntiaError)[],
  isSelected: (key: KeyValue) => boolean,
  long: LongReads,
): Awaitable<RemoveAnswer> {
  const tryOne = (item: RemoveItem | EntiaError): Attempt => attempt(callerStore, query, item, isSelected)
  const commit = (attempts: readonly Attempt[]): Awaitable<RemoveAnswer> =>
    committed(callerStore, query, attempts, long)
  if (!query.atomic) {
    const refuse = (item: RemoveItem | EntiaError, error: EntiaError): Attempt =>
      failed(callerStore, query.dataClass, item, error)
    const light = { ...query, maxCascade: Math.min(query.maxCascade, LIGHT_CASCADE) }
    const write = (item: RemoveItem | EntiaError, hasOwnSlice: boolean): Attempt | typeof HEAVY => {
      if (hasOwnSlice || light.maxCascade === query.maxCascade) return tryOne(item)
      const tried = attempt(callerStore, light, item, isSelected)
      return tried.error !== null && isCascadeLimit(tried.error) ? HEAVY : tried
    }
    return andThen(long.writeEach(callerStore, items, write, refuse), commit)
  }
  const attempts: Attempt[] = []
  const written = long.write(callerStore, () =>
    allOrNothing(callerStore.store, () => {
      for (const item of items) attempts.push(tryOne(item))
      return attempts.every(({ error }) => error === null)
    }),
  )
  return andThen(written, (end) => {
    if (end === 'stored') return commit(attempts)
    if (end === 'undone') return undone(callerStore, query, attempts, long)
    const attributed = attempts.map((each) => attributeError(callerStore, each, query, end))
    // If no item caused the error, the deletion as a whole fails.
    if (attributed.every((each) => each.error === null)) throw visibleReason(callerStore, end)
    return undone(callerStore, query, attributed, long)
  })
}

function committed(
  callerStore: CallerStore,
  query: RemoveQuery,
  attempts: readonly Attempt[],
  long: LongReads,
): Awaitable<RemoveAnswer> {
  const count = attempts.filter(({ error }) => error === null).length
  const stored = { count, of: attempts.length, verb: 'deleted' } as const
  const outcomes = afterStoring(stored, () => outcomesOf(callerStore, query, attempts, long))
  return andThen(outcomes, (outcomes) => ({ outcomes, committed: true }))
}

function undone(
  callerStore: CallerStore,
  query: RemoveQuery,
  attempts: readonly Attempt[],
  long: LongReads,
): Awaitable<RemoveAnswer> {
  return andThen(outcomesOf(callerStore, query, attempts, long), (outcomes) => ({ outcomes, committed: false }))
}

/** References are checked at the end of a batch. The refusal names the entity that it is about. */
function attributeError(
  callerStore: CallerStore,
  each: Attempt,
  { dataClass }: RemoveQuery,
  error: EntiaError,
): Attempt {
  if (!isEntiaError(error, 'removeRestricted') || each.item === null) return each
  // The address may name the entity by another attribute than its key.
  const entity = error.details.dataClass === dataClass.name ? callerStore.entity(each.item.reference) : undefined
  const isMeant = entity !== undefined && error.details.key === String(keyOf(entity))
  return isMeant ? { item: each.item, error: removeError(callerStore, dataClass, each.item.keyText, error) } : each
}

function attempt(
  callerStore: CallerStore,
  { dataClass, items, maxCascade }: RemoveQuery,
  item: RemoveItem | EntiaError,
  isSelected: (key: KeyValue) => boolean,
): Attempt {
  if (isEntiaError(item)) return { item: null, error: item }
  try {
    const entity = callerStore.entity(item.reference)
    // A selected entity that no longer exists was removed by an earlier cascade of this batch.
    if (entity === undefined && items === null) return { item, error: null }
    if (entity === undefined || !isSelected(keyOf(entity))) throw notFound(dataClass, item.keyText)
    if (item.precondition !== null && !meets(item.precondition, callerStore, dataClass, entity))
      throw preconditionError(dataClass, item.keyText)
    const key = keyOf(entity)
    callerStore.permit(dataClass, key, 'delete')
    const table = callerStore.store.dataClass(dataClass.name)
    table.remove(key, item.stamp === null ? { maxCascade } : { stamp: item.stamp, maxCascade })
    return { item, error: null }
  } catch (error) {
    return failed(callerStore, dataClass, item, asLimit(toEntiaError(error)))
  }
}

/** True if a removal failed because its cascade was too large. */
function isCascadeLimit(error: EntiaError): boolean {
  for (let cause: unknown = error; isEntiaError(cause); cause = cause.cause)
    if (isEntiaError(cause, 'budgetExceeded')) return cause.details.option === 'limits.maxCascade'
  return false
}

/** Renames the engine's option to the handler's limit. */
function asLimit(error: EntiaError): EntiaError {
  if (!isEntiaError(error, 'budgetExceeded') || error.details.option !== 'maxCascade') return error
  const what = `${error.details.what} (delete or change those that refer to it first, in parts)`
  return new EntiaError('budgetExceeded', { ...error.details, what, option: 'limits.maxCascade' })
}

const failed = (
  callerStore: CallerStore,
  dataClass: ClassModel,
  item: RemoveItem | EntiaError,
  error: EntiaError,
): Attempt =>
  isEntiaError(item)
    ? { item: null, error: item }
    : { item, error: removeError(callerStore, dataClass, item.keyText, error) }

function outcomesOf(
  callerStore: CallerStore,
  query: RemoveQuery,
  attempts: readonly Attempt[],
  long: LongReads,
): Awaitable<readonly RemoveOutcome[]> {
  const reader = new RecordReader(callerStore.view, query)
  return long.readEach(callerStore, attempts, ({ item, error }): RemoveOutcome => {
    const keyText = item?.keyText ?? null
    if (error === null) return { kind: 'removed', keyText: keyText ?? '' }
    const entity =
      item === null || isEntiaError(error, 'entityNotFound') ? undefined : callerStore.entity(item.reference)
    return {
      kind: 'failed',
      error,
      keyText,
      stored: entity === undefined ? null : reader.read(entity, query.projection),
    }
  })
}
