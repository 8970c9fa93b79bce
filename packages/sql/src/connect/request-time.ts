import { DatabaseError } from './database-error.ts'

/** Calls back after some milliseconds, unless the function that it returns is called before. */
export type After = (milliseconds: number, done: () => void) => () => void

/** The timers of Node. */
export const hostAfter: After = (milliseconds, done) => {
  const timer = setTimeout(done, milliseconds)
  return () => clearTimeout(timer)
}

/**
 * The time that is left for one request. Its work may wait for connections, statements and repeated
 * attempts. Each of these has a limit of its own; this one bounds them together. Work that takes
 * too long is not interrupted: its result is dropped, and it must ask `isOver` before it commits.
 */
export class RequestTime {
  readonly #stop: () => void
  readonly #waiting = new Set<() => void>()
  #isOver = false
  #commit: 'none' | 'underWay' | 'stored' = 'none'

  /** `milliseconds`: what is left; none if it is not above 0. */
  constructor(after: After, milliseconds: number) {
    this.#isOver = milliseconds <= 0
    this.#stop = this.#isOver ? ignore : after(milliseconds, () => this.expire())
  }

  /** Ends the time now. */
  expire(): void {
    this.#isOver = true
    for (const end of [...this.#waiting]) end()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the request has committed. */
  get isStored(): boolean {
    return this.#commit === 'stored'
  }

  /** Throws `unavailable` if the time is over. Nothing may be sent that changes data then. */
  check(): void {
    if (this.#isOver) throw overError()
  }

  /** From now on it is not known what is stored. Throws as `check`. */
  beginCommit(): void {
    this.check()
    this.#commit = 'underWay'
  }
  endCommit(isStored: boolean): void {
    this.#commit = isStored ? 'stored' : 'none'
  }

  /**
   * The result of `work`; `unavailable` if the time ends before. This error says that nothing is
   * stored. So there is none while a commit is under way, or after one: then `work` ends by itself.
   */
  within<R>(work: Promise<R>): Promise<R> {
    return this.#until(work, () => this.#commit === 'none')
  }
  /** The result of `work`; `unavailable` if the time ends while a commit is under way. */
  whileCommitting<R>(work: Promise<R>): Promise<R> {
    return this.#until(work, () => this.#commit === 'underWay')
  }
  /** The result of `work`; `unavailable` if the time ends before. */
  cut<R>(work: Promise<R>): Promise<R> {
    return this.#until(work, () => true)
  }

  /** Ends the timer. */
  end(): void {
    this.#stop()
  }

  #until<R>(work: Promise<R>, mayEnd: () => boolean): Promise<R> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        if (mayEnd()) reject(overError())
      }
      this.#waiting.add(end)
      if (this.#isOver) end()
      work.then(resolve, reject).finally(() => this.#waiting.delete(end))
    })
  }
}

const overError = (): DatabaseError =>
  new DatabaseError('unavailable', null, new Error('The time of the request is over.'))

function ignore(): void {}
