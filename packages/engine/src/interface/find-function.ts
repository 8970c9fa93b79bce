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
 * Finds a function of a dataclass that the caller may call and that works on one of `on`. Throws
 * functionNotFound, accessDenied.
 */
export function findClassFunction(
  caller: Caller,
  dataClass: ClassModel,
  name: string,
  on: readonly ClassFunction['on'][],
): { readonly found: ClassFunction; readonly owner: string } {
  const owner = `The "${dataClass.name}" dataclass`
  const found = findFunction(dataClass.functions, name, owner)
  permitCall(caller, dataClass, name)
  if (!on.includes(found.on)) throw elsewhere(dataClass, found, owner)
  return { found, owner }
}

/** The error for a function that exists, but not at this kind of address. */
function elsewhere(
  { name: className }: ClassModel,
  { name, on }: ClassFunction,
  owner: string,
): EntiaError {
  const addresses = {
    entity: `It works on one entity: ${className}(key)/${name}.`,
    selection: `It works on a selection: ${className}/${name}, or an entity set.`,
    dataClass: `It works on the dataclass: ${className}/${name}.`,
  }
  return new EntiaError('functionNotFound', {
    owner: `${owner}, at this address,`,
    name,
    remedy: addresses[on],
  })
}
