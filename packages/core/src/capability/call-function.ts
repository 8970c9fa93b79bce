import { EntiaError } from '../errors.ts'
import type { ClassFunction, ClassModel, StoreFunction } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { Writer } from '../write/writer.ts'

/**
 * Calls a function of a class. Throws `functionNotFound` for a name that is not one, or not of this
 * kind.
 */
export function callClassFunction(
  writer: Writer,
  model: ClassModel,
  on: ClassFunction['on'],
  name: string,
  context: object,
  args: readonly unknown[],
): Untyped {
  writer.guard()
  const found = model.functions.get(name)
  if (found === undefined || found.on !== on) {
    throw new EntiaError('functionNotFound', {
      owner: `Dataclass "${model.name}" (on ${on})`,
      name,
    })
  }
  return found.run({ ...context, session: writer.session } as never, ...(args as never[]))
}

/** Calls a function of the store or of a singleton. */
export function callStoreFunction(
  writer: Writer,
  functions: ReadonlyMap<string, StoreFunction> | undefined,
  owner: string,
  name: string,
  store: object,
  args: readonly unknown[],
): Untyped {
  writer.guard()
  const found = functions?.get(name)
  if (found === undefined) throw new EntiaError('functionNotFound', { owner, name })
  return found.run({ store, session: writer.session } as never, ...(args as never[]))
}
