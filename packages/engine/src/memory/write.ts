import {
  type AnyDataStore,
  type AnySelection,
  type EntiaError,
  isEntiaError,
  keyOf,
  stampOf,
} from '@entia/core'
import { storedKey } from '@entia/core/internal'
import { type Awaitable, afterStoring, andThen } from '../interface/awaitable.ts'
import { permitRows } from '../interface/permit.ts'
import type { EntityRecord } from '../interface/projection.ts'
import type { KeyValue, WriteItem } from '../interface/selection-source.ts'
import { fitsOneSlice } from '../interface/time-slices.ts'
import type { WriteAnswer, WriteOutcome, WriteQuery } from '../interface/write-query.ts'
import { refuseOtherState, saveAuthorized } from './authorize-write.ts'
import type { CallerStore } from './caller-store.ts'
import { notFound, saveError, toEntiaError, visibleReason } from './errors.ts'
import type { LongReads } from './long-reads.ts'
import { RecordReader } from './record.ts'
import { entityValues, type StoredEntity } from './values.ts'

/** Thrown inside a transaction to roll it back. It never leaves this file. */
const UNDO = Symbol('undo')

/**
 * Runs a batch in one transaction, which is rolled back unless `body` returns true. Returns an
 * EntiaError if the commit refuses the batch as a whole. Other errors are thrown.
 */
export function allOrNothing(
  store: AnyDataStore,
  body: () => boolean,
): 'stored' | 'undone' | EntiaError {
  try {
    store.transact(() => {
      if (!body()) throw UNDO
    })
    return 'stored'
  } catch (error) {
    if (error === UNDO) return 'undone'
    if (isEntiaError(error)) return error
    throw error
  }
}

/** The outcome of one item, before its answer is read. */
type Attempt =
  | {
      readonly kind: 'done'
      readonly entity: StoredEntity
      readonly before: StoredEntity | undefined
    }
  | { readonly kind: 'failed'; readonly error: EntiaError }

/** Saves a batch: item by item in time slices, or atomically in one transaction. */
export function writeEntities(
  callerStore: CallerStore,
  query: WriteQuery,
  long: LongReads,
): Awaitable<WriteAnswer> {
  const { dataClass, filter, items } = query
  const isShort = fitsOneSlice(items.length)
  const run = (own: LongReads, allowed: AnySelection | null = null): Awaitable<WriteAnswer> =>
    new WriteBatch(callerStore, query, allowed, own).run()
  if (filter === null) return query.atomic || isShort ? long.inTurn(run) : run(long)
  const select = (): AnySelection => {
    const selection = callerStore.select(dataClass, filter)
    // Fixes the members of the selection.
    void selection.count
    return selection
  }
  // Selected once, before the first item.
  return long.writeSelected(callerStore.caller, select, (selection, own) =>
    isShort ? run(own, selection) : own.alone(async (alone) => run(alone, selection)),
  )
}

/** One batch of saves. */
class WriteBatch {
  readonly #store: CallerStore
  readonly #query: WriteQuery
  /** What `$filter` allows to be updated; null for all. */
  readonly #allowed: AnySelection | null
  readonly #long: LongReads
  /** The keys of new entities of an atomic batch, once they are needed. */
  #newKeys: ReadonlySet<unknown> | null = null

  constructor(
    store: CallerStore,
    query: WriteQuery,
    allowed: AnySelection | null,
    long: LongReads,
  ) {
    this.#store = store
    this.#query = query
    this.#allowed = allowed
    this.#long = long
  }

  run(): Awaitable<WriteAnswer> {
    const { atomic, refresh, items } = this.#query
    if (atomic && !refresh) return this.#runAtomically()
    const tried = this.#long.writeEach(
      this.#store,
      items,
      (item) => this.#attempt(item),
      (item, error) => this.#failed(item.keyText, error),
    )
    return andThen(tried, (attempts) => this.#answer(attempts, !refresh))
  }

  #runAtomically(): Awaitable<WriteAnswer> {
    const attempts: Attempt[] = []
    const written = this.#long.write(this.#store, () =>
      allOrNothing(this.#store.store, () => {
        for (const item of this.#query.items) attempts.push(this.#attempt(item))
        return attempts.every((each) => each.kind === 'done')
      }),
    )
    return andThen(written, (end) => {
      if (!isEntiaError(end)) return this.#answer(attempts, end === 'stored')
      // The commit refused the batch as a whole: the items that caused it fail, or the batch.
      const attributed = attempts.map((each, at): Attempt => {
        if (each.kind === 'failed' || !speaksOf(end, this.#query.items[at]!, this.#query))
          return each
        return this.#failed(each.before === undefined ? null : String(keyOf(each.before)), end)
      })
      const isAttributed = attributed.some((each, at) => each !== attempts[at])
      return this.#answer(attributed, false, isAttributed ? [] : [visibleReason(this.#store, end)])
    })
  }

  #attempt(item: WriteItem): Attempt {
    const { dataClass } = this.#query
    const { caller } = this.#store
    let before: StoredEntity | undefined
    try {
      if (item.reference !== null) {
        before = this.#store.entity(item.reference)
        if (before === undefined || this.#allowed?.has(keyOf(before)) === false)
          throw notFound(dataClass, item.keyText)
      }
      // Permission for the dataclass comes before any problem of the item.
      if (caller.access !== null)
        permitRows(caller, dataClass, before === undefined ? 'create' : 'update')
      if (item.refusal !== null) throw item.refusal
      const entity =
        caller.access === null
          ? this.#save(item, before)
          : saveAuthorized(
              this.#store,
              { dataClass, item, before, creates: this.#creates(item) },
              this.#query,
              (it) => this.#save(it, before),
            )
      return { kind: 'done', entity, before }
    } catch (error) {
      return this.#failed(
        before === undefined ? item.keyText : String(keyOf(before)),
        toEntiaError(error),
      )
    }
  }

  /** See `Change.creates`: the keys are read when they are first asked for. */
  #creates(item: WriteItem): (key: KeyValue) => boolean {
    const { atomic, items, dataClass } = this.#query
    const keysIn = (saved: readonly WriteItem[]): ReadonlySet<unknown> =>
      new Set(
        saved.map(({ reference, values }) =>
          reference === null ? storedKey(dataClass, values.get(dataClass.key.name)) : null,
        ),
      )
    if (!atomic) return (key) => keysIn([item]).has(key)
    return (key) => {
      this.#newKeys ??= keysIn(items)
      return this.#newKeys.has(key)
    }
  }

  #failed(key: string | null, error: EntiaError): Attempt {
    return { kind: 'failed', error: saveError(this.#store, this.#query.dataClass, key, error) }
  }

  #save(item: WriteItem, before: StoredEntity | undefined): StoredEntity {
    const { dataClass, refresh } = this.#query
    const { store } = this.#store
    const table = store.dataClass(dataClass.name)
    if (before === undefined) {
      const values = entityValues(dataClass, item, before)
      return refresh ? table.preview(null, values) : table.insert(values)
    }
    refuseOtherState(this.#store, dataClass, item, before, refresh)
    const values = entityValues(dataClass, item, before)
    if (refresh) return table.preview(keyOf(before), values)
    const { stamp } = item
    return table.update(keyOf(before), values, stamp === null ? undefined : { stamp })
  }

  /**
   * `stored` is false for `$refresh` and for a batch that was rolled back; `failures` are those of
   * the whole.
   */
  #answer(
    attempts: readonly Attempt[],
    stored: boolean,
    failures: readonly EntiaError[] = [],
  ): Awaitable<WriteAnswer> {
    const reader = new RecordReader(this.#store.view, this.#query)
    const { projection } = this.#query
    const outcomeOf = (each: Attempt, at: number): WriteOutcome => {
      if (each.kind === 'failed') return this.#failure(reader, this.#query.items[at]!, each.error)
      const record = reader.read(each.entity, projection)
      if (stored) return { kind: 'saved', record }
      const { before } = each
      return {
        kind: 'notStored',
        record:
          before === undefined
            ? withoutKey(record, this.#query)
            : { ...record, stamp: stampOf(before) },
      }
    }
    let count = 0
    if (stored) for (const { kind } of attempts) if (kind === 'done') count++
    const outcomes = afterStoring({ count, of: attempts.length, verb: 'saved' }, () =>
      this.#long.readEach(this.#store, attempts, outcomeOf),
    )
    return andThen(outcomes, (outcomes) => {
      const { globalStamp } = this.#store.store
      return { globalStamp, outcomes, failures }
    })
  }

  #failure(
    reader: RecordReader,
    { reference, keyText }: WriteItem,
    error: EntiaError,
  ): WriteOutcome {
    if (reference === null) return { kind: 'failed', error, keyText: null, stored: null }
    // An entity outside `$filter` is not shown: only the filter may hide it.
    const now = isEntiaError(error, 'entityNotFound') ? undefined : this.#store.entity(reference)
    return {
      kind: 'failed',
      error,
      keyText,
      stored: now === undefined ? null : reader.read(now, this.#query.projection),
    }
  }
}

/** The key that the engine generated is not reported, since it was never stored. */
function withoutKey(
  record: EntityRecord,
  { dataClass: { key }, projection }: WriteQuery,
): EntityRecord {
  const isGenerated = key.autoSequence || key.type === 'uuid'
  const values = record.values.map((value, at) =>
    isGenerated && projection.fields[at]!.name === key.name ? null : value,
  )
  return { ...record, key: null, stamp: 0, values }
}

function speaksOf(error: EntiaError, item: WriteItem, { dataClass }: WriteQuery): boolean {
  if (!isEntiaError(error, 'relationTargetMissing') || error.details.dataClass !== dataClass.name)
    return false
  const { attribute, key } = error.details
  const relation = dataClass.attributes.get(attribute)
  const names =
    relation?.kind === 'relatedEntity' ? [attribute, relation.foreignKey.name] : [attribute]
  return names.some((name) => item.values.has(name) && String(item.values.get(name)) === key)
}
