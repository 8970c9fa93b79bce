import type { AttributeModel } from './catalog.ts'
import type { Condition } from './condition-types.ts'
import type { Untyped } from './definition.ts'
import type { AnyEntity } from './entity-types.ts'
import type { FilterParameters } from './selection-types.ts'
import type { AnySelection } from './session-types.ts'
import type { DataClassReader } from './table-types.ts'
import type { Model, Names } from './value-types.ts'

/**
 * The entities of a dataclass that a reader may see: those that a filter selects, or none
 * (`false`). The filter itself is not restricted and can name hidden attributes. Pass values from
 * outside in `parameters`.
 *
 * Texts are compared exactly: `@` and `*` stand for themselves, and `=`, `==`, `===`, `!=`, `!==`
 * and `in` distinguish case and accents. `RowRule` changes that. Other comparisons keep the
 * collation of the attribute.
 */
export type RowFilter = string | false | Condition | RowRule

/** A row filter with its values, or with other rules for texts. */
export interface RowRule {
  readonly filter: string | Condition
  /** The values of placeholders; a condition has its own. */
  readonly parameters?: FilterParameters
  /** True makes `@` and `*` wildcards, as in other filters. False by default. */
  readonly wildcards?: boolean
  /** `'folded'` compares texts as other filters do: by the collation of the attribute. */
  readonly collation?: 'exact' | 'folded'
}

/** The attributes and entities that one reader may see. */
export interface ViewOptions<M extends Model = Untyped> {
  /**
   * True makes attributes and dataclasses that are not exposed unknown, as they are to adapters.
   */
  readonly exposedOnly?: boolean
  /** By dataclass. All entities of other dataclasses are visible. Blank text selects everything. */
  readonly rows?: ReadonlyMap<string, RowFilter> | { readonly [N in keyof M]?: RowFilter }
  /** True for attributes that the reader may not see. Called once for each attribute and view. */
  readonly hides?: (attribute: AttributeModel) => boolean
}

/**
 * A store as one reader sees it. For all reads, hidden entities and attributes do not exist, and a
 * relation to a hidden entity is empty. Selections and entities of a view stay restricted to it, as
 * does everything derived from them. Creating a view is cheap.
 */
export interface View<M extends Model = Untyped> {
  /** False when every entity is visible. */
  readonly restrictsRows: boolean
  /** True for an attribute that the reader may see. */
  sees(attribute: AttributeModel): boolean
  /** Throws `dataClassNotFound`, also for dataclasses that are not exposed. */
  dataClass<N extends keyof M & string>(
    name: N,
  ): DataClassReader<M, string extends Names<M, N> ? string : N>
  dataClass(name: string): DataClassReader<Untyped, string>
  /**
   * Follows a relation of any entity of the store: returns an entity, null or a selection. Throws
   * `attributeNotFound`.
   */
  related(entity: object, relation: string): AnyEntity | AnySelection | null
  /** The key of the entity that a to-one relation leads to; null if it is hidden. */
  relatedKey(entity: object, relation: string): string | number | null
  /**
   * A value of any entity of the store. Aliases and computed values are restricted to the view.
   * Throws `attributeNotFound`.
   */
  valueOf(entity: object, attribute: string): unknown
  /**
   * Restricts a selection of the store to this view: removes the hidden members. Deleted members
   * keep their place if the selection was created under the same row filter; otherwise their
   * visibility is unknown, and they are left out.
   */
  apply<S extends AnySelection>(selection: S): S
}
