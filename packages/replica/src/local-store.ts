import type { AnyDataClass, AnyDataStore, AttributeDefinition, ClassModel } from '@entia/core'
import {
  buildCatalog,
  type Capability,
  DataStore,
  hasCountedKey,
  type IndexFactory,
  kernelOptions,
  type Predicate,
  Table,
} from '@entia/core/internal'
import { isOwnClass, OWN_CLASSES } from './own-classes.ts'

/**
 * A store that holds a part of another one. Foreign keys may lead to entities that are not here,
 * and unique values are left to the server: two users may have given the same one. `keyFrom` gives
 * whole-number keys. Only tests give own dataclasses: those of other versions.
 */
export function createLocalStore(
  dataClasses: readonly AnyDataClass[],
  capabilities: readonly Capability[],
  mustHold: (dataClass: ClassModel, predicate: Predicate, isWithin: boolean) => void,
  keyFrom: (dataClass: string, position: number) => number,
  own: readonly AnyDataClass[] = OWN_CLASSES,
): DataStore & AnyDataStore {
  const given = {
    name: 'replica',
    dataClasses: [...dataClasses.map(withoutUniqueness), ...own],
  }
  /** A table whose sequence has only the numbers that are leased to this replica. */
  class LeasedTable extends Table {
    override numberFrom(position: number): number {
      return keyFrom(this.model.name, position)
    }
  }
  const createTable = (model: ClassModel, indexes: IndexFactory | null): Table => {
    if (isOwnClass(model.name)) return new OwnTable(model, indexes)
    return new (hasCountedKey(model) ? LeasedTable : Table)(model, indexes)
  }
  const options = { ...kernelOptions(given, capabilities), partial: { mustHold, createTable } }
  // The capabilities have added their members to the class of the kernel's store.
  return DataStore.over(buildCatalog(given), options, capabilities) as DataStore & AnyDataStore
}

/** What the server does not have. */
class OwnTable extends Table {
  override get isOnlyCopy(): boolean {
    return true
  }
}

function withoutUniqueness(dataClass: AnyDataClass): AnyDataClass {
  const attributes = Object.entries(dataClass.attributes as Attributes).map(([name, each]) => {
    if (!isUnique(each)) return [name, each]
    const { unique, ...options } = each.options
    return [name, { ...each, options: { ...options, indexed: true } }]
  })
  return { ...dataClass, attributes: Object.fromEntries(attributes) }
}

/** The attributes that are unique at the server, each as `Dataclass.attribute`, without keys. */
export const uniqueIn = (dataClasses: readonly AnyDataClass[]): ReadonlySet<string> =>
  new Set(
    dataClasses.flatMap(({ name, attributes }) =>
      Object.entries(attributes as Attributes).flatMap(([attribute, each]) =>
        isUnique(each) ? [`${name}.${attribute}`] : [],
      ),
    ),
  )

type StoredDefinition = Extract<AttributeDefinition, { readonly kind: 'storage' }>

const isUnique = (each: AttributeDefinition): each is StoredDefinition =>
  each.kind === 'storage' && each.options.unique === true && each.options.key !== true

type Attributes = { readonly [name: string]: AttributeDefinition }
