import { type ClassFunction, type ClassModel, EntiaError, type StoreFunction } from '@entia/core'
import type { Caller } from './caller.ts'
import { permitCall } from './permit.ts'

/** Finds a function by its name. Functions that are not exposed are unknown: functionNotFound. */
export function findFunction<F extends StoreFunction>(
  functions: ReadonlyMap<string, F> | undefined,
  name: string,
  owner: string,
): F {
  const found = functions?.get(name)
  if (found?.exposed === true) return found
  throw new EntiaError('functionNotFound', { owner, name: name.slice(0, 100) })
}

/**
 * Finds a function of a dataclass that the caller may call and that works on one of `on`. `from`
 * is what calls it: an address, or a replica. Throws functionNotFound, accessDenied.
 */
export function findClassFunction(
  caller: Caller,
  dataClass: ClassModel,
  name: string,
  on: readonly ClassFunction['on'][],
  from: 'address' | 'replica' = 'address',
): { readonly found: ClassFunction; readonly owner: string } {
  const owner = `The "${dataClass.name}" dataclass`
  const found = findFunction(dataClass.functions, name, owner)
  permitCall(caller, dataClass, name)
  if (!on.includes(found.on)) throw elsewhere(dataClass, found, owner, from)
  return { found, owner }
}

/** The error for a function that exists, but not at this kind of address or call. */
function elsewhere(
  { name: className }: ClassModel,
  { name, on }: ClassFunction,
  owner: string,
  from: 'address' | 'replica',
): EntiaError {
  const remedies = {
    address: {
      entity: `It works on one entity: ${className}(key)/${name}.`,
      selection: `It works on a selection: ${className}/${name}, or an entity set.`,
      dataClass: `It works on the dataclass: ${className}/${name}.`,
    },
    replica: {
      entity: `It works on one entity: callOn('${className}', key, '${name}').`,
      selection: `It works on a selection, which a replica cannot send: call it through the client, or write a function of the dataclass that takes keys.`,
      dataClass: `It works on the dataclass: call('${className}', '${name}').`,
    },
  }
  const where = { address: 'at this address', replica: 'for this call of a replica' }
  return new EntiaError('functionNotFound', {
    owner: `${owner}, ${where[from]},`,
    name,
    remedy: remedies[from][on],
  })
}
