import { checkObject } from '../value/check-options.ts'
import type { AttributeType, Media } from '../value/types.ts'
import { checkDataClass } from './check-data-class.ts'
import type {
  AliasDefinition,
  AttributeDefinitions,
  ComputedDefinition,
  DataClass,
  DateInput,
  DeepReadonly,
  ExposureOptions,
  ExtraProperties,
  JsonObject,
  MediaInput,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  RelatedEntityOptions,
  StorageDefinition,
  StorageOptions,
  Untyped,
} from './definition.ts'
import type { EntityMarks } from './entity-types.ts'
import type { ClassFunctionOf, HooksOf } from './function-types.ts'
import type { AnyDataStore } from './store-types.ts'
import type { KeyOf, Nullable, StoredValues } from './value-types.ts'

/**
 * Refuses option names that `K` does not have. A bound with optional members alone accepts them
 * beside known ones.
 */
type Known<F, K> = F & { readonly [N in Exclude<keyof F, keyof K>]: never }
type Make<V, I = V> = <const F extends StorageOptions<I> = Record<never, never>>(
  options?: Known<F, StorageOptions>,
) => StorageDefinition<V, I, F>

/** Has the type as well, since the store generates missing UUID keys. */
type MakeUuid = <const F extends StorageOptions<string> = Record<never, never>>(
  options?: Known<F, StorageOptions>,
) => StorageDefinition<string, string, F> & { readonly type: 'uuid' }

/**
 * Overloads instead of a second type parameter: a program that names the shape would have to name
 * the options too.
 */
interface MakeObject {
  <T extends object = JsonObject>(
    options: StorageOptions<DeepReadonly<T>> & {
      readonly notNull: true
      readonly default: DeepReadonly<T>
    },
  ): StorageDefinition<T, DeepReadonly<T>, { readonly notNull: true; readonly default: T }>
  <T extends object = JsonObject>(
    options: StorageOptions<DeepReadonly<T>> & { readonly notNull: true },
  ): StorageDefinition<T, DeepReadonly<T>, { readonly notNull: true }>
  <T extends object = JsonObject>(
    options?: StorageOptions<DeepReadonly<T>>,
  ): StorageDefinition<T, DeepReadonly<T>, Record<never, never>>
}

/** The type of the value of a computed attribute. */
interface ValueByType {
  bool: boolean
  long: number
  long64: number
  number: number
  string: string
  uuid: string
  date: string
  duration: number
  object: DeepReadonly<JsonObject>
  image: Media
  blob: Media
}
/** The type of the values that its getter can return. */
interface InputByType extends Omit<ValueByType, 'date' | 'image' | 'blob'> {
  date: DateInput
  image: MediaInput
  blob: MediaInput
}

/** An entity without types, since the class of a getter is still being inferred. */
type Loose = { readonly [name: string]: Untyped }
interface ComputedOptions<E, R> {
  readonly get: (entity: E) => R
  /** Dates only: a calendar date without time. */
  readonly dateOnly?: boolean
  readonly exposed?: boolean
}
/** The type of a computed attribute. It includes null if its getter can return null. */
type Computed<T extends AttributeType, R> = null extends R ? ValueByType[T] | null : ValueByType[T]
interface MakeComputed {
  <
    const T extends AttributeType,
    E = Loose,
    R extends InputByType[T] | null = InputByType[T] | null,
  >(
    type: T,
    options: ComputedOptions<E, R> & { readonly set: (value: ValueByType[T] | null) => unknown },
  ): ComputedDefinition<Computed<T, R>, E, InputByType[T] | null>
  <
    const T extends AttributeType,
    E = Loose,
    R extends InputByType[T] | null = InputByType[T] | null,
  >(
    type: T,
    options: ComputedOptions<E, R>,
  ): ComputedDefinition<Computed<T, R>, E, never>
}

/** Builders of attributes for `defineDataClass`, which checks the definition as a whole. */
interface AttributeBuilders {
  readonly bool: Make<boolean>
  /** A whole number of 32 bits. */
  readonly long: Make<number>
  /** A whole number from -(2^53 - 1) to 2^53 - 1. */
  readonly long64: Make<number>
  readonly number: Make<number>
  readonly string: Make<string>
  /** Stored as 32 upper-case hexadecimal digits. The store generates missing UUID keys. */
  readonly uuid: MakeUuid
  /** ISO 8601 text in entities. */
  readonly date: Make<string, DateInput>
  /** Milliseconds; takes `hh:mm:ss` too. */
  readonly duration: Make<number, number | string>
  /** JSON of a given shape: `attribute.object<{ tags: string[] }>()`. */
  readonly object: MakeObject
  readonly image: Make<Media, MediaInput>
  readonly blob: Make<Media, MediaInput>
  /** A to-one relation to the dataclass with this name. */
  readonly relatedEntity: <
    const T extends string,
    const F extends RelatedEntityOptions = Record<never, never>,
  >(
    target: T,
    options?: Known<F, RelatedEntityOptions>,
  ) => RelatedEntityDefinition<T, F>
  /** The entities of `target` whose to-one relation `inverse` points here. */
  readonly relatedEntities: <const T extends string, const I extends string>(
    target: T,
    inverse: I,
    options?: ExposureOptions,
  ) => RelatedEntitiesDefinition<T, I>
  /**
   * A value computed from the entity at every read. If you annotate the parameter of the getter,
   * `defineDataClass` checks it. `set` gets the written value and returns the patch to apply.
   */
  readonly computed: MakeComputed
  /** The value at the end of a path of to-one relations: `attribute.alias('employer.name')`. */
  readonly alias: <const P extends string>(path: P, options?: ExposureOptions) => AliasDefinition<P>
}

/**
 * The types of values and options exist at compile time only, so no object can prove them: the
 * result is `never`.
 */
const defined = (definition: object): never => Object.freeze(definition) as never

const storage = (type: AttributeType) => (options?: object) =>
  defined({ kind: 'storage', type, options: freezeCopy(options) })

const builders: AttributeBuilders = {
  bool: storage('bool'),
  long: storage('long'),
  long64: storage('long64'),
  number: storage('number'),
  string: storage('string'),
  uuid: storage('uuid'),
  date: storage('date'),
  duration: storage('duration'),
  object: storage('object'),
  image: storage('image'),
  blob: storage('blob'),
  relatedEntity: (target: string, options?: object) =>
    defined({ kind: 'relatedEntity', target, options: freezeCopy(options) }),
  relatedEntities: (target: string, inverse: string, options?: object) =>
    defined({ kind: 'relatedEntities', target, inverse, options: freezeCopy(options) }),
  computed: (type: AttributeType, options?: object) =>
    defined({ kind: 'calculated', type, options: freezeCopy(options) }),
  alias: (path: string, options?: object) =>
    defined({ kind: 'alias', path, options: freezeCopy(options) }),
}

export const attribute = Object.freeze(builders)

function freezeCopy(options: object | undefined): object {
  return Object.freeze({ ...options })
}

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
