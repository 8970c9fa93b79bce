import { isEntiaError } from '@entia/core'
import type { CallQuery, CallResult, CallTarget, ResultValue } from '../engine/function-query.ts'
import { LoggedIn, OutgoingReply } from '../engine/function-reply.ts'
import type { CallerStore } from './caller-store.ts'
import { resultRefused, thrownByFunction } from './function-error.ts'
import { parameterValue } from './parameters.ts'
import { ResultReader } from './result.ts'
import { keepRemade, type Selected, selectSource } from './select.ts'
import { asSession } from './session.ts'
import type { StoredEntity } from './stored-entity.ts'

/**
 * Calls a function of the application as the caller and awaits its result. Code after an `await` in
 * the function runs without a session. Null if the entity that it works on does not exist.
 */
export async function callFunction(
  callerStore: CallerStore,
  query: CallQuery,
): Promise<CallResult | null> {
  const { name, parameters, target } = query
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
    const values = parameters.map((parameter, at) =>
      parameterValue(callerStore, parameter, { name, position: at + 1 }),
    )
    returned = guarded(query, callerStore, () => call(values))
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

async function settled(
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
