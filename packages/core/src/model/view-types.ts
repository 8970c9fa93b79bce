import type { AttributeModel } from './catalog.ts'
import type { Condition } from './condition-types.ts'
import type { Untyped } from './definition.ts'
import type { AnyEntity } from './entity-types.ts'
import type { FilterParameters, SelectionReader } from './selection-types.ts'
import type { AnySelection } from './session-types.ts'
import type { DataClassReader } from './table-types.ts'
import type { Model, Names, PastModel } from './value-types.ts'

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

/** Reads of one dataclass at an older global stamp. */
export type PastReader<M extends Model, N extends keyof PastModel<M>> = DataClassReader<
  PastModel<M>,
  N,
  SelectionReader<PastModel<M>, N>
>

/** The members of a past that are not dataclasses. */
export interface PastMembers<M extends Model> extends Disposable {
  /** The global stamp that it shows. */
  readonly globalStamp: number
  /** For names that are not known until the program runs. Throws `dataClassNotFound`. */
  dataClass<N extends keyof M & keyof PastModel<M> & string>(
    name: N,
  ): PastReader<M, string extends Names<M, N> ? string : N>
  dataClass(name: string): DataClassReader<Untyped, string, SelectionReader<Untyped, string>>
  /** Later reads throw `storeClosed`. */
  dispose(): void
}

/**
 * A store as it was at an older global stamp: entities, stamps, timestamps, record order and
 * relations. It has all reads of the present, and later writes do not change it. Writes and
 * function calls throw `pastReadOnly`. Selections of one past can be combined with each other, and
 * not with those of the present.
 *
 * Cost: the first read of a dataclass copies it, O(its entities + changes since). The copy has
 * indexes for keys and foreign keys only. The history back to the stamp is kept until `dispose` (or
 * `using`) is called, every dataclass has been read, or the past and everything read from it are
 * garbage.
 */
export type PastStore<M extends Model = Untyped> = {
  readonly [N in keyof M & keyof PastModel<M>]: PastReader<M, N>
} & PastMembers<M>
