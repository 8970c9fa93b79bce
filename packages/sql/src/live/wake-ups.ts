/** Tells processes of commits. Messages may get lost: nothing may depend on them. */
export interface WakeUps {
  /** Announces a commit. Never waits. */
  publish(globalStamp: number): void
  /** Calls back with announced stamps, until the returned function is called. */
  subscribe(listener: (globalStamp: number) => void): () => void
}

/**
 * What the processes of a store share outside of its database: such as `valkeyState(…)` of
 * `@entia/valkey`. All of it may get lost.
 */
export interface VolatileState {
  readonly wakeUps?: WakeUps
  /** Ends what it has opened itself. The store calls it when it closes. */
  close(): Promise<void>
}
