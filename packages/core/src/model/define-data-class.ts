import { checkObject } from '../value/check-options.ts'
import { checkDataClass } from './check-data-class.ts'
import type {
  AliasDefinition,
  AttributeDefinitions,
  ComputedDefinition,
  DataClass,
  ExtraProperties,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  StorageDefinition,
  Untyped,
} from './definition.ts'
import type { EntityMarks } from './entity-types.ts'
import type { ClassFunctionOf, HooksOf } from './function-types.ts'
import type { AnyDataStore } from './store-types.ts'
import type { KeyOf, Nullable, StoredValues } from './value-types.ts'

/**
 * The attributes that a getter of a computed attribute can read. Objects are without their
 * `readonly`, so that an annotation may leave it out. Relations and aliases are not checked, since
 * the other classes are not known yet.
 */
type Readable<A> = Omit<EntityMarks<KeyOf<A>>, keyof A> & {
  readonly [K in keyof A]: A[K] extends StorageDefinition<infer V, Untyped, infer F>
    ? Nullable<V, F>
    : A[K] extends ComputedDefinition<infer V, Untyped, Untyped>
      ? V
      : never
}

/**
 * The attributes, with a message in place of each one that refers to something that this class does
 * not have: a getter whose annotation does, a foreign key, an alias.
 */
type CheckedAttributes<A> = {
  readonly [K in keyof A]: A[K] extends { readonly kind: 'storage' | 'relatedEntities' }
    ? A[K]
    : A[K] extends ComputedDefinition<Untyped, infer E, Untyped>
      ? Readable<A> extends E
        ? A[K]
        : `computed attribute "${K & string}" reads an attribute that this dataclass does not have`
      : A[K] extends RelatedEntityDefinition<
            string,
            { readonly foreignKey: infer FK extends string }
          >
        ? FK extends keyof StoredValues<A>
          ? A[K]
          : `foreignKey "${FK}" of "${K & string}" is not a storage attribute of this dataclass`
        : A[K] extends AliasDefinition<infer P>
          ? CheckedAlias<A, K, P>
          : A[K]
}
/**
 * The first name of an alias path must be a to-one relation, or a value if it is the whole path.
 */
type CheckedAlias<A, K extends keyof A, P extends string> = P extends `${infer H}.${string}`
  ? H extends keyof A
    ? A[H] extends RelatedEntitiesDefinition<string, string>
      ? `alias "${K & string}" crosses the to-many relation "${H}"`
      : A[K]
    : `alias "${K & string}" begins with "${H}", which is not an attribute of this dataclass`
  : P extends keyof A
    ? A[P] extends { readonly kind: 'relatedEntity' | 'relatedEntities' }
      ? `alias "${K & string}" ends with the relation "${P}": name a value behind it`
      : A[K]
    : `alias "${K & string}" names "${P}", which is not an attribute of this dataclass`

/** Attributes that may be the key: a program may decide it when it runs. */
type PossibleKey<A> = {
  [K in keyof A]: unknown extends A[K]
    ? K
    : A[K] extends StorageDefinition<Untyped, Untyped, infer F>
      ? 'key' extends keyof F
        ? true extends F['key']
          ? K
          : never
        : never
      : never
}[keyof A]
/** A message for attributes without a key. Names that are not known are checked at run time. */
type CheckedKey<A> = A extends unknown
  ? string extends keyof A
    ? unknown
    : [PossibleKey<A>] extends [never]
      ? 'the dataclass has no key: give one attribute the option "key: true"'
      : unknown
  : never

/**
 * Defines a dataclass. Relations name other classes as strings and are resolved when a store is
 * created, so definitions may refer to each other. This function checks everything that does not
 * depend on other classes. Returns a frozen definition for `createDataStore({ dataClasses })`.
 * Throws `modelInvalid` naming attribute and remedy.
 *
 * @example
 * ```ts
 * const Note = defineDataClass('Note', {
 *   ID: attribute.uuid({ key: true }),
 *   text: attribute.string({ notNull: true }),
 * })
 * Note.name // → Note
 * ```
 */
export function defineDataClass<
  const N extends string,
  const A extends AttributeDefinitions,
  const F = Record<never, never>,
  S = AnyDataStore,
>(
  name: N,
  attributes: A & CheckedAttributes<A> & CheckedKey<A>,
  options: {
    readonly functions?: F & { readonly [name: string]: ClassFunctionOf<NoInfer<N>, NoInfer<A>, S> }
    readonly hooks?: HooksOf<NoInfer<N>, NoInfer<A>, S>
    /** `false` hides the dataclass from adapters. */
    readonly exposed?: boolean
    /** Name of its selections; `<name>Selection` by default. */
    readonly collectionName?: string
    /** The attribute that names an entity for people, such as its title; the explorer shows it. */
    readonly label?: keyof NoInfer<A> & string
    readonly extraProperties?: ExtraProperties
  } = {},
): DataClass<N, A, F> {
  checkObject('The options of defineDataClass', options)
  const definition = Object.freeze({
    name,
    attributes: Object.freeze({ ...attributes }) as A,
    options: Object.freeze({ ...options }) as DataClass<N, A, F>['options'],
  })
  checkDataClass(definition)
  return definition
}
