import { type AnyDataStore, type EntiaError, isEntiaError, stampOf } from '@entia/core'
import { afterStoring } from './after-storing.ts'
import type { Caller } from './caller.ts'
import { notFound, preconditionError, removeError, toEntiaError } from './core-errors.ts'
import { selectFrom } from './core-filter.ts'
import { findEntity } from './core-read.ts'
import { RecordReader } from './core-record.ts'
import type { RemoveAnswer, RemoveItem, RemoveOutcome, RemoveQuery } from './engine-door.ts'
import { withoutHiddenNames } from './visible-error.ts'

/** Thrown inside a transaction to undo it; it never leaves this file. */
const UNDO = Symbol('undo')

type Attempt = { readonly item: RemoveItem | null; readonly error: EntiaError | null }

/** Deletes named entities, or all that a filter selects. */
export function removeEntities(store: AnyDataStore, query: RemoveQuery, caller: Caller): RemoveAnswer {
  const { dataClass, filter, items } = query
  const selected = filter === null ? null : selectFrom(store, dataClass, filter)
  if (items !== null) {
    return runAll(store, query, caller, items, (key) => selected === null || selected.has(key))
  }
  if (selected === null) throw notFound(dataClass, null)
  const keys = selected.keys()
  try {
    // Nearly always all of them can go, and then one transaction is all it takes.
    selected.remove()
    return { outcomes: [], committed: true }
  } catch (error) {
    if (!isEntiaError(error)) throw error
  }
  const each = keys.map((key): RemoveItem => {
    return { reference: { kind: 'key', dataClass, key }, keyText: String(key), stamp: null, precondition: null }
  })
  return runAll(store, query, caller, each, () => true)
}

function runAll(
  store: AnyDataStore,
  query: RemoveQuery,
  caller: Caller,
  items: readonly (RemoveItem | EntiaError)[],
  isSelected: (key: string | number) => boolean,
): RemoveAnswer {
  const attempts: Attempt[] = []
  const tryAll = (): void => {
    for (const item of items) attempts.push(attempt(store, query, caller, item, isSelected))
  }
  if (!query.atomic) {
    tryAll()
    return committed(store, query, attempts)
  }
  try {
    store.transact(() => {
      tryAll()
      if (attempts.some(({ error }) => error !== null)) throw UNDO
    })
  } catch (error) {
    if (error === UNDO) return { outcomes: outcomesOf(store, query, attempts), committed: false }
    if (!isEntiaError(error)) throw error
    const blamed = attempts.map((each) => blame(caller, each, query, error))
    // What no item is to blame for is the failure of the whole.
    if (blamed.every((each) => each.error === null)) throw withoutHiddenNames(caller.names, error)
    return { outcomes: outcomesOf(store, query, blamed), committed: false }
  }
  return committed(store, query, attempts)
}

function committed(store: AnyDataStore, query: RemoveQuery, attempts: readonly Attempt[]): RemoveAnswer {
  const count = attempts.filter(({ error }) => error === null).length
  const stored = { count, of: attempts.length, verb: 'deleted' } as const
  return { outcomes: afterStoring(stored, () => outcomesOf(store, query, attempts)), committed: true }
}

/** References are looked at when the batch ends: a refusal then names the entity it is about. */
function blame({ names }: Caller, each: Attempt, { dataClass }: RemoveQuery, error: EntiaError): Attempt {
  if (!isEntiaError(error, 'removeRestricted') || each.item === null) return each
  const isMeant = error.details.dataClass === dataClass.name && error.details.key === each.item.keyText
  return isMeant ? { item: each.item, error: removeError(names, dataClass, each.item.keyText, error) } : each
}

function attempt(
  store: AnyDataStore,
  { dataClass, items }: RemoveQuery,
  { names }: Caller,
  item: RemoveItem | EntiaError,
  isSelected: (key: string | number) => boolean,
): Attempt {
  if (isEntiaError(item)) return { item: null, error: item }
  try {
    const entity = findEntity(store, item.reference)
    // Selected by a filter and gone since: an earlier deletion of this batch took it along.
    if (entity === undefined && items === null) return { item, error: null }
    if (entity === undefined || !isSelected(entity.key)) throw notFound(dataClass, item.keyText)
    if (item.precondition !== null && item.precondition !== stampOf(entity))
      throw preconditionError(dataClass, item.keyText)
    store.dataClass(dataClass.name).remove(entity.key, item.stamp === null ? {} : { stamp: item.stamp })
    return { item, error: null }
  } catch (error) {
    return { item, error: removeError(names, dataClass, item.keyText, toEntiaError(error)) }
  }
}

function outcomesOf(store: AnyDataStore, query: RemoveQuery, attempts: readonly Attempt[]): readonly RemoveOutcome[] {
  const reader = new RecordReader(query)
  return attempts.map(({ item, error }): RemoveOutcome => {
    const keyText = item?.keyText ?? null
    if (error === null) return { kind: 'removed', keyText: keyText ?? '' }
    const entity =
      item === null || isEntiaError(error, 'entityNotFound') ? undefined : findEntity(store, item.reference)
    return {
      kind: 'failed',
      error,
      keyText,
      stored: entity === undefined ? null : reader.read(entity, query.projection),
    }
  })
}
