import type { AttributeType, Media } from '../value/types.ts'
import type {
  AliasDefinition,
  ComputedDefinition,
  DateInput,
  DeepReadonly,
  ExposureOptions,
  JsonObject,
  MediaInput,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  RelatedEntityOptions,
  StorageDefinition,
  StorageOptions,
  Untyped,
} from './definition.ts'

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
export interface AttributeBuilders {
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
