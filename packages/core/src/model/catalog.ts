import type { AttributeType, Collation, StoredValue } from '../value/types.ts'
import type { ExtraProperties, HookName } from './definition.ts'

/**
 * The resolved model of one store: classes by name, relations linked in both directions. Frozen.
 */
export interface Catalog {
  readonly name: string
  /** In the order of `dataClasses`; `ClassModel.ordinal` is the index. */
  readonly classes: readonly ClassModel[]
  readonly byName: ReadonlyMap<string, ClassModel>
  readonly functions: ReadonlyMap<string, StoreFunction>
  readonly singletons: ReadonlyMap<string, ReadonlyMap<string, StoreFunction>>
}

export interface ClassModel {
  readonly kind: 'dataClass'
  readonly name: string
  /** Index in `Catalog.classes`. */
  readonly ordinal: number
  readonly collectionName: string
  readonly exposed: boolean
  /** The attribute that names an entity for people; null if the definition names none. */
  readonly label: string | null
  readonly extraProperties: ExtraProperties
  /** Every attribute in definition order, except hidden foreign keys. */
  readonly attributes: ReadonlyMap<string, AttributeModel>
  /**
   * One for each column; `StorageAttribute.ordinal` is the index. Hidden foreign keys come last.
   */
  readonly storage: readonly StorageAttribute[]
  readonly key: StorageAttribute
  /** To-one relations, of any class, that lead to this class. */
  readonly incoming: readonly ToOneAttribute[]
  readonly functions: ReadonlyMap<string, ClassFunction>
  readonly hooks: { readonly [H in HookName]?: (...args: never[]) => unknown }
}

export type AttributeModel =
  | StorageAttribute
  | ComputedAttribute
  | AliasAttribute
  | ToOneAttribute
  | ToManyAttribute
export type RelationAttribute = ToOneAttribute | ToManyAttribute

interface AttributeBase {
  readonly name: string
  readonly owner: ClassModel
  readonly exposed: boolean
}

export interface StorageAttribute extends AttributeBase {
  readonly kind: 'storage'
  readonly type: AttributeType
  /** Index of the column in `owner.storage`. */
  readonly ordinal: number
  readonly key: boolean
  readonly autoSequence: boolean
  readonly indexed: boolean
  /** An index of its words is kept. */
  readonly words: boolean
  readonly unique: boolean
  readonly notNull: boolean
  readonly readOnly: boolean
  readonly min: number | null
  readonly max: number | null
  readonly minLength: number | null
  readonly maxLength: number | null
  readonly pattern: RegExp | null
  /** Always `exact` for keys and UUIDs. Has a meaning for text only. */
  readonly collation: Collation
  readonly dateOnly: boolean
  /** The default, coerced to a stored value; `undefined` without a default. */
  readonly defaultValue: StoredValue | undefined
  /** The relation whose foreign key this column is. Such a column always has posting lists. */
  readonly relation: ToOneAttribute | null
  /** True for the foreign key of a relation that names no attribute for it. */
  readonly hidden: boolean
}

export interface ToOneAttribute extends AttributeBase {
  readonly kind: 'relatedEntity'
  readonly target: ClassModel
  /** Column of `owner` that holds the target's key. */
  readonly foreignKey: StorageAttribute
  readonly onDelete: 'restrict' | 'null' | 'cascade'
  readonly notNull: boolean
  /** The to-many attribute of the target that names this relation as its inverse. */
  readonly inverse: ToManyAttribute | null
}

export interface ToManyAttribute extends AttributeBase {
  readonly kind: 'relatedEntities'
  readonly target: ClassModel
  /** The to-one attribute of `target` that points back at `owner`. */
  readonly inverse: ToOneAttribute
}

export interface ComputedAttribute extends AttributeBase {
  readonly kind: 'calculated'
  readonly type: AttributeType
  readonly dateOnly: boolean
  readonly get: (entity: never) => unknown
  /** Returns the patch that setting the attribute means. */
  readonly set: ((value: never) => unknown) | null
  /** Of the relevance in orders only: by record number, null before its query is known. */
  readonly scores?: Float64Array | null
}

export interface AliasAttribute extends AttributeBase {
  readonly kind: 'alias'
  readonly path: string
  /** To-one relations only. */
  readonly steps: readonly ToOneAttribute[]
  readonly target: StorageAttribute | ComputedAttribute
}

export interface StoreFunction {
  readonly name: string
  readonly exposed: boolean
  readonly onHttpGet: boolean
  readonly run: (context: never, ...args: never[]) => unknown
}
export interface ClassFunction extends StoreFunction {
  readonly on: 'dataClass' | 'selection' | 'entity'
}
