import type { Untyped } from './definition.ts'
import type { SelectionReader } from './selection-types.ts'
import type { DataClassReader } from './table-types.ts'
import type { Model, Names, PastModel } from './value-types.ts'

/** What can be read of one dataclass as it was. */
export type PastReader<M extends Model, N extends keyof PastModel<M>> = DataClassReader<
  PastModel<M>,
  N,
  SelectionReader<PastModel<M>, N>
>

/** The members of a past that are not dataclasses. */
export interface PastMembers<M extends Model> extends Disposable {
  /** The global stamp that it is of. */
  readonly globalStamp: number
  /** For names known at run time only. Throws `dataClassNotFound`. */
  dataClass<N extends keyof M & keyof PastModel<M> & string>(
    name: N,
  ): PastReader<M, string extends Names<M, N> ? string : N>
  dataClass(name: string): DataClassReader<Untyped, string, SelectionReader<Untyped, string>>
  /** What is read of it later throws `storeClosed`. */
  dispose(): void
}

/**
 * A store as it was at an older global stamp: entities, stamps, timestamps, record order and relations, read in all the ways of
 * the present, whatever is written meanwhile. Nothing of it can be written, and functions are not called on it (`pastReadOnly`).
 * Selections of one past can be combined with each other, not with those of the present.
 *
 * Cost: a dataclass is copied when it is first read, O(its entities + changes since), and has no indexes but keys and foreign
 * keys afterwards. The history back to the stamp is kept until `dispose` (or `using`), until every dataclass has been read, or until
 * nobody holds the past or anything read from it.
 */
export type PastStore<M extends Model = Untyped> = {
  readonly [N in keyof M & keyof PastModel<M>]: PastReader<M, N>
} & PastMembers<M>
