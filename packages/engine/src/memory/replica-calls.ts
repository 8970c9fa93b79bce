import {
  type BatchCall,
  type BatchOutcome,
  type BatchRefusal,
  isArgumentEntity,
  isWellFormed,
  storedKey,
} from '@entia/core/internal'
import { engineError } from '../errors/engine-error.ts'
import { type Awaitable, andThen, isPromise } from '../interface/awaitable.ts'
import { buildProjection } from '../interface/build-projection.ts'
import { findClassFunction } from '../interface/find-function.ts'
import {
  type CallParameter,
  type CallQuery,
  LoggedIn,
  OutgoingReply,
  type ResultValue,
} from '../interface/function-query.ts'
import { type BatchQuery, type CallTime, refusalOf } from '../interface/replicas.ts'
import { NO_CHANGE } from '../interface/selection-source.ts'
import { callAtOnce, forParameter, settled } from './call.ts'
import type { CallerStore } from './caller-store.ts'
import { notFound, resultRefused } from './errors.ts'
import { attempt, type Deciding, knownOutcome, refusalFor, type Writes } from './replica-attempt.ts'
import type { ReplicaNotes } from './replica-notes.ts'
import { ResultReader } from './result.ts'

interface NumberedCall {
  readonly number: number
  readonly call: BatchCall
  readonly bounds: BatchQuery['bounds']
  readonly callTime: CallTime
}
type Query = Parameters<typeof callAtOnce>[1]

/** A function that has returned a promise. */
interface Running {
  readonly query: Query
  readonly returned: Promise<unknown>
}

/**
 * Decides a call as the caller. What the function changes before it returns is one transaction with
 * the number that says that the call was decided. If it returns a promise, that transaction notes
 * the refusal functionInterrupted, which holds if the server stops before the promise settles. A
 * promise that takes longer than `callTime` is functionTimedOut, whatever becomes of it.
 */
export function decideCall(
  deciding: Deciding,
  notes: ReplicaNotes,
  numbered: NumberedCall,
  { write, finish }: Writes,
): Awaitable<BatchOutcome> {
  const { number } = numbered
  const { callerStore } = deciding
  const { store } = callerStore
  const applied = (result: unknown): BatchOutcome => ({
    kind: 'applied',
    number,
    globalStamp: store.globalStamp,
    result,
  })
  const noted = (refusal: BatchRefusal): BatchOutcome => {
    const outcome = { kind: 'refused', number, refusal } as const
    notes.note(outcome)
    return outcome
  }
  const begun = write((): BatchOutcome | Running => {
    const known = knownOutcome(deciding, notes, number)
    if (known !== null) return known
    if (numbered.callTime.isOver) {
      const late = timedOut(queryOf(callerStore, numbered.call, numbered.bounds), numbered.callTime)
      return noted(refusalFor(deciding, late))
    }
    const done = attempt(deciding, () => begin(callerStore, notes, numbered))
    if ('returned' in done) return done
    return 'result' in done ? applied(done.result) : noted(done)
  })
  return andThen(begun, async (begun) => {
    if (!('returned' in begun)) return begun
    const { query, returned } = begun
    let value: unknown
    try {
      value = await within(numbered.callTime, query, settled(query, callerStore, returned))
    } catch (error) {
      return finish(() => noted(refusalFor(deciding, error)))
    }
    return finish(() => {
      const done = attempt(deciding, () => {
        const result = readResult(callerStore, query, value)
        notes.note({ kind: 'applied', number, result })
        return { result }
      })
      return 'result' in done ? applied(done.result) : noted(done)
    })
  })
}

/** Calls the function in the open transaction. Throws what refuses the call. */
function begin(
  callerStore: CallerStore,
  notes: ReplicaNotes,
  { number, call, bounds }: NumberedCall,
): { readonly result: unknown } | Running {
  const query = queryOf(callerStore, call, bounds)
  const called = callAtOnce(callerStore, query)
  if (called === null) throw notFound(callerStore.names.dataClass(call.dataClass), String(call.key))
  const { returned } = called
  if (isPromise(returned)) {
    // It runs on, whatever becomes of the transaction.
    // The `then` of a query builder runs the query: it must be called once.
    const once = Promise.resolve(returned)
    once.catch(() => {})
    const interrupted = engineError('functionInterrupted', { owner: query.owner, name: query.name })
    notes.note({ kind: 'refused', number, refusal: refusalOf(interrupted) }, true)
    return { query, returned: once }
  }
  const result = readResult(callerStore, query, returned)
  notes.note({ kind: 'applied', number, result })
  return { result }
}

const timedOut = ({ owner, name }: Query, { seconds: limit }: CallTime) =>
  engineError('functionTimedOut', { owner, name, limit })

/** Waits for a function as long as it may take. Rejects with functionTimedOut; it runs on. */
function within<R>(callTime: CallTime, query: Query, value: Promise<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    const end = callTime.whenOver(() => {
      end()
      reject(timedOut(query, callTime))
    })
    value.then(resolve, reject).finally(end)
  })
}

/**
 * Throws dataClassNotFound, functionNotFound, accessDenied, entityNotFound for a malformed key,
 * functionParameterInvalid.
 */
function queryOf(
  callerStore: CallerStore,
  { dataClass: className, key, name, args }: BatchCall,
  { maxDepth, relatedTop, maxEntities }: BatchQuery['bounds'],
): Query {
  const { caller, names } = callerStore
  const dataClass = names.dataClass(className)
  const on = key === null ? 'dataClass' : 'entity'
  const { owner } = findClassFunction(caller, dataClass, name, [on], 'replica')
  const stored = key === null ? null : storedKey(dataClass, key)
  if (key !== null && stored === null) throw notFound(dataClass, String(key))
  return {
    target:
      stored === null
        ? { kind: 'dataClass', dataClass }
        : { kind: 'entity', reference: { kind: 'key', dataClass, key: stored }, through: null },
    name,
    owner,
    parameters: args.map((value, at) =>
      forParameter(callerStore, { name, position: at + 1 }, () => parameterOf(callerStore, value)),
    ),
    projectionOf: (dataClass) =>
      buildProjection(dataClass, { names, attributes: [dataClass.key.name], maxPathDepth: 1 }),
    skip: 0,
    top: relatedTop,
    keep: null,
    maxDepth,
    relatedTop,
    maxEntities,
  }
}

/** Throws dataClassNotFound, entityNotFound. */
function parameterOf({ names }: CallerStore, value: unknown): CallParameter {
  if (!isArgumentEntity(value)) return { kind: 'json', value }
  const dataClass = names.dataClass(value.__DATACLASS)
  const key = storedKey(dataClass, value.__KEY)
  const keyText = String(value.__KEY)
  if (key === null) throw notFound(dataClass, keyText)
  const reference = { kind: 'key', dataClass, key } as const
  const item = { ...NO_CHANGE, reference, keyText }
  return { kind: 'entity', dataClass, item }
}

/**
 * The result as a JSON value: an entity as its key, a selection as its keys. Throws functionFailed
 * for a result that cannot be shown.
 */
function readResult(callerStore: CallerStore, query: CallQuery, returned: unknown): unknown {
  try {
    if (returned instanceof LoggedIn || returned instanceof OutgoingReply)
      throw new Error('A login or a reply of its own is for a request, not for a replica.')
    // Without an entity set to keep, it is read at once.
    return jsonOf(new ResultReader(callerStore, query).read(returned) as ResultValue)
  } catch (error) {
    throw resultRefused(query, error)
  }
}

function jsonOf(value: ResultValue): unknown {
  if (typeof value === 'string' && !isWellFormed(value))
    throw new Error('Text with a lone surrogate cannot be kept.')
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map(jsonOf)
  if (value instanceof Map && value.has('__proto__'))
    throw new Error('A property called "__proto__" cannot be sent.')
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, inner]) => [name, jsonOf(inner)]))
  const shown = value as Exclude<typeof value, ReadonlyMap<string, ResultValue>>
  if (shown.kind === 'entity') return shown.record.key
  const { count, records } = shown
  if (count > records.length)
    throw new Error(`A selection of ${count} entities: at most ${records.length} keys are sent.`)
  return records.map((record) => record?.key ?? null)
}

/** `Array.isArray` does not narrow to a readonly array. */
const isList = (value: ResultValue): value is readonly ResultValue[] => Array.isArray(value)
