import { LiveResult, type Sharing } from './live-result.ts'
import { isSameValue } from './same-value.ts'
import type { Key, Page, RemoteIdentity, RemoteSelection } from './selection.ts'

/** The entities of a result by key, in order, with what JSON loses of them. */
export type Entries = readonly (readonly [Key, unknown] | readonly [Key, unknown, object])[]

/** The place of a result among those of its connection. */
export interface RemoteSharing extends Sharing {
  /** Called when the event stream of the result is open, lost or ended. */
  readonly setConnected: (result: LiveResult, isConnected: boolean) => void
  /** False while the stream of any result of the connection is lost. */
  readonly isConnected: () => boolean
}

/** Statuses of a server that cannot be reached; 0 without an answer. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([0, 502, 503, 504])
/** Milliseconds after which a component that waits must ask again, at first and at most. */
const FIRST_CHECK = 200
const LONGEST_CHECK = 2_000
/** Milliseconds until a server that could not be reached is tried again, at first and at most. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000

/** What a refused selection throws. */
interface Failure {
  readonly error: unknown
}

/** A server renders a result once and does not follow it. */
const isServer = (): boolean => !('document' in globalThis)

/** The result of a selection of a store on a server. */
export class RemoteResult extends LiveResult {
  readonly #selection: RemoteSelection
  readonly #identity: RemoteIdentity
  readonly #page: Page
  readonly #sharing: RemoteSharing
  /** Not null while the live query runs. */
  #abort: AbortController | null = null
  /** Resolves with the first list or with a failure. */
  #loading: Promise<void> | null = null
  #isLoaded = false
  #failure: Failure | null = null
  /** What a component that waits throws; null until one does. */
  #check: Promise<unknown> | null = null
  #untilCheck = FIRST_CHECK
  #wasAsked = false
  /** True once a caller waits for it without a component. */
  #isPreloaded = false
  #isUnreachable = false
  #failures = 0
  #endPause: () => void = () => {}
  /** The list that the server rendered; null without one. */
  #hydrated: readonly unknown[] | null = null

  constructor(
    selection: RemoteSelection,
    identity: RemoteIdentity,
    page: Page,
    sharing: RemoteSharing,
    hydrated: Entries | undefined,
  ) {
    super(sharing)
    this.#selection = selection
    this.#identity = identity
    this.#page = page
    this.#sharing = sharing
    if (hydrated === undefined) return
    this.rows.replace(
      hydrated.map(([key, entity, extras]) => [
        key,
        extras === undefined ? entity : identity.withExtras(entity as object, extras),
      ]),
      isSameValue,
    )
    this.#hydrated = this.rows.list
    this.#isLoaded = true
  }

  /** Null until they are loaded. */
  entries(): Entries | null {
    if (!this.#isLoaded) return null
    return this.rows.entries().map(([key, entity]) => {
      const extras = this.#identity.extrasOf(entity as object)
      return extras === null ? [key, entity] : [key, entity, extras]
    })
  }

  override async load(): Promise<void> {
    this.#isPreloaded = true
    if (!this.#isLoaded && this.#failure === null) this.start()
    await this.#loading
    if (this.#failure !== null) throw this.#failure.error
  }

  protected override get isLoading(): boolean {
    return this.#abort !== null && !this.#isLoaded
  }
  protected override isUnreachable(): boolean {
    const isOpen = !this.#isLoaded && this.#failure === null
    if (isOpen && !this.#sharing.isConnected()) this.#isUnreachable = true
    return this.#isUnreachable
  }
  protected override start(): void {
    if (this.#abort !== null) return
    this.#endPause()
    this.#failure = null
    this.#check = null
    if (this.#isUnreachable) this.#sharing.setConnected(this, false)
    const abort = new AbortController()
    this.#abort = abort
    this.#loading = new Promise((loaded) => {
      this.#follow(abort.signal, loaded)
        .catch((error: unknown) => this.#fail(abort.signal, error))
        .finally(loaded)
    })
  }
  protected override stop(): void {
    this.#abort?.abort()
    this.#abort = null
    this.#endPause()
    this.#sharing.setConnected(this, true)
  }
  protected override read(): readonly unknown[] {
    if (this.#failure !== null) {
      // An error boundary that renders its children again later makes another attempt.
      this.endSoon()
      throw this.#failure.error
    }
    if (this.#isLoaded) return this.rows.list
    this.start()
    this.#wasAsked = true
    this.#check ??= isServer() || this.#isPreloaded ? this.#loading : this.#checkUse()
    throw this.#check
  }
  protected override readForServer(): readonly unknown[] {
    return this.#hydrated ?? this.read()
  }

  /**
   * Resolves with the first list, and before it once in a while: React then renders the components
   * that still wait for it, and they ask again. React does not report the end of a component that
   * was never shown; a result that none asks for is ended here.
   */
  #checkUse(): Promise<unknown> {
    const abort = this.#abort
    const milliseconds = this.#untilCheck
    this.#untilCheck = Math.min(LONGEST_CHECK, milliseconds * 2)
    this.#wasAsked = false
    let timer: ReturnType<typeof setTimeout>
    const due = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#check = null
        this.#wasAsked = false
        resolve()
        setTimeout(() => {
          if (this.#abort === abort && !this.#wasAsked && !this.#isPreloaded) this.abandon()
        }, milliseconds)
      }, milliseconds)
    })
    return Promise.race([this.#loading, due]).finally(() => clearTimeout(timer))
  }

  async #follow(signal: AbortSignal, loaded: () => void): Promise<void> {
    const events = this.#selection.live({
      signal,
      page: this.#page,
      onConnection: (isConnected) => {
        if (!signal.aborted) this.#sharing.setConnected(this, isConnected)
      },
    })
    for await (const event of events) {
      if (signal.aborted) return
      const isChanged =
        event.kind === 'initial'
          ? this.rows.replace(event.entities, isSameValue)
          : this.rows.apply(event, isSameValue)
      const isFirst = !this.#isLoaded
      if (isFirst) {
        this.#isLoaded = true
        this.#isUnreachable = false
        loaded()
        this.expectUse()
      }
      if (isChanged || isFirst) this.notify()
      if (isServer() && !this.isShown) return this.stop()
    }
  }

  #fail(signal: AbortSignal, error: unknown): void {
    if (signal.aborted) return
    this.stop()
    this.#failure = { error }
    this.#isUnreachable = !this.#isLoaded && UNREACHABLE.has(statusOf(error))
    if (this.#isUnreachable) this.#tryLater()
    this.expectUse()
    this.notify()
  }

  /** Components that have another result keep it, so this one tries again while they wait. */
  #tryLater(): void {
    this.#sharing.setConnected(this, false)
    const again = (): void => {
      this.#endPause()
      if (this.isShown) this.start()
    }
    const timer = setTimeout(again, Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures++))
    const { addEventListener: add, removeEventListener: remove } = globalThis as EventHost
    add?.('online', again)
    this.#endPause = () => {
      clearTimeout(timer)
      remove?.('online', again)
    }
  }
}

/** The part of a browser that reports a found network. */
interface EventHost {
  addEventListener?(name: 'online', listener: () => void): void
  removeEventListener?(name: 'online', listener: () => void): void
}

const statusOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
