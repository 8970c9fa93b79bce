import { Rows } from './rows.ts'

/** How long a result waits for the component that asked for it to mount, in milliseconds. */
export const GRACE_MILLISECONDS = 10_000

/** The place of a result among those that components share. */
export interface Sharing {
  /** The text by which components share it. */
  readonly text: string
  /** Takes the place, unless another result has it. */
  readonly keep: (result: LiveResult) => void
  readonly forget: (result: LiveResult) => void
}

/**
 * The result of a selection, shared by all components that show it. The first subscription starts
 * the live query, and the end of the last one stops it. React may discard what it renders, so a
 * result that no component subscribes to ends by itself.
 */
export abstract class LiveResult {
  protected readonly rows = new Rows()
  readonly #sharing: Sharing
  readonly #listeners = new Set<() => void>()
  #waiting: ReturnType<typeof setTimeout> | undefined
  #isEnding = false

  constructor(sharing: Sharing) {
    this.#sharing = sharing
  }

  // `useSyncExternalStore` compares these functions, so each result has its own.

  readonly subscribe = (listener: () => void): (() => void) => {
    const own = (): void => listener()
    this.start()
    clearTimeout(this.#waiting)
    this.#listeners.add(own)
    this.#sharing.keep(this)
    return () => {
      this.#listeners.delete(own)
      // StrictMode subscribes again in the same task.
      queueMicrotask(() => this.#endIfUnused())
    }
  }
  /** The list. Throws a promise until there is one, and the error of a refused selection. */
  readonly snapshot = (): readonly unknown[] => this.read()
  /**
   * The list; `last` while the server cannot be reached, if there is none. Else as `snapshot`.
   */
  readonly snapshotOr = (last: readonly unknown[]): readonly unknown[] =>
    this.isUnreachable() ? last : this.read()
  /** The list that the server rendered. */
  readonly serverSnapshot = (): readonly unknown[] => this.readForServer()

  get text(): string {
    return this.#sharing.text
  }

  /** Ends a result that loads and that the component asking for it no longer wants. */
  abandon(): void {
    if (this.isLoading) this.#endIfUnused()
  }

  /** Ends the result after a time without subscriptions. */
  expectUse(): void {
    if (!this.isShown && !this.#isEnding && !this.isLoading) this.#endAfter(GRACE_MILLISECONDS)
  }

  /** Resolves when there is a list; rejects if the selection is refused. */
  abstract load(): Promise<void>
  /** True while a mounted component shows it. */
  protected get isShown(): boolean {
    return this.#listeners.size > 0
  }
  /** True while a component waits for the first list. */
  protected abstract get isLoading(): boolean
  /** True while there is no list because the server cannot be reached. */
  protected isUnreachable(): boolean {
    return false
  }
  /** Follows the selection, unless it does. */
  protected abstract start(): void
  /** Ends the live query, if there is one. */
  protected abstract stop(): void
  protected abstract read(): readonly unknown[]
  protected readForServer(): readonly unknown[] {
    return this.read()
  }

  /** Ends the result after this task, unless a component subscribes to it. */
  protected endSoon(): void {
    this.#isEnding = true
    this.#endAfter(0)
  }
  protected notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #endAfter(milliseconds: number): void {
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => this.#endIfUnused(), milliseconds)
    // Node would wait for it before it exits.
    if (typeof this.#waiting === 'object') this.#waiting.unref()
  }
  #endIfUnused(): void {
    if (this.isShown) return
    clearTimeout(this.#waiting)
    this.stop()
    this.#sharing.forget(this)
  }
}
