import type { AttributeModel } from './catalog.ts'
import type { Untyped } from './definition.ts'
import type { AnyEntity } from './entity-types.ts'
import type { FilterParameters } from './selection-types.ts'
import type { AnySelection } from './session-types.ts'
import type { DataClassReader } from './table-types.ts'
import type { Model, Names } from './value-types.ts'

/**
 * Which entities of a dataclass a reader may see: those that a filter selects, or none (`false`). The filter is the
 * application's: it may name what is hidden, and is itself not restricted. Values from outside belong in `parameters`.
 */
export type RowFilter = string | false | { readonly filter: string; readonly parameters: FilterParameters }

/** What one reader may see of a store. */
export interface ViewOptions<M extends Model = Untyped> {
  /** True makes attributes and dataclasses that are not exposed unknown, as they are to adapters. */
  readonly exposedOnly?: boolean
  /** By dataclass; every entity of one that is not named may be seen. Blank text selects everything. */
  readonly rows?: ReadonlyMap<string, RowFilter> | { readonly [N in keyof M]?: RowFilter }
  /** True for attributes that are unknown to this reader. Asked once per attribute and view. */
  readonly hides?: (attribute: AttributeModel) => boolean
}

/**
 * A store as one reader sees it: hidden entities and attributes are as if they were not there, in every way of reading. A
 * relation to a hidden entity is empty. Selections and entities got here keep to the view, whatever is made of them. Cheap to make.
 */
export interface View<M extends Model = Untyped> {
  /** False when every entity may be seen. */
  readonly restrictsRows: boolean
  /** True for an attribute that this reader knows. */
  sees(attribute: AttributeModel): boolean
  /** Throws `dataClassNotFound`, also for what is not exposed. */
  dataClass<N extends keyof M & string>(name: N): DataClassReader<M, string extends Names<M, N> ? string : N>
  dataClass(name: string): DataClassReader<Untyped, string>
  /** What a relation leads to, for any entity of the store: an entity or null, or a selection. Throws `attributeNotFound`. */
  related(entity: object, relation: string): AnyEntity | AnySelection | null
  /** The key of what a to-one relation leads to; null where that is hidden. */
  relatedKey(entity: object, relation: string): string | number | null
  /** A value of any entity of the store; aliases and computed values see what this reader sees. Throws `attributeNotFound`. */
  valueOf(entity: object, attribute: string): unknown
  /**
   * A selection made elsewhere, as this reader sees it: without the members that are hidden. Members removed since keep their
   * place if the selection was made under the same row filter; else nobody knows whether they could be seen, and they are left out.
   */
  apply<S extends AnySelection>(selection: S): S
}
