import type { AttributeType, Collation, Media } from '../value/types.ts'

/**
 * `any`, for bounds that must accept every instance and for values that are not checked. The only
 * place that declares it.
 */
// biome-ignore lint/suspicious/noExplicitAny: a bound over contravariant positions cannot be written otherwise
export type Untyped = any

/** The values that a date attribute accepts: a `Date`, ISO 8601 text or epoch milliseconds. */
export type DateInput = Date | string | number
/**
 * The values that an image or BLOB attribute accepts: bytes (copied), or bytes with their media
 * type.
 */
export type MediaInput =
  | Media
  | Uint8Array
  | { readonly mediaType: string; readonly bytes: Uint8Array }
/** JSON of unknown shape. Use `attribute.object<Shape>()` to have it checked. */
export type JsonObject = { [name: string]: Untyped }
/** Entities have immutable JSON, at every depth. */
export type DeepReadonly<T> = T extends Media | ((...args: never[]) => unknown)
  ? T
  : T extends (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T

/**
 * Options of all storage attributes; `I` is the type of the default. One type for all, so that
 * inference finds every option.
 */
export interface StorageOptions<I = unknown> {
  /** The primary key; a dataclass has exactly one. */
  readonly key?: boolean
  /** The store provides the next number, or a new UUID, if no value is given. */
  readonly autoSequence?: boolean
  readonly indexed?: boolean
  /**
   * Keeps an index of the words of the text, which answers `%` and orders by relevance. For
   * `string` only. It costs memory and time per word written.
   */
  readonly words?: boolean
  readonly unique?: boolean
  readonly notNull?: boolean
  /** Can be set at creation and by hooks, and not by updates. */
  readonly readOnly?: boolean
  /** `false` hides the attribute from adapters, such as `@entia/rest`. */
  readonly exposed?: boolean
  readonly min?: number
  readonly max?: number
  /** In characters (code points). */
  readonly minLength?: number
  readonly maxLength?: number
  /** The given value must match it. The flags `g` and `y` are not allowed. */
  readonly pattern?: RegExp
  readonly collation?: Collation
  /** A calendar date without time. Dates only. */
  readonly dateOnly?: boolean
  readonly default?: I | null
}

export interface RelatedEntityOptions {
  /**
   * The storage attribute of this dataclass that holds the key of the related entity. Without it
   * the key has a hidden column.
   */
  readonly foreignKey?: string
  /**
   * What happens here when the related entity is removed. The default is `'null'`, or `'restrict'`
   * with `notNull`.
   */
  readonly onDelete?: 'restrict' | 'null' | 'cascade'
  readonly notNull?: boolean
  readonly exposed?: boolean
}

/** Options of to-many relations and aliases. */
export interface ExposureOptions {
  readonly exposed?: boolean
}

/**
 * `V` is the type of the value in entities, `I` of the values that writes accept, and `F` the
 * options as given.
 */
export interface StorageDefinition<V, I, F> {
  readonly kind: 'storage'
  readonly type: AttributeType
  readonly options: F
  /** Do not exist at run time: they carry the types. */
  readonly value?: V
  readonly input?: I
}
export interface RelatedEntityDefinition<T extends string, F> {
  readonly kind: 'relatedEntity'
  readonly target: T
  readonly options: F
}
export interface RelatedEntitiesDefinition<T extends string, I extends string> {
  readonly kind: 'relatedEntities'
  readonly target: T
  readonly inverse: I
  readonly options: ExposureOptions
}
/**
 * `E` is the type that the getter reads, `W` of the values that writes accept (`never` without a
 * setter).
 */
export interface ComputedDefinition<V, E, W> {
  readonly kind: 'calculated'
  readonly type: AttributeType
  readonly options: {
    readonly get: (entity: E) => unknown
    readonly set?: (value: never) => unknown
    readonly dateOnly?: boolean
    readonly exposed?: boolean
  }
  readonly value?: V
  readonly input?: W
}
export interface AliasDefinition<P extends string> {
  readonly kind: 'alias'
  readonly path: P
  readonly options: ExposureOptions
}

export type AttributeDefinition =
  | StorageDefinition<Untyped, Untyped, Untyped>
  | RelatedEntityDefinition<string, Untyped>
  | RelatedEntitiesDefinition<string, string>
  | ComputedDefinition<Untyped, Untyped, Untyped>
  | AliasDefinition<string>
export type AttributeDefinitions = { readonly [name: string]: AttributeDefinition }

/** The types of one dataclass: its attributes and its class functions. */
export interface ClassShape {
  readonly attributes: Untyped
  readonly functions: Untyped
}

/** The definition of a dataclass. `createDataStore` resolves its relations. */
export interface DataClass<N extends string, A, F> {
  readonly name: N
  readonly attributes: A
  readonly options: DataClassOptions<F>
}
export type AnyDataClass = DataClass<string, Untyped, Untyped>

export interface DataClassOptions<F> {
  readonly functions?: F
  readonly hooks?: { readonly [H in HookName]?: (...args: never[]) => unknown }
  /** `false` hides the dataclass from adapters. */
  readonly exposed?: boolean
  /** Name of its selections; `<name>Selection` by default. */
  readonly collectionName?: string
  /** The attribute that names an entity for people. */
  readonly label?: string
  readonly extraProperties?: ExtraProperties
}
export interface ExtraProperties {
  readonly panelColor?: string
  readonly position?: { readonly x: number; readonly y: number }
}

export const HOOK_NAMES = [
  'init',
  'beforeSave',
  'validateSave',
  'validateRemove',
  'afterSave',
  'afterRemove',
] as const
export type HookName = (typeof HOOK_NAMES)[number]

/** The definition of a function of a class, a singleton or the store. */
export interface FunctionDefinition {
  readonly exposed?: boolean
  readonly onHttpGet?: boolean
  readonly run: (context: never, ...args: never[]) => unknown
}
/** Functions by name, of a store or singleton. */
export type Functions = { readonly [name: string]: FunctionDefinition }
export type Singletons = { readonly [name: string]: Functions }
export interface ClassFunctionDefinition extends FunctionDefinition {
  readonly on: 'dataClass' | 'selection' | 'entity'
}
