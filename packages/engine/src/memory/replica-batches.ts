import { type ClassModel, checkedValue, EntiaError, isEntiaError, stampOf } from '@entia/core'
import {
  type Batch,
  type BatchConflict,
  type BatchItem,
  type BatchOutcome,
  type BatchValues,
  decodeValue,
  formatDate,
  hasCountedKey,
  type Lease,
  type StoredValue,
  storedKey,
} from '@entia/core/internal'
import { engineError } from '../errors/engine-error.ts'
import type { Awaitable } from '../interface/awaitable.ts'
import { permitRows } from '../interface/permit.ts'
import { type BatchAnswer, type BatchQuery, refusalOf } from '../interface/replicas.ts'
import { NO_CHANGE, type WriteItem } from '../interface/selection-source.ts'
import { saveAuthorized } from './authorize-write.ts'
import type { CallerStore } from './caller-store.ts'
import { notFound, removeError, saveError, toEntiaError } from './errors.ts'
import { attempt, type Deciding, knownOutcome, Refused, type Writes } from './replica-attempt.ts'
import { decideCall } from './replica-calls.ts'
import { leaseKeys } from './replica-leases.ts'
import { eraOf, ReplicaNotes } from './replica-notes.ts'
import { columnNamed } from './replica-shapes.ts'
import { attributeValue, entityValues, isStoredValue, type StoredEntity } from './values.ts'

/**
 * Decides batches as the caller, each in one transaction with the number that says so, then leases
 * keys. Answers the outcomes of the first ones if the others have no room before these arrive.
 * Throws accessDenied for a replica of another user, argumentInvalid for a store without
 * `ReplicaState`, budgetExceeded if the first batch has no room.
 */
export function decideBatches(
  callerStore: CallerStore,
  query: BatchQuery,
  writes: Writes,
): Awaitable<BatchAnswer> {
  const { write } = writes
  const { received, batches } = query
  const notes = new ReplicaNotes(callerStore, query)
  const deciding: Deciding = { callerStore, failures: [], own: new Map() }
  if (batches.some(({ call }) => call !== undefined))
    return decideWithCalls(deciding, notes, query, writes)
  return write(() => {
    notes.forget(received)
    const outcomes = Array.from(notes.withRoom(batches), (batch) => decide(deciding, notes, batch))
    return { ...answerOf(deciding, notes, query), outcomes }
  })
}

/** A function may return a promise: the batches after it wait for it. */
async function decideWithCalls(
  deciding: Deciding,
  notes: ReplicaNotes,
  query: BatchQuery,
  writes: Writes,
): Promise<BatchAnswer> {
  const { write } = writes
  const { received, batches, bounds, callTime } = query
  await write(() => notes.forget(received))
  const outcomes: BatchOutcome[] = []
  for (const batch of notes.withRoom(batches)) {
    const { number, call } = batch
    const outcome =
      call === undefined
        ? write(() => decide(deciding, notes, batch))
        : decideCall(deciding, notes, { number, call, bounds, callTime }, writes)
    outcomes.push(await outcome)
  }
  return { ...(await write(() => answerOf(deciding, notes, query))), outcomes }
}

/** Leases keys once all batches are decided. */
function answerOf(
  deciding: Deciding,
  notes: ReplicaNotes,
  { lease: wanted }: BatchQuery,
): Omit<BatchAnswer, 'outcomes'> {
  const { callerStore, failures } = deciding
  const lease = Object.fromEntries(
    [...wanted].map(([name, asked]) => [
      name,
      attempt<Lease>(deciding, () => ({ blocks: leaseKeys(callerStore, notes, name, asked) })),
    ]),
  )
  return { era: eraOf(callerStore.store), lease, failures }
}

function decide(deciding: Deciding, notes: ReplicaNotes, batch: Batch): BatchOutcome {
  const { callerStore } = deciding
  const { number } = batch
  const known = knownOutcome(deciding, notes, number)
  if (known !== null) return known
  const seen: StampsSeen = new Map()
  const refusal = attempt(deciding, () => {
    writeBatch(deciding, notes, batch, seen)
    notes.note({ kind: 'applied', number })
    return null
  })
  if (refusal === null) {
    const stamps = batch.items.map((item) => stampAfter(deciding, seen.get(idOf(item))))
    return { kind: 'applied', number, globalStamp: callerStore.store.globalStamp, stamps }
  }
  const outcome = { kind: 'refused', number, refusal } as const
  notes.note(outcome)
  return outcome
}

/** The entities that a batch saves as it knows them, with the stamps that it knows; 0 for none. */
type StampsSeen = Map<string, Seen>
interface Seen {
  readonly id: string
  readonly from: number
  readonly dataClass: ClassModel
  readonly key: string | number
}

const idOf = ({ dataClass, key }: Pick<BatchItem, 'dataClass' | 'key'>): string =>
  `${dataClass} ${key}`

/** Notes the stamp that a batch has led to; null for an entity that it did not know, or removed. */
function stampAfter({ callerStore, own }: Deciding, seen: Seen | undefined): number | null {
  if (seen === undefined) return null
  const { id, from, dataClass, key } = seen
  const entity = callerStore.entity({ kind: 'key', dataClass, key })
  if (entity === undefined) return null
  const to = stampOf(entity)
  own.set(id, { from, to })
  return to
}

/** Throws Refused. */
function writeBatch(
  deciding: Deciding,
  notes: ReplicaNotes,
  { items, strict }: Batch,
  seen: StampsSeen,
): void {
  const { callerStore } = deciding
  const conflicts: BatchConflict[] = []
  for (const item of items) {
    const dataClass = callerStore.names.dataClass(item.dataClass)
    const key = String(item.key)
    try {
      const conflict = writeOne(deciding, notes, { dataClass, item, strict, seen })
      if (conflict !== null) conflicts.push(conflict)
    } catch (error) {
      // A conflict before it may be why it fails.
      if (conflicts.length > 0) break
      const reason = toEntiaError(error)
      const whole =
        item.kind === 'remove'
          ? removeError(callerStore, dataClass, key, reason)
          : saveError(callerStore, dataClass, item.kind === 'insert' ? null : key, reason)
      throw new Refused(refusalOf(whole), whole)
    }
  }
  if (conflicts.length > 0) throw new Refused({ conflicts, errors: [] }, null)
}

/** Makes one change, unless somebody else has changed the same values. */
function writeOne(
  { callerStore, own }: Deciding,
  notes: ReplicaNotes,
  {
    dataClass,
    item,
    strict,
    seen,
  }: { dataClass: ClassModel; item: BatchItem; strict: boolean; seen: StampsSeen },
): BatchConflict | null {
  const { caller, store } = callerStore
  const key = storedKey(dataClass, item.key)
  if (key === null) throw notFound(dataClass, String(item.key))
  const id = idOf(item)
  const entity = callerStore.entity({ kind: 'key', dataClass, key })
  if (item.kind === 'insert') {
    if (caller.access !== null) permitRows(caller, dataClass, 'create')
    if (hasCountedKey(dataClass) && !notes.mayGive(dataClass.name, key as number))
      throw engineError('keyNotLeased', { dataClass: dataClass.name, key: String(key) })
    save(callerStore, dataClass, item, undefined)
    seen.set(id, { id, from: 0, dataClass, key })
    return null
  }
  if (entity === undefined) {
    // Both have removed it.
    if (item.kind === 'remove') return null
    return { ...inConflict(item), theirs: null, stamp: 0 }
  }
  const stamp = stampOf(entity)
  const ours = own.get(id)
  const isSeen = stamp === item.stamp || (stamp === ours?.to && item.stamp === ours.from)
  if (isSeen) seen.set(id, { id, from: item.stamp, dataClass, key })
  else if (strict || !isUnchanged(callerStore, dataClass, entity, item)) {
    const theirs = valuesOf(callerStore, dataClass, entity, Object.keys(item.before))
    return { ...inConflict(item), theirs, stamp }
  }
  if (item.kind === 'remove') {
    callerStore.permit(dataClass, key, 'delete')
    store.dataClass(dataClass.name).remove(key)
    return null
  }
  if (caller.access !== null) permitRows(caller, dataClass, 'update')
  save(callerStore, dataClass, item, entity)
  return null
}

const inConflict = (item: Exclude<BatchItem, { kind: 'insert' }>) => ({
  dataClass: item.dataClass,
  key: item.key,
  base: item.before,
  mine: item.kind === 'update' ? item.values : null,
})

/** True if every value that the change replaces, or removes, is still there or is the new one. */
function isUnchanged(
  callerStore: CallerStore,
  dataClass: ClassModel,
  entity: StoredEntity,
  item: Exclude<BatchItem, { kind: 'insert' }>,
): boolean {
  const names = Object.keys(item.before)
  // A removal without values is only for the state that its writer has seen.
  if (item.kind === 'remove' && names.length === 0) return false
  return names.every((name) => {
    const given = [item.before[name], ...(item.kind === 'update' ? [item.values[name]] : [])]
    return given.some((value) => isNow(callerStore, dataClass, entity, name, value))
  })
}

function isNow(
  callerStore: CallerStore,
  dataClass: ClassModel,
  entity: StoredEntity,
  name: string,
  value: unknown,
): boolean {
  const { attribute, masked } = columnNamed(callerStore, dataClass, name)
  if (masked !== null) return callerStore.view.relatedKey(entity, name) === (value ?? null)
  return isStoredValue(dataClass, name, inputOf(attribute, value), entity)
}

/** The stored values of an entity, as the caller may see them. */
function valuesOf(
  callerStore: CallerStore,
  dataClass: ClassModel,
  entity: StoredEntity,
  names: readonly string[],
): BatchValues {
  return Object.fromEntries(
    names.map((name) => {
      const { attribute } = columnNamed(callerStore, dataClass, name)
      if (dataClass.attributes.get(name)?.kind === 'relatedEntity')
        return [name, callerStore.view.relatedKey(entity, name)]
      const value = attributeValue(entity, attribute) ?? null
      return [name, value === null ? null : checkedValue(attribute, value)]
    }),
  )
}

function save(
  callerStore: CallerStore,
  dataClass: ClassModel,
  { key, values: given }: Extract<BatchItem, { kind: 'insert' | 'update' }>,
  before: StoredEntity | undefined,
): void {
  const values = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given))
    values.set(name, inputOf(columnNamed(callerStore, dataClass, name).attribute, value))
  if (before === undefined) values.set(dataClass.key.name, key)
  const reference = { kind: 'key', dataClass, key } as WriteItem['reference']
  const stored = before === undefined ? {} : { reference, keyText: String(key) }
  const item: WriteItem = { ...NO_CHANGE, ...stored, values }
  const own = storedKey(dataClass, key)
  const table = callerStore.store.dataClass(dataClass.name)
  const write = (item: WriteItem): StoredEntity => {
    const input = entityValues(dataClass, item, before)
    return before === undefined ? table.insert(input) : table.update(key, input)
  }
  if (callerStore.caller.access === null) write(item)
  else
    saveAuthorized(
      callerStore,
      { dataClass, item, before, creates: (created) => before === undefined && created === own },
      { atomic: true, refresh: false },
      write,
    )
}

/** A value in the form that writes take. Throws valueInvalid. */
function inputOf(
  attribute: Parameters<typeof decodeValue>[0],
  value: unknown,
): StoredValue | undefined {
  let stored: StoredValue
  try {
    stored = decodeValue(attribute, value ?? null)
  } catch (error) {
    if (!isEntiaError(error)) throw error
    throw new EntiaError('valueInvalid', {
      dataClass: attribute.owner.name,
      attribute: attribute.name,
      expected: `a value of type ${attribute.type}`,
      found: typeof value,
    })
  }
  return attribute.type === 'date' && stored !== null
    ? formatDate(stored as number, attribute.dateOnly)
    : stored
}
