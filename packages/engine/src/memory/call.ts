import { type AnySelection, type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import { overlay, ownCopy } from '@entia/core/internal'
import { engineError } from '../errors/engine-error.ts'
import {
  type CallParameter,
  type CallQuery,
  type CallResult,
  type CallTarget,
  LoggedIn,
  OutgoingReply,
  type ResultValue,
} from '../interface/function-query.ts'
import type { WriteItem } from '../interface/selection-source.ts'
import { asSession, type CallerStore } from './caller-store.ts'
import { notFound, resultRefused, thrownByFunction, withoutHiddenNames } from './errors.ts'
import { ResultReader } from './result.ts'
import { keepRemade, type Selected, selectSource } from './select.ts'
import { entityValues, refuseStale, type StoredEntity } from './values.ts'

/**
 * The value that the function receives for an argument. Throws functionParameterInvalid around the
 * problem.
 */
function parameterValue(
  callerStore: CallerStore,
  parameter: CallParameter,
  place: ParameterPlace,
): unknown {
  return forParameter(callerStore, place, () => {
    switch (parameter.kind) {
      case 'json':
        return ownCopy(parameter.value)
      case 'entity':
        return entityOf(callerStore, parameter.dataClass, parameter.item)
      case 'selection':
        return selectionOf(callerStore, parameter)
    }
  })
}

/** The function, and the position of one of its parameters. */
interface ParameterPlace {
  readonly name: string
  readonly position: number
}

/** Runs a body that reads a parameter. Throws functionParameterInvalid around what it throws. */
export function forParameter<R>(
  callerStore: CallerStore,
  { name, position }: ParameterPlace,
  body: () => R,
): R {
  try {
    return body()
  } catch (error) {
    if (!isEntiaError(error)) throw error
    const cause = withoutHiddenNames(callerStore.names, error)
    throw engineError(
      'functionParameterInvalid',
      { name, position, problem: cause.message },
      { cause },
    )
  }
}

/**
 * An entity as it was sent, not saved. With a key: a private copy of the stored entity, overlaid
 * with the sent values. Without one: a plain object of the sent values. `update` and `insert`
 * accept both.
 */
function entityOf(callerStore: CallerStore, dataClass: ClassModel, item: WriteItem): object {
  const stored = item.reference === null ? undefined : callerStore.entity(item.reference)
  if (item.reference !== null && stored === undefined) throw notFound(dataClass, item.keyText)
  if (item.refusal !== null) throw item.refusal
  if (stored !== undefined) refuseStale(callerStore.store, dataClass, item, stored)
  return overlay(
    stored ?? {},
    dataClass,
    entityValues(dataClass, item, stored),
    ({ target }, key) => callerStore.entity({ kind: 'key', dataClass: target, key }),
  )
}

function selectionOf(
  callerStore: CallerStore,
  { id, dataClass: named }: Extract<CallParameter, { kind: 'selection' }>,
): AnySelection {
  const kept = callerStore.store.entitySets.peek(id, callerStore.session)
  const dataClass =
    kept === undefined ? undefined : callerStore.names.findDataClass(kept.dataClass.name)
  const shown = id.slice(0, 40)
  if (dataClass === undefined) throw new EntiaError('entitySetNotFound', { id: shown })
  if (named !== null && named !== dataClass.name)
    throw engineError('entitySetOfOtherClass', { id: shown, dataClass: named.slice(0, 100) })
  const source = { kind: 'entitySet', dataClass, id, clean: false, combination: null } as const
  return selectSource(callerStore, { source, filter: null, orderBy: null, saved: null })!.selection
}

/**
 * Calls a function of the application as the caller and awaits its result. Code after an `await` in
 * the function runs without a session. Null if the entity that it works on does not exist.
 */
export async function callFunction(
  callerStore: CallerStore,
  query: CallQuery,
): Promise<CallResult | null> {
  const { name, target } = query
  const { store, session } = callerStore
  let bound: Bound | null = null
  asSession(store, session, () => {
    bound = bind(callerStore, target, name)
  })
  if (bound === null) return null
  const { call, remade } = bound as Bound
  if (remade !== null) await keepRemade(callerStore, remade)
  let returned: unknown
  asSession(store, session, () => {
    returned = invoke(callerStore, query, call)
  })
  const result = await settled(query, callerStore, returned)
  if (result instanceof OutgoingReply) return { kind: 'reply', reply: result }
  if (!(result instanceof LoggedIn)) {
    const value = await readResult(callerStore, query, result)
    return { kind: 'value', globalStamp: store.globalStamp, value }
  }
  const { user, lifetimeSeconds } = result
  const value = await readResult(callerStore, query, result.result)
  return { kind: 'login', globalStamp: store.globalStamp, user, lifetimeSeconds, value }
}

/**
 * Calls a function in the open transaction and session. Returns what it returns, perhaps a promise;
 * null if the entity that it works on does not exist. Throws what the function throws, as clients
 * may see it.
 */
export function callAtOnce(
  callerStore: CallerStore,
  query: CallQuery & { readonly target: Exclude<CallTarget, { readonly kind: 'selection' }> },
): { readonly returned: unknown } | null {
  const call = bindTo(callerStore, query.target, query.name)
  return call && { returned: invoke(callerStore, query, call) }
}

function invoke(callerStore: CallerStore, query: CallQuery, call: Call): unknown {
  const { name, parameters } = query
  const values = parameters.map((parameter, at) =>
    parameterValue(callerStore, parameter, { name, position: at + 1 }),
  )
  return guarded(query, callerStore, () => call(values))
}

type Call = (values: readonly unknown[]) => unknown

/** A function with its target; `remade` is an entity set to keep before the call. */
interface Bound {
  readonly call: Call
  readonly remade: Selected['remade']
}

/** Binds the function to its target; null if the target does not exist. */
function bind(callerStore: CallerStore, target: CallTarget, name: string): Bound | null {
  if (target.kind !== 'selection') {
    const call = bindTo(callerStore, target, name)
    return call === null ? null : { call, remade: null }
  }
  const selected = selectSource(callerStore, target.query)
  if (selected === null) return null
  const { selection, remade } = selected
  return { call: (values) => selection.call(name, ...values), remade }
}

function bindTo(
  callerStore: CallerStore,
  target: Exclude<CallTarget, { readonly kind: 'selection' }>,
  name: string,
): Call | null {
  const { store, view } = callerStore
  switch (target.kind) {
    case 'store':
      return (values) => store.call(name, ...values)
    case 'singleton':
      return (values) => store.singleton(target.singleton).call(name, ...values)
    case 'dataClass':
      return (values) => store.dataClass(target.dataClass.name).call(name, ...values)
    case 'entity': {
      const { reference, through } = target
      const found = callerStore.entity(reference)
      if (found === undefined) return null
      const entity =
        through === null ? found : (view.related(found, through.name) as StoredEntity | null)
      if (entity === null) return null
      const { name: className } = through?.target ?? reference.dataClass
      return (values) => store.dataClass(className).callOn(entity as never, name, ...values)
    }
  }
}

function guarded(query: CallQuery, callerStore: CallerStore, run: () => unknown): unknown {
  try {
    return run()
  } catch (thrown) {
    throw thrownByFunction(query, callerStore, thrown)
  }
}

/** Awaits what a function has returned. Throws what it throws as clients may see it. */
export async function settled(
  query: CallQuery,
  callerStore: CallerStore,
  value: unknown,
): Promise<unknown> {
  try {
    return await value
  } catch (thrown) {
    throw thrownByFunction(query, callerStore, thrown)
  }
}

/**
 * Errors about `$attributes`, `$expand` and limits are the caller's; all others are the function's.
 */
async function readResult(
  callerStore: CallerStore,
  query: CallQuery,
  result: unknown,
): Promise<ResultValue> {
  try {
    return await new ResultReader(callerStore, query).read(result)
  } catch (error) {
    if (isEntiaError(error) && !isEntiaError(error, 'promiseReturned')) throw error
    throw resultRefused(query, error)
  }
}
