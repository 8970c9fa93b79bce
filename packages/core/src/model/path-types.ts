import type { Media } from '../value/types.ts'
import type {
  ComputedDefinition,
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  StorageDefinition,
  Untyped,
} from './definition.ts'
import type {
  AttributesOf,
  AttributeValue,
  Model,
  Names,
  Nullable,
  StoredValues,
} from './value-types.ts'

type ToOne<T extends string = string> = RelatedEntityDefinition<T, Untyped>
type ToMany<T extends string = string> = RelatedEntitiesDefinition<T, string>

type Trim<S extends string> = S extends ` ${infer R}` | `${infer R} ` ? Trim<R> : S

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

/** A message about the error in a path, or `never`. */
export type PathError<M extends Model, N extends keyof M, P extends string> =
  string extends Names<M, N>
    ? never
    : P extends `${infer H}.${infer R}`
      ? H extends keyof AttributesOf<M, N>
        ? AttributesOf<M, N>[H] extends ToOne<infer T> | ToMany<infer T>
          ? T extends keyof M
            ? R extends '*'
              ? never
              : PathError<M, T, R>
            : never
          : HasProperties<AttributesOf<M, N>[H]> extends true
            ? never
            : `"${H}" has no properties`
        : `"${H}" is not an attribute of ${N & string}`
      : P extends keyof AttributesOf<M, N>
        ? never
        : `"${P}" is not an attribute of ${N & string}`

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

type OrderTerm<S extends string> =
  Trim<S> extends `${infer P} ${infer D}`
    ? Lowercase<Trim<D>> extends 'asc' | 'desc'
      ? Trim<P>
      : Trim<S>
    : Trim<S>
/**
 * A message about the error in an `orderBy` text such as `salary desc, employer.name`, or `never`.
 */
export type OrderError<
  M extends Model,
  N extends keyof M,
  S extends string,
> = S extends `${infer A},${infer B}`
  ? PathError<M, N, OrderTerm<A>> | OrderError<M, N, B>
  : PathError<M, N, OrderTerm<S>>

/**
 * A message about the error in a comma-separated list of paths, or `never`. `*` means all stored
 * values.
 */
export type ListError<
  M extends Model,
  N extends keyof M,
  S extends string,
> = S extends `${infer A},${infer B}`
  ? ListError<M, N, A> | ListError<M, N, B>
  : Trim<S> extends '*'
    ? never
    : PathError<M, N, Trim<S>>

/**
 * A text that is not a literal is checked at run time only. For a literal with an error, the
 * message is the expected type.
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

type Parts<S extends string> = S extends `${infer A},${infer B}` ? Trim<A> | Parts<B> : Trim<S>
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
        : never
    }
  : {
      readonly [H in HeadOf<P>]: H extends keyof AttributesOf<M, N>
        ? ProjectHead<M, N, H, RestOf<P, H>>
        : never
    }
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
