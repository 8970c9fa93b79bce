import type {
  ComputedDefinition,
  RelatedEntityDefinition,
  StorageDefinition,
  Untyped,
} from './definition.ts'
import type {
  AttributesOf,
  AttributeValue,
  KeyName,
  KeyOf,
  Model,
  Names,
  Nullable,
} from './value-types.ts'

/** The members that every entity has. Dates are ISO 8601 text. */
export interface EntityMarks<K = string | number> {
  readonly key: K
  /** 1 at creation, one more for each saved change. */
  readonly stamp: number
  /** When it was last saved. */
  readonly timestamp: string
}

/** An entity of a dataclass that is not known until the program runs. */
export interface AnyEntity extends EntityMarks {
  readonly [name: string]: Untyped
}

/**
 * A private copy of the values of an entity. Relations and computed values are read when they are
 * used. An attribute called key, stamp or timestamp takes precedence; `keyOf`, `stampOf` and
 * `timestampOf` always work.
 */
export type Entity<M extends Model, N extends keyof M> = MarksOf<M, N> & {
  readonly [K in keyof AttributesOf<M, N>]: AttributeValue<M, N, K>
}
type MarksOf<M extends Model, N extends keyof M> =
  string extends Names<M, N>
    ? EntityMarks
    : Omit<EntityMarks<KeyOf<AttributesOf<M, N>>>, keyof AttributesOf<M, N>>

/** What a save takes for one attribute. */
type Input<M extends Model, D> =
  D extends StorageDefinition<Untyped, infer I, infer F>
    ? Nullable<I, F>
    : D extends RelatedEntityDefinition<infer T, infer F>
      ? Nullable<RelatedInput<M, T>, F>
      : D extends ComputedDefinition<Untyped, Untyped, infer W>
        ? W
        : never
/** A related entity is given by its key or as the entity. */
type RelatedInput<M extends Model, T> = T extends keyof M
  ? KeyOf<AttributesOf<M, T>> | Entity<M, T>
  : string | number | EntityMarks

// These names depend on the attributes alone. The compiler therefore computes them once for each
// dataclass, whatever the model.

/** Attributes that a table has a column for. */
type StoredName<A> = {
  [K in keyof A]: A[K] extends { readonly kind: 'storage' | 'relatedEntity' } ? K : never
}[keyof A]
type ReadOnlyName<A> = {
  [K in keyof A]: A[K] extends {
    readonly kind: 'storage'
    readonly options: { readonly readOnly: true }
  }
    ? K
    : never
}[keyof A]
/** Computed attributes with a setter. */
type SettableName<A> = {
  [K in keyof A]: A[K] extends ComputedDefinition<Untyped, Untyped, infer W>
    ? [W] extends [never]
      ? never
      : K
    : never
}[keyof A]
/** Attributes that a draft can assign. Keys never change. */
type DraftName<A> = Exclude<StoredName<A>, ReadOnlyName<A> | KeyName<A>>

/** Storage attributes that hold the key of a relation. Setting the relation sets them. */
type ForeignKeyName<A> = {
  [K in keyof A]: A[K] extends RelatedEntityDefinition<string, { readonly foreignKey: infer FK }>
    ? FK
    : never
}[keyof A]

/** True if the type of the definition says so. */
type IsUuid<D> = D extends { readonly type: 'uuid' } ? true : false

/**
 * True for an attribute that a new entity must have. Read-only attributes are not required, since a
 * hook can set them.
 */
type IsRequired<A, K extends keyof A> =
  A[K] extends StorageDefinition<Untyped, Untyped, infer F>
    ? F extends { readonly autoSequence: true } | { readonly default: unknown }
      ? false
      : K extends ForeignKeyName<A>
        ? false
        : F extends { readonly key: true }
          ? IsUuid<A[K]> extends true
            ? false
            : true
          : F extends { readonly readOnly: true }
            ? false
            : F extends { readonly notNull: true }
              ? true
              : false
    : A[K] extends RelatedEntityDefinition<string, infer F>
      ? F extends { readonly foreignKey: string }
        ? false
        : F extends { readonly notNull: true }
          ? true
          : false
      : false

type RequiredName<A> = { [K in keyof A]: IsRequired<A, K> extends true ? K : never }[keyof A]
type OptionalName<A> = Exclude<StoredName<A> | SettableName<A>, RequiredName<A>>

/**
 * Values to change, by attribute. Dates as `Date`, text or epoch milliseconds; relations as key or
 * entity. `undefined` changes nothing.
 */
export type Patch<M extends Model, N extends keyof M> =
  string extends Names<M, N>
    ? { readonly [name: string]: unknown }
    : {
        readonly [K in DraftName<AttributesOf<M, N>> | SettableName<AttributesOf<M, N>>]?:
          | Input<M, AttributesOf<M, N>[K]>
          | undefined
      }

/**
 * Values of a new entity. Required are the attributes that must not be null, unless a default, the
 * store or a hook gives their value. Read-only attributes may be given.
 */
export type NewEntity<M extends Model, N extends keyof M> =
  string extends Names<M, N>
    ? { readonly [name: string]: unknown }
    : {
        readonly [K in OptionalName<AttributesOf<M, N>>]?:
          | Input<M, AttributesOf<M, N>[K]>
          | undefined
      } & {
        readonly [K in RequiredName<AttributesOf<M, N>>]: Input<M, AttributesOf<M, N>[K]>
      }

/**
 * The value of an attribute in a draft: stored values that may be edited in place, and relations as
 * key or entity.
 */
type DraftValue<M extends Model, D> =
  D extends StorageDefinition<infer V, Untyped, infer F>
    ? Nullable<V, F>
    : D extends RelatedEntityDefinition<infer T, infer F>
      ? Nullable<RelatedInput<M, T>, F>
      : never

/**
 * One entity to edit: assign to it, change its object attributes in place. Dates are ISO 8601 text.
 */
export type DraftOf<M extends Model, N extends keyof M> =
  string extends Names<M, N>
    ? { [name: string]: Untyped }
    : MarksOf<M, N> & {
        -readonly [K in DraftName<AttributesOf<M, N>>]: DraftValue<M, AttributesOf<M, N>[K]>
      } & {
        readonly [K in Exclude<
          keyof AttributesOf<M, N>,
          DraftName<AttributesOf<M, N>>
        >]: AttributeValue<M, N, K>
      }

/** The draft that `init` and `beforeSave` edit. They can set read-only attributes. */
export type HookDraft<M extends Model, N extends keyof M> =
  string extends Names<M, N>
    ? { [name: string]: Untyped }
    : { -readonly [K in StoredName<AttributesOf<M, N>>]: DraftValue<M, AttributesOf<M, N>[K]> }
