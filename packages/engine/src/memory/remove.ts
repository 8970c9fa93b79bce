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

/** An answer, but for the global stamp, which is read once all of it is known. */
type Removed = Omit<RemoveAnswer, 'globalStamp'>

interface Attempt {
  readonly item: RemoveItem | null
  readonly error: EntiaError | null
  /** True if the caller may not delete the entity. */
  readonly isDenied?: boolean
}

/** Deletes named entities, or all that an entity set and a filter select. */
export function removeEntities(
  callerStore: CallerStore,
  query: RemoveQuery,
  long: LongReads,
): Awaitable<RemoveAnswer> {
  return andThen(removeIn(callerStore, query, long), ({ outcomes, committed }) => {
    const { globalStamp } = callerStore.store
    return { globalStamp, outcomes, committed }
  })
}

function removeIn(
  callerStore: CallerStore,
  query: RemoveQuery,
  long: LongReads,
): Awaitable<Removed> {
  const { dataClass, items, entitySet, filter } = query
  const remove = (selected: Selected | null, long: LongReads): Awaitable<Removed> => {
    if (query.atomic)
      refuseTooManyAtOnce(items?.length ?? selected?.keys.length ?? 0, query.maxAtomicItems)
    const isSelected = (key: KeyValue): boolean => selected?.selection.has(key) !== false
    if (items !== null) return new RemoveBatch(callerStore, query, long, isSelected).run(items)
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
 * Removes the selected keys that the caller may delete, first all together in one transaction,
 * which usually succeeds: entities that restrict each other can only be removed so.
 * Non-atomic deletions use one transaction per time slice. No other request writes meanwhile, so
 * exactly the selected entities are deleted.
 */
function removeSelected(
  callerStore: CallerStore,
  query: RemoveQuery,
  keys: readonly KeyValue[],
  long: LongReads,
): Awaitable<Removed> {
  const { dataClass, atomic } = query
  const shared = atomic ? query.maxCascade : Math.min(query.maxCascade, SHARED_CASCADE)
  const runSome = (some: readonly KeyValue[], long: LongReads): Awaitable<Removed> => {
    const batchOf = (own: LongReads): RemoveBatch => new RemoveBatch(callerStore, query, own)
    const itemsOf = (): readonly RemoveItem[] =>
      some.map((key) => {
        const reference = { kind: 'key', dataClass, key } as const
        return { reference, keyText: String(key), stamp: null, precondition: null }
      })
    const separately = (): Awaitable<Removed> =>
      atomic
        ? batchOf(long).run(itemsOf())
        : long.alone((own) => Promise.resolve(batchOf(own).run(itemsOf())))
    const isJudged = callerStore.checksEntities(dataClass, 'delete')
    if (isJudged && atomic) return separately()
    const together = isJudged
      ? batchOf(long).runTogether(itemsOf(), shared)
      : long.write(callerStore, () => removeAll(callerStore, query, some, shared))
    return andThen(together, (removed) => removed ?? separately())
  }
  if (atomic || keys.length <= REMOVED_PER_SLICE) return runSome(keys, long)
  return long.alone(async (own, nextSlice) => {
    const outcomes: RemoveOutcome[] = []
    for (let from = 0; from < keys.length; from += REMOVED_PER_SLICE) {
      if (from > 0) await nextSlice()
      outcomes.push(...(await runSome(keys.slice(from, from + REMOVED_PER_SLICE), own)).outcomes)
    }
    return { outcomes, committed: true }
  })
}

/** Null if not all of them can be removed; then none is. */
function removeAll(
  { store }: CallerStore,
  { dataClass }: RemoveQuery,
  keys: readonly KeyValue[],
  maxCascade: number,
): Removed | null {
  try {
    store.transact(() => {
      const table = store.dataClass(dataClass.name)
      // An earlier deletion may have removed it by cascade.
      for (const key of keys) if (table.has(key)) table.remove(key, { maxCascade })
    })
    return { outcomes: [], committed: true }
  } catch (error) {
    if (isEntiaError(error)) return null
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

  run(items: readonly Item[]): Awaitable<Removed> {
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

  /** Removes what the caller may delete in one transaction. Null if that fails. */
  runTogether(items: readonly RemoveItem[], maxCascade: number): Awaitable<Removed | null> {
    const attempts: Attempt[] = []
    const written = this.#long.write(this.#store, () =>
      allOrNothing(this.#store.store, () =>
        items.every((item) => {
          const attempt = this.#attempt(item, maxCascade)
          attempts.push(attempt)
          return attempt.error === null || attempt.isDenied === true
        }),
      ),
    )
    return andThen(written, (end) => (end === 'stored' ? this.#answer(attempts, true) : null))
  }

  #runAtomically(items: readonly Item[]): Awaitable<Removed> {
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
    let isDenied = false
    try {
      const entity = this.#store.entity(item.reference)
      // A selected entity that no longer exists was removed by an earlier cascade of this batch.
      if (entity === undefined && items === null) return { item, error: null }
      if (entity === undefined || !this.#isSelected(keyOf(entity)))
        throw notFound(dataClass, item.keyText)
      if (item.precondition !== null && !meets(item.precondition, this.#store, dataClass, entity))
        throw preconditionError(dataClass, item.keyText)
      const key = keyOf(entity)
      isDenied = true
      this.#store.permit(dataClass, key, 'delete')
      isDenied = false
      const table = this.#store.store.dataClass(dataClass.name)
      table.remove(key, item.stamp === null ? { maxCascade } : { stamp: item.stamp, maxCascade })
      return { item, error: null }
    } catch (error) {
      return { ...this.#failed(item, asLimit(toEntiaError(error))), isDenied }
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

  #answer(attempts: readonly Attempt[], committed: boolean): Awaitable<Removed> {
    const count = committed ? attempts.filter(({ error }) => error === null).length : 0
    const outcomes = afterStoring({ count, of: attempts.length, verb: 'deleted' }, () =>
      this.#outcomes(attempts),
    )
    return andThen(outcomes, (outcomes) => ({ outcomes, committed }))
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
