import { isEntiaError } from '@entia/core'
import type { CallQuery, CallResult, CallTarget } from '../engine/function-query.ts'
import { LoggedIn, OutgoingReply } from '../engine/function-reply.ts'
import type { CallerStore } from './caller-store.ts'
import { resultRefused, thrownByFunction } from './function-error.ts'
import { parameterValue } from './parameters.ts'
import { ResultReader } from './result.ts'
import { selectSource } from './select.ts'
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
  let returned: { readonly value: unknown } | null = null
  asSession(callerStore.store, callerStore.session, () => {
    const call = bind(callerStore, target, name)
    if (call === null) return
    const values = parameters.map((parameter, at) =>
      parameterValue(callerStore, parameter, { name, position: at + 1 }),
    )
    returned = { value: guarded(query, callerStore, () => call(values)) }
  })
  if (returned === null) return null
  const { value } = returned as { readonly value: unknown }
  const result = await settled(query, callerStore, value)
  if (result instanceof OutgoingReply) return { kind: 'reply', reply: result }
  const readable = (what: unknown) => readResult(callerStore, query, what)
  if (!(result instanceof LoggedIn)) return { kind: 'value', value: readable(result) }
  const { user, lifetimeSeconds } = result
  return { kind: 'login', user, lifetimeSeconds, value: readable(result.result) }
}

type Call = (values: readonly unknown[]) => unknown

/** Binds the function to its target; null if the target does not exist. */
function bind(callerStore: CallerStore, target: CallTarget, name: string): Call | null {
  const { store, view } = callerStore
  switch (target.kind) {
    case 'store':
      return (values) => store.call(name, ...values)
    case 'singleton':
      return (values) => store.singleton(target.singleton).call(name, ...values)
    case 'dataClass':
      return (values) => store.dataClass(target.dataClass.name).call(name, ...values)
    case 'selection': {
      const selected = selectSource(callerStore, target.query)
      return selected === null ? null : (values) => selected.selection.call(name, ...values)
    }
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
function readResult(callerStore: CallerStore, query: CallQuery, result: unknown) {
  try {
    return new ResultReader(callerStore, query).read(result)
  } catch (error) {
    if (isEntiaError(error) && !isEntiaError(error, 'promiseReturned')) throw error
    throw resultRefused(query, error)
  }
}
