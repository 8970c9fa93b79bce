import { isEntiaError, type Session } from '@entia/core'
import type { Awaitable, Caller } from '@entia/engine'
import type { Dataset } from '../schema/dataset.ts'
import type { Mirror } from './mirror.ts'
import type { MirrorContents } from './mirror-contents.ts'

/** A read that a mirror may answer. */
export interface MirrorRead<R> {
  /** The dataclass that is read. */
  readonly dataClass: string
  readonly caller: Pick<Caller, 'session' | 'position'>
  /**
   * The dataclasses that decide about the answer; null if that shows when it is read. What it
   * throws, the database finds too.
   */
  readonly needs: () => ReadonlySet<string> | null
  /** Its computed attributes are the same in other reads of the dataclass. */
  readonly isWhole: boolean
  /** Answers from the mirror. The session is one of its store. */
  readonly read: (contents: MirrorContents, session: Session | null) => Awaitable<R>
}

/** Answers reads from a mirror where it has what they need, as new as their callers require. */
export class MirrorAnswers {
  readonly #mirror: Mirror
  readonly #dataset: Dataset
  /** Dataclasses whose computed attributes read more than the mirror has. */
  readonly #beyond = new Set<string>()

  constructor(mirror: Mirror, dataset: Dataset) {
    this.#mirror = mirror
    this.#dataset = dataset
  }

  /** Null if the database must answer. */
  async answer<R>(asked: MirrorRead<R>): Promise<Answered<R>> {
    const { dataClass, caller, isWhole, read } = asked
    const mirror = this.#mirror
    if (!mirror.classes.has(dataClass)) return null
    const isKnown = this.#isKnown(asked)
    if (isKnown === null) return this.#unanswered('database')
    const contents = await this.reach(caller)
    if (contents === null) return this.#unanswered('behind')
    const session = isKnown || caller.session === null ? null : contents.adopt(caller.session)
    let found: Answered<R>
    try {
      found = await contents.guard.run(() => read(contents, session))
    } catch (error) {
      // New contents have taken the place of those that were being read.
      if (!contents.isClosed) throw error
      return this.#unanswered('behind')
    }
    if (found === null) {
      if (isWhole) this.#beyond.add(dataClass)
      return this.#unanswered('database')
    }
    mirror.count('mirror')
    return found
  }

  /**
   * The contents with all that the caller has seen or written; for one that does not tell, with all
   * that this process has seen. Null if they are not there.
   */
  reach({ position }: Pick<Caller, 'position'>, since = 0): Awaitable<MirrorContents | null> {
    const { id, globalStamp } = this.#dataset
    if (position == null) return this.#mirror.reach(Math.max(globalStamp, since))
    // The caller comes from another epoch, or this process has not heard of the new one.
    if (position.instanceId !== id) return null
    return this.#mirror.reach(Math.max(position.globalStamp, since))
  }

  /** True if the mirror has all that is needed; false if that will show; null if it has not. */
  #isKnown({ dataClass, isWhole, needs }: MirrorRead<unknown>): boolean | null {
    let names: ReadonlySet<string> | null
    try {
      names = needs()
    } catch (error) {
      if (!isEntiaError(error)) throw error
      return null
    }
    if (names === null) return isWhole && this.#beyond.has(dataClass) ? null : false
    return this.hasAll(names) ? true : null
  }
  hasAll(names: ReadonlySet<string>): boolean {
    for (const name of names) if (!this.#mirror.classes.has(name)) return false
    return true
  }

  #unanswered(by: 'behind' | 'database'): null {
    this.#mirror.count(by)
    return null
  }
}

type Answered<R> = { readonly value: R } | null
