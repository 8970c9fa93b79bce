import type { Untyped } from './definition.ts'
import type { SelectionReader } from './selection-types.ts'
import type { DataClassReader } from './table-types.ts'
import type { Model, Names, PastModel } from './value-types.ts'

/** Reads of one dataclass at an older global stamp. */
export type PastReader<M extends Model, N extends keyof PastModel<M>> = DataClassReader<
  PastModel<M>,
  N,
  SelectionReader<PastModel<M>, N>
>

/** The members of a past that are not dataclasses. */
export interface PastMembers<M extends Model> extends Disposable {
  /** The global stamp that it shows. */
  readonly globalStamp: number
  /** For names that are not known until the program runs. Throws `dataClassNotFound`. */
  dataClass<N extends keyof M & keyof PastModel<M> & string>(
    name: N,
  ): PastReader<M, string extends Names<M, N> ? string : N>
  dataClass(name: string): DataClassReader<Untyped, string, SelectionReader<Untyped, string>>
  /** Later reads throw `storeClosed`. */
  dispose(): void
}

/**
 * A store as it was at an older global stamp: entities, stamps, timestamps, record order and
 * relations. It has all reads of the present, and later writes do not change it. Writes and
 * function calls throw `pastReadOnly`. Selections of one past can be combined with each other, and
 * not with those of the present.
 *
 * Cost: the first read of a dataclass copies it, O(its entities + changes since). The copy has
 * indexes for keys and foreign keys only. The history back to the stamp is kept until `dispose` (or
 * `using`) is called, every dataclass has been read, or the past and everything read from it are
 * garbage.
 */
export type PastStore<M extends Model = Untyped> = {
  readonly [N in keyof M & keyof PastModel<M>]: PastReader<M, N>
} & PastMembers<M>
