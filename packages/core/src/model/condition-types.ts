import type { Media } from '../value/types.ts'
import type {
  AliasDefinition,
  ComputedDefinition,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  StorageDefinition,
  Untyped,
} from './definition.ts'
import type { AttributesOf, KeyOf, Model, Names, Nullable } from './value-types.ts'

/**
 * The operators of the filter language, each in one spelling. Only `like` reads `@` and `*` as
 * wildcards: `=` is `===`, and `in` compares as it does.
 */
export type ConditionOperator = Equality | Inequality | 'like' | 'begin' | 'end' | '%' | 'in'
type Equality = '=' | '===' | '!=' | '!=='
type Inequality = '>' | '>=' | '<' | '<='

/**
 * A condition on the entities of a dataclass: filter text with placeholders, and their values.
 * Immutable. `String(condition)` is the text with the values in it.
 */
export interface Condition<N extends string = string> {
  /** The name of the dataclass. */
  readonly dataClass: N
  /** For example `salary > :1 and employer.city === :2`; blank if it selects every entity. */
  readonly text: string
  /** The values of `:1`, `:2` and so on. Dates are ISO 8601 text. */
  readonly params: readonly unknown[]
  and(...others: readonly Condition<N>[]): Condition<N>
  or(...others: readonly Condition<N>[]): Condition<N>
  /** Without the entities that satisfy the other condition. */
  except(other: Condition<N>): Condition<N>
  not(): Condition<N>
  toString(): string
}

/**
 * Makes conditions: `e('salary', '>', 50_000)`. Path, operator and value are those of the filter
 * language, and the types of the model check all three. Throws `argumentInvalid` for what no filter
 * text could contain.
 */
export interface Where<M extends Model, N extends keyof M> {
  /** A path that leads to a boolean: `e('active')`. */
  <const P extends string>(path: BooleanPath<M, N, P>): Condition<N & string>
  /** A comparison. Null goes with `=`, `===`, `!=` and `!==`; a list goes with `in`. */
  <const P extends string, const O extends OperatorOf<PathEnd<M, N, P>>>(
    path: ComparedPath<M, N, P>,
    operator: O,
    value: Comparand<PathEnd<M, N, P>, O>,
  ): Condition<N & string>
  /** All of a list of conditions. An empty list selects every entity. */
  and(...conditions: readonly Condition<N & string>[]): Condition<N & string>
  /** At least one of a list of conditions. An empty list selects no entity. */
  or(...conditions: readonly Condition<N & string>[]): Condition<N & string>
}

/** A condition, or a function that makes one: `(e) => e('salary', '>', 50_000)`. */
export type ConditionInput<M extends Model, N extends keyof M> =
  | Condition<N & string>
  | ((e: Where<M, N>) => Condition<N & string>)

/** Exists at compile time only: `where` infers the dataclass of a table from it. */
declare const conditions: unique symbol
/** Something with entities of a dataclass, on which `where` makes conditions. */
export interface Conditional<M extends Model, N extends keyof M> {
  readonly [conditions]?: Where<M, N>
}
/** The type of `where(table)`. A table of unknown type has names that are checked at run time. */
export type WhereOf<T> = T extends { readonly [conditions]?: infer W }
  ? NonNullable<W>
  : Where<Untyped, string>

/**
 * The end of a path. `K` decides on the operators. `V` is the type of the values, and `Z` is null
 * if there may be none.
 */
interface End<K extends keyof OperatorsByKind, V, Z> {
  readonly kind: K
  readonly value: V
  readonly none: Z
}
interface OperatorsByKind {
  readonly text: ConditionOperator
  readonly uuid: Exclude<ConditionOperator, '%'>
  readonly ordered: Equality | Inequality | 'in'
  readonly equal: Equality | 'in'
  /** Objects and media are compared with null only. */
  readonly exists: Equality
}
type AnyEnd = End<keyof OperatorsByKind, unknown, unknown>

type OperatorOf<E> = E extends AnyEnd ? OperatorsByKind[E['kind']] : never
type Comparand<E, O> = E extends AnyEnd
  ? O extends 'in'
    ? readonly E['value'][]
    : O extends Equality
      ? E['value'] | E['none']
      : E['value']
  : never

/** The path, if it is correct; else the paths that it could have been, which editors complete. */
type ComparedPath<M extends Model, N extends keyof M, P extends string> = [
  PathEnd<M, N, P>,
] extends [never]
  ? Completion<M, N, P>
  : P
type BooleanPath<M extends Model, N extends keyof M, P extends string> = [
  PathEnd<M, N, P>,
] extends [never]
  ? Completion<M, N, P>
  : PathEnd<M, N, P> extends { readonly value: infer V }
    ? true extends V
      ? P
      : `"${P}" is not a boolean: add an operator and a value`
    : never

type ToOne<T extends string, F> = RelatedEntityDefinition<T, F>
type ToMany<T extends string> = RelatedEntitiesDefinition<T, string>
type Stored<V, I, F> = StorageDefinition<V, I, F>

/** A name without `{2}` or `[a]`. */
type Bare<S extends string> = S extends `${infer A}{${string}`
  ? A
  : S extends `${infer A}[${string}`
    ? A
    : S

/** `Z` is null if a relation before the path can be empty. `never` if the path is wrong. */
type PathEnd<M extends Model, N extends keyof M, P extends string, Z = never> = string extends
  | P
  | Names<M, N>
  ? End<'text', Untyped, null>
  : P extends `${infer H}.${infer R}`
    ? Bare<H> extends keyof AttributesOf<M, N>
      ? InnerEnd<M, N, AttributesOf<M, N>[Bare<H>], H, R, Z>
      : never
    : Bare<P> extends keyof AttributesOf<M, N>
      ? OwnEnd<M, N, AttributesOf<M, N>[Bare<P>], P, Z>
      : P extends '__KEY'
        ? ValueEnd<false, KeyOf<AttributesOf<M, N>>, KeyOf<AttributesOf<M, N>>, Z>
        : never

/** The end of a path that goes on with `R` after the attribute `D`, which is written `H`. */
type InnerEnd<M extends Model, N extends keyof M, D, H, R extends string, Z> = [D] extends [
  ToOne<infer T, infer F>,
]
  ? T extends keyof M
    ? PathEnd<M, T, R, Z | Nullable<never, F>>
    : never
  : [D] extends [ToMany<infer T>]
    ? T extends keyof M
      ? PathEnd<M, T, R, Z>
      : never
    : [D] extends [AliasDefinition<infer Q>]
      ? PathEnd<M, N, `${Q}.${R}`, Z>
      : [D] extends [Stored<infer V, Untyped, Untyped>]
        ? PropertyEnd<Property<ElementAt<V, H>, R>>
        : never

type OwnEnd<M extends Model, N extends keyof M, D, P, Z> = [D] extends [AliasDefinition<infer Q>]
  ? PathEnd<M, N, Q, Z>
  : [D] extends [ToOne<infer T, infer F>]
    ? End<'equal', T extends keyof M ? KeyOf<AttributesOf<M, T>> : never, Z | Nullable<never, F>>
    : [D] extends [ToMany<infer T>]
      ? End<'equal', T extends keyof M ? KeyOf<AttributesOf<M, T>> : never, null>
      : P extends `${string}[${string}`
        ? [D] extends [Stored<infer V, Untyped, Untyped>]
          ? PropertyEnd<ElementAt<V, P>>
          : never
        : [D] extends [Stored<infer V, infer I, infer F>]
          ? ValueEnd<
              D extends { readonly type: 'uuid' } ? true : false,
              V,
              I,
              Z | Nullable<never, F>
            >
          : [D] extends [ComputedDefinition<infer V, Untyped, Untyped>]
            ? ValueEnd<false, NonNullable<V>, NonNullable<V>, Z | Extract<V, null>>
            : never

type ValueEnd<IsUuid, V, I, Z> = [V] extends [string]
  ? IsUuid extends true
    ? End<'uuid', string, Z>
    : Date extends I
      ? End<'ordered', Date | string, Z>
      : End<'text', string, Z>
  : [V] extends [boolean]
    ? End<'equal', boolean, Z>
    : [V] extends [number]
      ? End<'ordered', I, Z>
      : End<'exists', never, Z>

// Properties of object attributes. Their types are those of the shape, if the model names one.

/** The elements of a collection that is written `[]` or `[a]`, else the value itself. */
type ElementAt<V, S> = S extends `${string}[${string}`
  ? V extends readonly (infer E)[]
    ? NonNullable<E>
    : unknown extends V
      ? unknown
      : string extends keyof V
        ? unknown
        : never
  : V
type Property<V, P extends string> = P extends `${infer H}.${infer R}`
  ? Property<ElementAt<Member<V, Bare<H>>, H>, R>
  : ElementAt<Member<V, Bare<P>>, P>
type Member<V, K extends string> = unknown extends V
  ? unknown
  : V extends Media
    ? never
    : V extends readonly unknown[]
      ? K extends 'length'
        ? number
        : never
      : K extends keyof V
        ? NonNullable<V[K]>
        : never
type PropertyEnd<V> = [V] extends [never]
  ? never
  : unknown extends V
    ? End<'text', string | number | boolean, null>
    : [V] extends [string]
      ? End<'text', string, null>
      : [V] extends [boolean]
        ? End<'equal', boolean, null>
        : [V] extends [number]
          ? End<'ordered', number, null>
          : [Extract<V, string | number | boolean>] extends [never]
            ? End<'exists', never, null>
            : End<'text', Extract<V, string | number | boolean>, null>

// What editors offer.

/** The paths that begin as a path does up to its last correct dot. */
type Completion<
  M extends Model,
  N extends keyof M,
  P extends string,
> = P extends `${infer H}.${infer R}`
  ? Bare<H> extends keyof AttributesOf<M, N>
    ? AttributesOf<M, N>[Bare<H>] extends ToOne<infer T, Untyped> | ToMany<infer T>
      ? T extends keyof M
        ? `${H}.${Completion<M, T, R>}`
        : never
      : AttributesOf<M, N>[Bare<H>] extends Stored<infer V, Untyped, Untyped>
        ? PropertyCompletion<ElementAt<V, H>, R> extends infer C extends string
          ? `${H}.${C}`
          : never
        : keyof AttributesOf<M, N> & string
    : keyof AttributesOf<M, N> & string
  : keyof AttributesOf<M, N> & string
type PropertyCompletion<V, P extends string> = P extends `${infer H}.${infer R}`
  ? `${H}.${PropertyCompletion<ElementAt<Member<V, Bare<H>>, H>, R>}`
  : V extends readonly unknown[]
    ? 'length'
    : { [K in keyof V & string]: V[K] extends readonly unknown[] ? K | `${K}[]` : K }[keyof V &
        string]
