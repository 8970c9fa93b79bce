import { type AnySelection, type EntiaError, isEntiaError, keyOf, stampOf } from '@entia/core'
import { afterStoring } from '../engine/after-storing.ts'
import { type Awaitable, andThen } from '../engine/awaitable.ts'
import type { WriteAnswer, WriteOutcome, WriteQuery } from '../engine/engine.ts'
import { permitRows } from '../engine/permit.ts'
import type { EntityRecord } from '../engine/projection.ts'
import type { WriteItem } from '../engine/query-parts.ts'
import { fitsOneSlice } from '../engine/time-slices.ts'
import { allOrNothing } from './all-or-nothing.ts'
import { saveAuthorized } from './authorize-write.ts'
import type { CallerStore } from './caller-store.ts'
import { meets, refuseStale } from './entity-state.ts'
import { notFound, preconditionError, saveError, toEntiaError, visibleReason } from './errors.ts'
import type { LongReads } from './long-reads.ts'
import { RecordReader } from './record.ts'
import type { StoredEntity } from './stored-entity.ts'
import { entityValues } from './values.ts'

/** The outcome of one item, before its answer is read. */
type Attempt =
  | { readonly kind: 'done'; readonly entity: StoredEntity; readonly before: StoredEntity | undefined }
  | { readonly kind: 'failed'; readonly error: EntiaError }

/** Tells which keys `$filter` allows to be updated; null for all. */
type Allowed = ((key: string | number) => boolean) | null

/** Saves a batch: item by item in time slices, or atomically in one transaction. */
export function writeEntities(callerStore: CallerStore, query: WriteQuery, long: LongReads): Awaitable<WriteAnswer> {
  const { dataClass, filter, items } = query
  const write = (allowed: Allowed, long: LongReads): Awaitable<WriteAnswer> =>
    query.atomic && !query.refresh
      ? writeAtOnce(callerStore, query, allowed, long)
      : writeOneByOne(callerStore, query, allowed, long)
  if (filter === null) return write(null, long)
  const select = (): AnySelection => {
    const selection = callerStore.select(dataClass, filter)
    // Fixes the members of the selection.
    void selection.count
    return selection
  }
  // Selected once, before the first item.
  return long.writeSelected(callerStore.caller, select, (selection, own) => {
    const allowed = (key: string | number): boolean => selection.has(key)
    return fitsOneSlice(items.length)
      ? write(allowed, own)
      : own.alone((alone) => Promise.resolve(write(allowed, alone)))
  })
}

function writeOneByOne(
  callerStore: CallerStore,
  query: WriteQuery,
  allowed: Allowed,
  long: LongReads,
): Awaitable<WriteAnswer> {
  const tried = long.writeEach(
    callerStore,
    query.items,
    (item) => attempt(callerStore, query, item, allowed),
    (item, error) => failed(callerStore, query, item.keyText, error),
  )
  return andThen(tried, (attempts) =>
    answerOf(callerStore, query, attempts, { stored: !query.refresh, failures: [], long }),
  )
}

function writeAtOnce(
  callerStore: CallerStore,
  query: WriteQuery,
  allowed: Allowed,
  long: LongReads,
): Awaitable<WriteAnswer> {
  const attempts: Attempt[] = []
  const written = long.write(callerStore, () =>
    allOrNothing(callerStore.store, () => {
      for (const item of query.items) attempts.push(attempt(callerStore, query, item, allowed))
      return attempts.every((each) => each.kind === 'done')
    }),
  )
  return andThen(written, (end) => {
    // The commit refused the batch as a whole: find the items that caused it.
    if (isEntiaError(end)) return attributeError(callerStore, query, attempts, end, long)
    return answerOf(callerStore, query, attempts, { stored: end === 'stored', failures: [], long })
  })
}

function attempt(callerStore: CallerStore, query: WriteQuery, item: WriteItem, allowed: Allowed): Attempt {
  let before: StoredEntity | undefined
  try {
    if (item.reference !== null) {
      before = callerStore.entity(item.reference)
      if (before === undefined || allowed?.(keyOf(before)) === false) throw notFound(query.dataClass, item.keyText)
    }
    // Permission for the dataclass comes before any problem of the item.
    const { caller } = callerStore
    if (caller.access !== null) permitRows(caller, query.dataClass, before === undefined ? 'create' : 'update')
    if (item.refusal !== null) throw item.refusal
    const entity =
      caller.access === null
        ? save(callerStore, item, before, query)
        : saveAuthorized(callerStore, { dataClass: query.dataClass, item, before }, query, (checked) =>
            save(callerStore, checked, before, query),
          )
    return { kind: 'done', entity, before }
  } catch (error) {
    const key = before === undefined ? item.keyText : String(keyOf(before))
    return failed(callerStore, query, key, toEntiaError(error))
  }
}

const failed = (
  callerStore: CallerStore,
  { dataClass }: WriteQuery,
  key: string | null,
  error: EntiaError,
): Attempt => ({
  kind: 'failed',
  error: saveError(callerStore, dataClass, key, error),
})

function save(
  callerStore: CallerStore,
  item: WriteItem,
  before: StoredEntity | undefined,
  query: WriteQuery,
): StoredEntity {
  if (
    before !== undefined &&
    item.precondition !== null &&
    !meets(item.precondition, callerStore, query.dataClass, before)
  )
    throw preconditionError(query.dataClass, item.keyText)
  if (before !== undefined && item.stamp !== null && !query.refresh)
    refuseStale(callerStore.store, query.dataClass, item, before)
  const table = callerStore.store.dataClass(query.dataClass.name)
  const values = entityValues(query.dataClass, item, before)
  if (query.refresh) return table.preview(before === undefined ? null : keyOf(before), values)
  if (before === undefined) return table.insert(values)
  return table.update(keyOf(before), values, item.stamp === null ? {} : { stamp: item.stamp })
}

/** `stored` is false for `$refresh` and for a batch that was rolled back. */
function answerOf(
  callerStore: CallerStore,
  query: WriteQuery,
  attempts: readonly Attempt[],
  { stored, failures, long }: Ending,
): Awaitable<WriteAnswer> {
  const reader = new RecordReader(callerStore.view, query)
  const outcomeOf = (each: Attempt, at: number): WriteOutcome => {
    if (each.kind === 'failed') return failedOutcome(callerStore, query, reader, at, each.error)
    const record = reader.read(each.entity, query.projection)
    if (stored) return { kind: 'saved', record }
    const { before } = each
    return {
      kind: 'notStored',
      record: before === undefined ? withoutKey(record, query) : { ...record, stamp: stampOf(before) },
    }
  }
  const count = stored ? attempts.filter(({ kind }) => kind === 'done').length : 0
  const outcomes = afterStoring({ count, of: attempts.length, verb: 'saved' }, () =>
    long.readEach(callerStore, attempts, outcomeOf),
  )
  return andThen(outcomes, (outcomes) => ({ outcomes, failures }))
}

interface Ending {
  readonly stored: boolean
  /** Failures of the batch as a whole. */
  readonly failures: readonly EntiaError[]
  readonly long: LongReads
}

/** The key that the engine generated is not reported, since it was never stored. */
function withoutKey(record: EntityRecord, { dataClass: { key }, projection }: WriteQuery): EntityRecord {
  const isGenerated = key.autoSequence || key.type === 'uuid'
  const values = record.values.map((value, at) =>
    isGenerated && projection.fields[at]!.name === key.name ? null : value,
  )
  return { ...record, key: null, stamp: 0, values }
}

function failedOutcome(
  callerStore: CallerStore,
  query: WriteQuery,
  reader: RecordReader,
  at: number,
  error: EntiaError,
): WriteOutcome {
  const item = query.items[at]!
  if (item.reference === null) return { kind: 'failed', error, keyText: null, stored: null }
  // An entity outside `$filter` is not shown: only the filter may hide it.
  const now = isEntiaError(error, 'entityNotFound') ? undefined : callerStore.entity(item.reference)
  const stored = now === undefined ? null : reader.read(now, query.projection)
  return { kind: 'failed', error, keyText: item.keyText, stored }
}

/**
 * Attributes the refusal of a whole batch to the items that it is about; to the batch if there are
 * none.
 */
function attributeError(
  callerStore: CallerStore,
  query: WriteQuery,
  attempts: readonly Attempt[],
  error: EntiaError,
  long: LongReads,
): Awaitable<WriteAnswer> {
  let isAttributed = false
  const attributed = attempts.map((each, at): Attempt => {
    const item = query.items[at]!
    if (each.kind === 'failed' || !speaksOf(error, item, query)) return each
    isAttributed = true
    const key = each.before === undefined ? null : String(keyOf(each.before))
    return { kind: 'failed', error: saveError(callerStore, query.dataClass, key, error) }
  })
  return answerOf(callerStore, query, attributed, {
    stored: false,
    failures: isAttributed ? [] : [visibleReason(callerStore, error)],
    long,
  })
}

function speaksOf(error: EntiaError, item: WriteItem, { dataClass }: WriteQuery): boolean {
  if (!isEntiaError(error, 'relationTargetMissing') || error.details.dataClass !== dataClass.name) return false
  const { attribute, key } = error.details
  const relation = dataClass.attributes.get(attribute)
  const names = relation?.kind === 'relatedEntity' ? [attribute, relation.foreignKey.name] : [attribute]
  return names.some((name) => item.values.has(name) && String(item.values.get(name)) === key)
}
