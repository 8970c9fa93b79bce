import { type AnySelection, EntiaError, isEntiaError, keyOf } from '@entia/core'
import { type Awaitable, afterStoring, andThen } from '../interface/awaitable.ts'
import { type KeyValue, refuseTooManyAtOnce } from '../interface/selection-source.ts'
import { fitsOneSlice } from '../interface/time-slices.ts'
import type {
  RemoveAnswer,
  RemoveItem,
  RemoveOutcome,
  RemoveQuery,
} from '../interface/write-query.ts'
import type { CallerStore } from './caller-store.ts'
import { notFound, preconditionError, removeError, toEntiaError, visibleReason } from './errors.ts'
import { HEAVY, type LongReads } from './long-reads.ts'
import { RecordReader } from './record.ts'
import { selectSource } from './select.ts'
import { meets } from './values.ts'
import { allOrNothing } from './write.ts'

type Attempt = { readonly item: RemoveItem | null; readonly error: EntiaError | null }

/** Deletes named entities, or all that an entity set and a filter select. */
export function removeEntities(
  callerStore: CallerStore,
  query: RemoveQuery,
  long: LongReads,
): Awaitable<RemoveAnswer> {
  const { dataClass, items, entitySet, filter } = query
  const remove = (selected: Selected | null, long: LongReads): Awaitable<RemoveAnswer> => {
    if (query.atomic)
      refuseTooManyAtOnce(items?.length ?? selected?.keys.length ?? 0, query.maxAtomicItems)
    if (items !== null)
      return new RemoveBatch(
        callerStore,
        query,
        long,
        (key) => selected?.selection.has(key) !== false,
      ).run(items)
    if (selected === null) throw notFound(dataClass, null)
    return removeSelected(callerStore, query, selected.keys, long)
  }
  if (entitySet === null && filter === null)
    return query.atomic || fitsOneSlice(items?.length ?? 0)
      ? long.inTurn((own) => remove(null, own))
      : remove(null, long)
  const select = (): Selected | null => {
    const selection = selectedBy(callerStore, query)
    return selection === null ? null : { selection, keys: items === null ? selection.keys() : [] }
  }
  return long.writeSelected(callerStore.caller, select, remove)
}

/** The answer as of now: call it once all of it is known. */
const answerOf = (
  { store: { globalStamp } }: CallerStore,
  outcomes: readonly RemoveOutcome[],
  committed: boolean,
): RemoveAnswer => ({ globalStamp, outcomes, committed })

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
  const { dataClass, atomic } = query
  const shared = atomic ? query.maxCascade : Math.min(query.maxCascade, SHARED_CASCADE)
  const runSome = (some: readonly KeyValue[], long: LongReads): Awaitable<RemoveAnswer> => {
    const canGo =
      !callerStore.checksEntities(dataClass, 'delete') &&
      long.write(callerStore, () => removeAll(callerStore, query, some, shared))
    return andThen(canGo, (isDone) => {
      if (isDone) return answerOf(callerStore, [], true)
      const items = some.map((key): RemoveItem => {
        const reference = { kind: 'key', dataClass, key } as const
        return { reference, keyText: String(key), stamp: null, precondition: null }
      })
      if (atomic) return new RemoveBatch(callerStore, query, long).run(items)
      return long.alone((own) =>
        Promise.resolve(new RemoveBatch(callerStore, query, own).run(items)),
      )
    })
  }
  if (atomic || keys.length <= REMOVED_PER_SLICE) return runSome(keys, long)
  return long.alone(async (own, nextSlice) => {
    const outcomes: RemoveOutcome[] = []
    for (let from = 0; from < keys.length; from += REMOVED_PER_SLICE) {
      if (from > 0) await nextSlice()
      outcomes.push(...(await runSome(keys.slice(from, from + REMOVED_PER_SLICE), own)).outcomes)
    }
    return answerOf(callerStore, outcomes, true)
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
  return (
    selectSource(callerStore, { source: entitySet, filter, orderBy: null, saved: null })
      ?.selection ?? null
  )
}

type Item = RemoveItem | EntiaError

/** One batch of deletions. */
class RemoveBatch {
  readonly #store: CallerStore
  readonly #query: RemoveQuery
  readonly #long: LongReads
  readonly #isSelected: (key: KeyValue) => boolean

  constructor(
    store: CallerStore,
    query: RemoveQuery,
    long: LongReads,
    isSelected: (key: KeyValue) => boolean = () => true,
  ) {
    this.#store = store
    this.#query = query
    this.#long = long
    this.#isSelected = isSelected
  }

  run(items: readonly Item[]): Awaitable<RemoveAnswer> {
    const { atomic, maxCascade } = this.#query
    if (atomic) return this.#runAtomically(items)
    const light = Math.min(maxCascade, LIGHT_CASCADE)
    const write = (item: Item, hasOwnSlice: boolean): Attempt | typeof HEAVY => {
      if (hasOwnSlice || light === maxCascade) return this.#attempt(item, maxCascade)
      const tried = this.#attempt(item, light)
      return tried.error !== null && isCascadeLimit(tried.error) ? HEAVY : tried
    }
    const tried = this.#long.writeEach(this.#store, items, write, (item, error) =>
      this.#failed(item, error),
    )
    return andThen(tried, (attempts) => this.#answer(attempts, true))
  }

  #runAtomically(items: readonly Item[]): Awaitable<RemoveAnswer> {
    const attempts: Attempt[] = []
    const written = this.#long.write(this.#store, () =>
      allOrNothing(this.#store.store, () => {
        for (const item of items) attempts.push(this.#attempt(item, this.#query.maxCascade))
        return attempts.every(({ error }) => error === null)
      }),
    )
    return andThen(written, (end) => {
      if (!isEntiaError(end)) return this.#answer(attempts, end === 'stored')
      const attributed = attempts.map((each) => this.#attributeError(each, end))
      // If no item caused the error, the deletion as a whole fails.
      if (attributed.every((each) => each.error === null)) throw visibleReason(this.#store, end)
      return this.#answer(attributed, false)
    })
  }

  #attempt(item: Item, maxCascade: number): Attempt {
    if (isEntiaError(item)) return { item: null, error: item }
    const { dataClass, items } = this.#query
    try {
      const entity = this.#store.entity(item.reference)
      // A selected entity that no longer exists was removed by an earlier cascade of this batch.
      if (entity === undefined && items === null) return { item, error: null }
      if (entity === undefined || !this.#isSelected(keyOf(entity)))
        throw notFound(dataClass, item.keyText)
      if (item.precondition !== null && !meets(item.precondition, this.#store, dataClass, entity))
        throw preconditionError(dataClass, item.keyText)
      const key = keyOf(entity)
      this.#store.permit(dataClass, key, 'delete')
      const table = this.#store.store.dataClass(dataClass.name)
      table.remove(key, item.stamp === null ? { maxCascade } : { stamp: item.stamp, maxCascade })
      return { item, error: null }
    } catch (error) {
      return this.#failed(item, asLimit(toEntiaError(error)))
    }
  }

  #failed(item: Item, error: EntiaError): Attempt {
    if (isEntiaError(item)) return { item: null, error: item }
    return { item, error: removeError(this.#store, this.#query.dataClass, item.keyText, error) }
  }

  /**
   * References are checked at the end of a batch. The refusal names the entity that it is about.
   */
  #attributeError(each: Attempt, error: EntiaError): Attempt {
    if (!isEntiaError(error, 'removeRestricted') || each.item === null) return each
    if (error.details.dataClass !== this.#query.dataClass.name) return each
    // The address may name the entity by another attribute than its key.
    const entity = this.#store.entity(each.item.reference)
    const isMeant = entity !== undefined && error.details.key === String(keyOf(entity))
    return isMeant ? this.#failed(each.item, error) : each
  }

  #answer(attempts: readonly Attempt[], committed: boolean): Awaitable<RemoveAnswer> {
    const count = committed ? attempts.filter(({ error }) => error === null).length : 0
    const outcomes = afterStoring({ count, of: attempts.length, verb: 'deleted' }, () =>
      this.#outcomes(attempts),
    )
    return andThen(outcomes, (outcomes) => answerOf(this.#store, outcomes, committed))
  }

  #outcomes(attempts: readonly Attempt[]): Awaitable<readonly RemoveOutcome[]> {
    const reader = new RecordReader(this.#store.view, this.#query)
    return this.#long.readEach(this.#store, attempts, ({ item, error }): RemoveOutcome => {
      const keyText = item?.keyText ?? null
      if (error === null) return { kind: 'removed', keyText: keyText ?? '' }
      const entity =
        item === null || isEntiaError(error, 'entityNotFound')
          ? undefined
          : this.#store.entity(item.reference)
      const stored = entity === undefined ? null : reader.read(entity, this.#query.projection)
      return { kind: 'failed', error, keyText, stored }
    })
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
