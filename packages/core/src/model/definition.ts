import type { AttributeType, Collation, Media } from '../value/types.ts'

/** The one place where variance is erased: bounds that must accept every instance, and what is trusted unchecked. */
// biome-ignore lint/suspicious/noExplicitAny: a bound over contravariant positions cannot be written otherwise
export type Untyped = any

/** What a date attribute takes: a `Date`, ISO 8601 text or epoch milliseconds. */
export type DateInput = Date | string | number
/** What an image or BLOB attribute takes: bytes (copied), or bytes with their media type. */
export type MediaInput = Media | Uint8Array | { readonly mediaType: string; readonly bytes: Uint8Array }
/** JSON of unknown shape: give `attribute.object<Shape>()` to have it checked. */
export type JsonObject = { [name: string]: Untyped }
/** Handed-out JSON cannot be changed, at any depth. */
export type DeepReadonly<T> = T extends Media | ((...args: never[]) => unknown)
  ? T
  : T extends (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T

/** Options of every storage attribute; `I` is what it takes as default. One type for all, so that inference never loses one. */
export interface StorageOptions<I = unknown> {
  /** The primary key; a dataclass has exactly one. */
  readonly key?: boolean
  /** The store gives the next number, or a new UUID, where no value is given. */
  readonly autoSequence?: boolean
  readonly indexed?: boolean
  readonly unique?: boolean
  readonly notNull?: boolean
  /** Set when an entity is created, and by hooks; an update refuses it. */
  readonly readOnly?: boolean
  /** `false` hides the attribute from adapters, such as `@entia/rest`. */
  readonly exposed?: boolean
  readonly min?: number
  readonly max?: number
  /** In characters (code points). */
  readonly minLength?: number
  readonly maxLength?: number
  /** Tested against the whole value as given; no `g` or `y` flag. */
  readonly pattern?: RegExp
  readonly collation?: Collation
  /** A calendar date without time. Dates only. */
  readonly dateOnly?: boolean
  readonly default?: I | null
}

export interface RelatedEntityOptions {
  /** A storage attribute of this dataclass that holds the related key; without it the key is kept under the relation's name. */
  readonly foreignKey?: string
  /** What removing the related entity does here; `'null'` by default. */
  readonly onDelete?: 'restrict' | 'null' | 'cascade'
  readonly notNull?: boolean
  readonly exposed?: boolean
}

/** Options of the kinds that only read: to-many relations and aliases. */
export interface ExposureOptions {
  readonly exposed?: boolean
}

/** `V` is what entities hold, `I` what writes take, `F` the options as given. */
export interface StorageDefinition<V, I, F> {
  readonly kind: 'storage'
  readonly type: AttributeType
  readonly options: F
  /** Never there at run time: carries the types. */
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
/** `E` is what the getter reads, `W` what may be written (`never` without a setter). */
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

/** What one dataclass tells the types: its attributes and its class functions. */
export interface ClassShape {
  readonly attributes: Untyped
  readonly functions: Untyped
}

/** A dataclass as defined; relations are resolved where a store is created. Made by `defineDataClass`. */
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
  readonly extraProperties?: ExtraProperties
}
export interface ExtraProperties {
  readonly panelColor?: string
  readonly position?: { readonly x: number; readonly y: number }
}

export const HOOK_NAMES = ['init', 'beforeSave', 'validateSave', 'validateRemove', 'afterSave', 'afterRemove'] as const
export type HookName = (typeof HOOK_NAMES)[number]

/** A function as defined, of a class, a singleton or the store. */
export interface FunctionDefinition {
  readonly exposed?: boolean
  readonly onHttpGet?: boolean
  readonly run: (context: never, ...args: never[]) => unknown
}
export interface ClassFunctionDefinition extends FunctionDefinition {
  readonly on: 'dataClass' | 'selection' | 'entity'
}
