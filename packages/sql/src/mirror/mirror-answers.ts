import { isEntiaError, type Session } from '@entia/core'
import { type Awaitable, andThen, type Caller, isPromise } from '@entia/engine'
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

  /** Null if the database must answer. Waits for nothing where the mirror is current. */
  answer<R>(asked: MirrorRead<R>): Awaitable<Answered<R>> {
    if (!this.#mirror.classes.has(asked.dataClass)) return null
    const isKnown = this.#isKnown(asked)
    if (isKnown === null) return this.#unanswered('database')
    return andThen(this.reach(asked.caller), (contents) =>
      contents === null ? this.#unanswered('behind') : this.#answerFrom(contents, asked, isKnown),
    )
  }

  #answerFrom<R>(
    contents: MirrorContents,
    { dataClass, caller, isWhole, read }: MirrorRead<R>,
    isKnown: boolean,
  ): Awaitable<Answered<R>> {
    const session = isKnown || caller.session === null ? null : contents.adopt(caller.session)
    const answered = (found: Answered<R>): Answered<R> => {
      if (found === null) {
        if (isWhole) this.#beyond.add(dataClass)
        return this.#unanswered('database')
      }
      this.#mirror.count('mirror')
      return found
    }
    const failed = (error: unknown): null => {
      // New contents may take the place of those that are being read.
      if (contents.isClosed) return this.#unanswered('behind')
      if (isOverload(error)) return this.#unanswered('database')
      throw error
    }
    try {
      const found = contents.guard.run(() => read(contents, session))
      return isPromise(found) ? found.then(answered, failed) : answered(found)
    } catch (error) {
      return failed(error)
    }
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

/** Limits of reads in memory, which the database does not have. */
const isOverload = (error: unknown): boolean =>
  isEntiaError(error, 'budgetExceeded') || isEntiaError(error, 'serverBusy')

type Answered<R> = { readonly value: R } | null
