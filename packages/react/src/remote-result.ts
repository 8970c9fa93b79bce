import { LiveResult, type Sharing } from './live-result.ts'
import { isSameValue } from './same-value.ts'
import type { Key, Page, RemoteIdentity, RemoteSelection } from './selection.ts'

/** The entities of a result by key, in order, with what JSON loses of them. */
export type Entries = readonly (readonly [Key, unknown] | readonly [Key, unknown, object])[]

/** The place of a result among those of its connection. */
export interface RemoteSharing extends Sharing {
  /** Called when the event stream of the result is open, lost or ended. */
  readonly setConnected: (result: LiveResult, isConnected: boolean) => void
}

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
    if (!this.#isLoaded && this.#failure === null) this.start()
    await this.#loading
    if (this.#failure !== null) throw this.#failure.error
  }

  protected override get isLoading(): boolean {
    return this.#abort !== null && !this.#isLoaded
  }
  protected override start(): void {
    if (this.#abort !== null) return
    this.#failure = null
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
    throw this.#loading
  }
  protected override readForServer(): readonly unknown[] {
    return this.#hydrated ?? this.read()
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
      if (!this.#isLoaded) {
        this.#isLoaded = true
        loaded()
        this.expectUse()
      }
      if (isChanged) this.notify()
      if (isServer() && !this.isShown) return this.stop()
    }
  }

  #fail(signal: AbortSignal, error: unknown): void {
    if (signal.aborted) return
    this.stop()
    this.#failure = { error }
    this.expectUse()
    this.notify()
  }
}
