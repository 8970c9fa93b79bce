import { EntiaError } from '../../errors.ts'
import type { ClassFunction, ClassModel, StoreFunction } from '../../model/catalog.ts'
import type { Untyped } from '../../model/definition.ts'
import { isEntity, keyOf } from '../../model/entity.ts'
import type { SelectionFunctions } from '../../model/selection-types.ts'
import type { Singleton, StoreFunctions } from '../../model/store-types.ts'
import type { DataClassFunctions } from '../../model/table-types.ts'
import { tableParts } from '../../query/queries.ts'
import { type Selection, selectionParts } from '../../query/selection.ts'
import { refused } from '../../value/check-options.ts'
import type { Writer } from '../../write/writer.ts'
import { handleOf } from '../kernel/capability.ts'
import type { DataClassTable, DataStore } from '../kernel/data-store.ts'
import { storeOfSelection } from './views.ts'

/**
 * Calls a function of a class. Throws `functionNotFound` for a name that is not one, or not of this
 * kind.
 */
function callClassFunction(
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
  return found.run({ ...context, session: writer.context.session } as never, ...(args as never[]))
}

/** Calls a function of the store or of a singleton. */
function callStoreFunction(
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
  return found.run({ store, session: writer.context.session } as never, ...(args as never[]))
}

// Functions of the model.

/** `call` and `singleton` of the store. */
export const storeFunctions = {
  call(this: DataStore, name: string, ...args: readonly unknown[]): Untyped {
    const { writer, catalog } = handleOf(this)
    return callStoreFunction(writer, catalog.functions, `Store "${this.name}"`, name, this, args)
  },
  singleton(this: DataStore, name: string): Singleton<Untyped> {
    const { writer, catalog } = handleOf(this)
    const functions = catalog.singletons.get(name)
    if (functions === undefined)
      throw new EntiaError('functionNotFound', {
        owner: `Store "${this.name}"`,
        name: String(name),
      })
    return {
      call: (method, ...args) =>
        callStoreFunction(writer, functions, `Singleton "${name}"`, method, this, args),
    }
  },
} satisfies StoreFunctions<Untyped, Untyped>

/** `call` and `callOn` of dataclasses. */
export const dataClassFunctions = {
  call(this: DataClassTable, name: string, ...args: readonly unknown[]): Untyped {
    const { port, model } = tableParts(this)
    const { writer, store } = handleOf(port.whole)
    return callClassFunction(writer, model, 'dataClass', name, { dataClass: this, store }, args)
  },
  callOn(
    this: DataClassTable,
    entity: unknown,
    name: string,
    ...args: readonly unknown[]
  ): Untyped {
    if (!isEntity(entity)) {
      throw refused('The entity', `an entity of "${this.name}"`, typeof entity)
    }
    const { port, model } = tableParts(this)
    const { writer, store } = handleOf(port.whole)
    const context = { entity, dataClass: this, store, key: keyOf(entity) }
    return callClassFunction(writer, model, 'entity', name, context, args)
  },
} satisfies DataClassFunctions<Untyped, string>

/** `call` of selections. */
export const selectionFunctions = {
  call(this: Selection, name: string, ...args: readonly unknown[]): Untyped {
    const { port } = selectionParts(this)
    const { writer, store, reader } = storeOfSelection(port, 'call')
    const { model } = this.table
    const context = { selection: this, dataClass: reader.publicTable(model), store }
    return callClassFunction(writer, model, 'selection', name, context, args)
  },
} satisfies SelectionFunctions<Untyped, string>
