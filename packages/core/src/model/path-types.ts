import type { Media } from '../value/types.ts'
import type {
  ComputedDefinition,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  StorageDefinition,
  Untyped,
} from './definition.ts'
import type { EntityMarks } from './entity-types.ts'
import type {
  AttributesOf,
  AttributeValue,
  KeyOf,
  Model,
  Names,
  Nullable,
  StoredValues,
} from './value-types.ts'

type ToOne<T extends string = string> = RelatedEntityDefinition<T, Untyped>
type ToMany<T extends string = string> = RelatedEntitiesDefinition<T, string>

export type Trim<S extends string> = S extends ` ${infer R}` | `${infer R} ` ? Trim<R> : S
type TrimStart<S extends string> = S extends ` ${infer R}` ? TrimStart<R> : S
/** The blanks before a term, which stay when an editor replaces the whole text. */
type BlanksOf<S extends string> = S extends `${infer B}${TrimStart<S>}` ? B : ''

/**
 * The type at the end of a path. It includes null if a to-one relation on the path can be empty.
 * Properties of an object attribute are unknown.
 */
export type PathValue<M extends Model, N extends keyof M, P extends string> =
  string extends Names<M, N>
    ? Untyped
    : P extends `${infer H}.${infer R}`
      ? H extends keyof AttributesOf<M, N>
        ? AttributesOf<M, N>[H] extends RelatedEntityDefinition<infer T, infer F>
          ? T extends keyof M
            ? PathValue<M, T, R> | Nullable<never, F>
            : Untyped
          : AttributesOf<M, N>[H] extends ToMany<infer T>
            ? T extends keyof M
              ? PathValue<M, T, R>
              : Untyped
            : unknown
        : never
      : P extends keyof AttributesOf<M, N>
        ? AttributeValue<M, N, P>
        : never

/**
 * The paths that a wrong path could have been, or `never` for a correct one. Editors complete them.
 * `X` are further names, such as `*`.
 */
export type PathError<
  M extends Model,
  N extends keyof M,
  P extends string,
  X extends string = never,
> =
  string extends Names<M, N>
    ? never
    : P extends `${infer H}.${infer R}`
      ? H extends keyof AttributesOf<M, N>
        ? AttributesOf<M, N>[H] extends ToOne<infer T> | ToMany<infer T>
          ? T extends keyof M
            ? R extends '*'
              ? never
              : `${H}.${PathError<M, T, R, X>}`
            : never
          : HasProperties<AttributesOf<M, N>[H]> extends true
            ? never
            : (keyof AttributesOf<M, N> & string) | X
        : (keyof AttributesOf<M, N> & string) | X
      : P extends keyof AttributesOf<M, N> | MarkNames<X>
        ? never
        : (keyof AttributesOf<M, N> & string) | X

/** A list that takes `*` takes marks too. They are not offered: attributes may have their names. */
type MarkNames<X> = X extends '*' ? keyof EntityMarks : never

/**
 * The same for paths to a value that has an order: they do not end in a relation, an object or
 * bytes. `Many` is true where a path may lead to many values. What an alias leads to is checked at
 * run time.
 */
export type ValuePathError<
  M extends Model,
  N extends keyof M,
  P extends string,
  Many extends boolean = false,
> =
  string extends Names<M, N>
    ? never
    : P extends `${infer H}.${infer R}`
      ? H extends keyof AttributesOf<M, N>
        ? AttributesOf<M, N>[H] extends ToOne<infer T>
          ? T extends keyof M
            ? `${H}.${ValuePathError<M, T, R, Many>}`
            : never
          : AttributesOf<M, N>[H] extends ToMany<infer T>
            ? Many extends true
              ? T extends keyof M
                ? `${H}.${ValuePathError<M, T, R, Many>}`
                : never
              : keyof AttributesOf<M, N> & string
            : HasProperties<AttributesOf<M, N>[H]> extends true
              ? never
              : keyof AttributesOf<M, N> & string
        : keyof AttributesOf<M, N> & string
      : P extends keyof AttributesOf<M, N>
        ? P extends infer H extends string
          ? ValueError<M, N, AttributesOf<M, N>[P], H>
          : never
        : keyof AttributesOf<M, N> & string

/** `H` is inferred from the path: else the compiler would infer the path from the error's text. */
type ValueError<M extends Model, N extends keyof M, D, H extends string> = D extends
  | ToOne<infer T>
  | ToMany<infer T>
  ? `${H}.${keyof AttributesOf<M, T> & string}`
  : D extends
        | StorageDefinition<infer V, Untyped, Untyped>
        | ComputedDefinition<infer V, Untyped, Untyped>
    ? [Extract<V, object>] extends [never]
      ? never
      : Exclude<keyof AttributesOf<M, N> & string, H>
    : never

/** True for objects. Paths through an alias are checked at run time. */
type HasProperties<D> = D extends
  | StorageDefinition<infer V, Untyped, Untyped>
  | ComputedDefinition<infer V, Untyped, Untyped>
  ? V extends Media
    ? false
    : V extends object
      ? true
      : false
  : true

/**
 * The texts that a wrong `orderBy` text could have been, or `never` for a correct one such as
 * `salary desc, employer.name`. `Before` is the correct begin of the text.
 */
export type OrderError<
  M extends Model,
  N extends keyof M,
  S extends string,
  Before extends string = '',
> = S extends `${infer A},${infer B}`
  ? [TermError<M, N, Trim<A>>] extends [never]
    ? OrderError<M, N, B, `${Before}${A},`>
    : `${Before}${BlanksOf<A>}${TermError<M, N, Trim<A>>},${B}`
  : `${Before}${BlanksOf<S>}${TermError<M, N, TrimStart<S>>}`

type TermError<
  M extends Model,
  N extends keyof M,
  S extends string,
> = S extends `${infer P} ${infer D}`
  ? Lowercase<Trim<D>> extends 'asc' | 'desc'
    ? P extends Relevance<M, N>
      ? never
      : `${ValuePathError<M, N, P>} ${D}`
    : `${P} ${'asc' | 'desc'}`
  : S extends Relevance<M, N>
    ? never
    : ValuePathError<M, N, S>

/** `relevance` where an attribute of the dataclass has an index of its words. */
type Relevance<M extends Model, N extends keyof M> = [
  Extract<
    AttributesOf<M, N>[keyof AttributesOf<M, N>],
    { readonly options: { readonly words: true } }
  >,
] extends [never]
  ? never
  : 'relevance'

/**
 * The lists that a wrong list of paths could have been, or `never` for a correct one such as
 * `lastName, employer.name`. `*` means all stored values. `Before` is the correct begin of the
 * list.
 */
export type ListError<
  M extends Model,
  N extends keyof M,
  S extends string,
  Before extends string = '',
> = S extends `${infer A},${infer B}`
  ? [ItemError<M, N, Trim<A>>] extends [never]
    ? ListError<M, N, B, `${Before}${A},`>
    : `${Before}${BlanksOf<A>}${ItemError<M, N, Trim<A>>},${B}`
  : `${Before}${BlanksOf<S>}${ItemError<M, N, Trim<S>>}`

type ItemError<M extends Model, N extends keyof M, S extends string> = S extends '*'
  ? never
  : PathError<M, N, S, '*'>

/**
 * A text that is not a literal is checked at run time only. A wrong literal is refused: the
 * expected type is that of the correct texts which begin as it does, and editors offer them.
 */
export type Checked<S extends string, E> = string extends S ? S : [E] extends [never] ? S : E

/**
 * The result of `select` for a comma-separated list of paths: plain objects, nested along
 * relations.
 */
export type Projection<M extends Model, N extends keyof M, S extends string> = string extends
  | S
  | Names<M, N>
  ? { readonly [name: string]: Untyped }
  : ProjectPaths<M, N, Parts<S>>

export type Parts<S extends string> = S extends `${infer A},${infer B}`
  ? Trim<A> | Parts<B>
  : Trim<S>
type HeadOf<P extends string> = P extends `${infer H}.${string}` ? H : P
/** The rests of the paths that begin with a head. */
type RestOf<P extends string, H extends string> = P extends `${H}.${infer R}` ? R : never

/**
 * The object types are branches of a conditional type, without an alias of their own, so that
 * editors show their members.
 */
type ProjectPaths<M extends Model, N extends keyof M, P extends string> = '*' extends P
  ? StoredValues<AttributesOf<M, N>> & {
      readonly [H in HeadOf<Exclude<P, '*'>>]: H extends keyof AttributesOf<M, N>
        ? ProjectHead<M, N, H, RestOf<P, H>>
        : MarkValue<M, N, H>
    }
  : {
      readonly [H in HeadOf<P>]: H extends keyof AttributesOf<M, N>
        ? ProjectHead<M, N, H, RestOf<P, H>>
        : MarkValue<M, N, H>
    }
type MarkValue<M extends Model, N extends keyof M, H> = H extends keyof EntityMarks
  ? EntityMarks<KeyOf<AttributesOf<M, N>>>[H]
  : never
type ProjectHead<
  M extends Model,
  N extends keyof M,
  H extends keyof AttributesOf<M, N>,
  R extends string,
> = [R] extends [never]
  ? AttributeValue<M, N, H>
  : AttributesOf<M, N>[H] extends RelatedEntityDefinition<infer T, infer F>
    ? T extends keyof M
      ? Nullable<ProjectPaths<M, T, R>, F>
      : Untyped
    : AttributesOf<M, N>[H] extends ToMany<infer T>
      ? readonly (T extends keyof M ? ProjectPaths<M, T, R> : Untyped)[]
      : [R] extends ['*']
        ? AttributeValue<M, N, H>
        : unknown
