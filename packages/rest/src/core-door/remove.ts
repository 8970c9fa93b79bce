import { type AnySelection, type EntiaError, isEntiaError, stampOf } from '@entia/core'
import { afterStoring } from '../door/after-storing.ts'
import type { RemoveAnswer, RemoveItem, RemoveOutcome, RemoveQuery } from '../door/engine-door.ts'
import { allOrNothing } from './all-or-nothing.ts'
import type { CallerStore } from './caller-store.ts'
import { notFound, preconditionError, removeError, toEntiaError, told } from './errors.ts'
import { RecordReader } from './record.ts'
import { selectSource } from './select.ts'

type Attempt = { readonly item: RemoveItem | null; readonly error: EntiaError | null }

/** Deletes named entities, or all that an entity set and a filter select. */
export function removeEntities(seen: CallerStore, query: RemoveQuery): RemoveAnswer {
  const { dataClass, items } = query
  const selected = selectedBy(seen, query)
  if (items !== null) {
    return runAll(seen, query, items, (key) => selected === null || selected.has(key))
  }
  if (selected === null) throw notFound(dataClass, null)
  const keys = selected.keys()
  try {
    // Nearly always all of them can go, and then one transaction is all it takes.
    if (!seen.judges(dataClass, 'delete')) {
      selected.remove()
      return { outcomes: [], committed: true }
    }
  } catch (error) {
    if (!isEntiaError(error)) throw error
  }
  const each = keys.map((key): RemoveItem => {
    return { reference: { kind: 'key', dataClass, key }, keyText: String(key), stamp: null, precondition: null }
  })
  return runAll(seen, query, each, () => true)
}

/** Null where neither an entity set nor a filter says what may be deleted. */
function selectedBy(seen: CallerStore, query: RemoveQuery): AnySelection | null {
  const { dataClass, entitySet, filter } = query
  if (entitySet === null) return filter === null ? null : seen.select(dataClass, filter)
  // A set that is gone is not made again for this: nobody has seen what would then be deleted.
  return selectSource(seen, { source: entitySet, filter, orderBy: null, saved: null })?.selection ?? null
}

function runAll(
  seen: CallerStore,
  query: RemoveQuery,
  items: readonly (RemoveItem | EntiaError)[],
  isSelected: (key: string | number) => boolean,
): RemoveAnswer {
  const attempts: Attempt[] = []
  const tryAll = (): void => {
    for (const item of items) attempts.push(attempt(seen, query, item, isSelected))
  }
  if (!query.atomic) {
    tryAll()
    return committed(seen, query, attempts)
  }
  const end = allOrNothing(seen.store, () => {
    tryAll()
    return attempts.every(({ error }) => error === null)
  })
  if (end === 'stored') return committed(seen, query, attempts)
  if (end === 'undone') return { outcomes: outcomesOf(seen, query, attempts), committed: false }
  const blamed = attempts.map((each) => blame(seen, each, query, end))
  // What no item is to blame for is the failure of the whole.
  if (blamed.every((each) => each.error === null)) throw told(seen, end)
  return { outcomes: outcomesOf(seen, query, blamed), committed: false }
}

function committed(seen: CallerStore, query: RemoveQuery, attempts: readonly Attempt[]): RemoveAnswer {
  const count = attempts.filter(({ error }) => error === null).length
  const stored = { count, of: attempts.length, verb: 'deleted' } as const
  return { outcomes: afterStoring(stored, () => outcomesOf(seen, query, attempts)), committed: true }
}

/** References are looked at when the batch ends: a refusal then names the entity it is about. */
function blame(seen: CallerStore, each: Attempt, { dataClass }: RemoveQuery, error: EntiaError): Attempt {
  if (!isEntiaError(error, 'removeRestricted') || each.item === null) return each
  const isMeant = error.details.dataClass === dataClass.name && error.details.key === each.item.keyText
  return isMeant ? { item: each.item, error: removeError(seen, dataClass, each.item.keyText, error) } : each
}

function attempt(
  seen: CallerStore,
  { dataClass, items }: RemoveQuery,
  item: RemoveItem | EntiaError,
  isSelected: (key: string | number) => boolean,
): Attempt {
  if (isEntiaError(item)) return { item: null, error: item }
  try {
    const entity = seen.entity(item.reference)
    // Selected by a filter and gone since: an earlier deletion of this batch took it along.
    if (entity === undefined && items === null) return { item, error: null }
    if (entity === undefined || !isSelected(entity.key)) throw notFound(dataClass, item.keyText)
    if (item.precondition !== null && item.precondition !== stampOf(entity))
      throw preconditionError(dataClass, item.keyText)
    seen.permit(dataClass, entity.key, 'delete')
    seen.store.dataClass(dataClass.name).remove(entity.key, item.stamp === null ? {} : { stamp: item.stamp })
    return { item, error: null }
  } catch (error) {
    return { item, error: removeError(seen, dataClass, item.keyText, toEntiaError(error)) }
  }
}

function outcomesOf(seen: CallerStore, query: RemoveQuery, attempts: readonly Attempt[]): readonly RemoveOutcome[] {
  const reader = new RecordReader(seen.view, query)
  return attempts.map(({ item, error }): RemoveOutcome => {
    const keyText = item?.keyText ?? null
    if (error === null) return { kind: 'removed', keyText: keyText ?? '' }
    const entity = item === null || isEntiaError(error, 'entityNotFound') ? undefined : seen.entity(item.reference)
    return {
      kind: 'failed',
      error,
      keyText,
      stored: entity === undefined ? null : reader.read(entity, query.projection),
    }
  })
}
