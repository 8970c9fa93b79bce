/** The place of a volatile state does not answer. Callers never get it. */
export class VolatileStateError extends Error {
  override readonly name = 'VolatileStateError'

  constructor(cause: unknown) {
    super('The place of entity sets and uploads does not answer. Try again.', { cause })
  }
}

/** What a call answers; `absent` while the place does not answer. */
export async function absentWhenAway<R, A>(absent: A, call: () => Promise<R>): Promise<R | A> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof VolatileStateError) return absent
    throw error
  }
}

/**
 * Where a store keeps what it may lose, instead of in its database: such as `valkeyState(…)` of
 * `@entia/valkey`. What is not given stays in the database.
 *
 * A call rejects with a `VolatileStateError` while the place does not answer, and does so within a
 * bounded time. Its entries then count as expired.
 */
export interface VolatileState {
  /** Entity sets: members as texts of PostgreSQL's `bigint[]`, 1024 in a piece. */
  readonly entitySets?: VolatileEntries
  /** Uploads: their content in pieces. */
  readonly uploads?: VolatileEntries
  readonly wakeUps?: WakeUps
  /** Ends what it has opened itself. The store calls it when it closes. */
  close(): Promise<void>
}

/** The properties of an entry besides its content. */
export interface EntryFacts {
  /** Upper case. */
  readonly id: string
  /** The dataclass of a set; the media type of an upload. */
  readonly kind: string
  /** The id of the session that owns it; null if every caller may use it. */
  readonly owner: string | null
  /** Anything that its reader needs. */
  readonly note: string
  /** What counts for `EntryLimits.maxBytes`. */
  readonly bytes: number
  readonly pieces: number
  readonly lifetimeSeconds: number
}

/** An entry that has not expired. */
export interface Entry extends EntryFacts {
  /** The content that belongs to these facts: another one if the entry is created again. */
  readonly content: string
}

export interface ListedEntry extends Entry {
  /** Epoch milliseconds. */
  readonly expires: number
}

/** Beyond them the least recently used entries are dropped. */
export interface EntryLimits {
  readonly max: number
  readonly maxBytes: number
  readonly maxPerOwner: number
}

/** Content that is written, but belongs to no entry yet. */
export interface WrittenContent {
  readonly content: string
  readonly pieces: number
}

/**
 * - `created`: the entry is there.
 * - `taken`: the id belongs to another owner.
 * - `full`: another entry must be dropped first, and `mayDrop` was false.
 */
export type Creation =
  | { readonly result: 'created' | 'full' }
  | { readonly result: 'taken'; readonly owner: string }

/**
 * Entries with content, lifetimes and limits, shared by all processes of a store. An entry can
 * disappear at any time.
 */
export interface VolatileEntries {
  /** Writes content. Unless an entry takes it within a minute, it disappears. */
  write(pieces: AsyncIterable<readonly Uint8Array[]>): Promise<WrittenContent>
  /** Creates an entry, or replaces the one of the same owner or of none. */
  create(
    facts: EntryFacts,
    written: WrittenContent,
    limits: EntryLimits,
    mayDrop: boolean,
  ): Promise<Creation>
  /**
   * The entries among these ids that belong to the owner or to none. Renews those of the kind
   * `renew`, or none: an empty text renews every kind.
   */
  find(
    ids: readonly string[],
    owner: string | null,
    renew: string | null,
  ): Promise<ReadonlyMap<string, Entry>>
  /** Pieces of an entry, from one place to before another; null if they have disappeared. */
  read(entry: Entry, from: number, to: number): Promise<readonly Uint8Array[] | null>
  /** Changes the lifetime of entries and renews them. */
  setLifetime(ids: readonly string[], lifetimeSeconds: number): Promise<void>
  /** How many there were. */
  release(ids: readonly string[]): Promise<number>
  releaseOwner(owner: string): Promise<void>
  /** Sessions that may own entries. */
  owners(): Promise<readonly string[]>
  /** The least recently used entry first. Cost: O(entries). */
  list(): Promise<readonly ListedEntry[]>
  size(): Promise<{ readonly count: number; readonly bytes: number }>
}

/** Tells processes of commits. Messages may get lost: nothing may depend on them. */
export interface WakeUps {
  /** Announces a commit. Never waits. */
  publish(globalStamp: number): void
  /** Calls back with announced stamps, until the returned function is called. */
  subscribe(listener: (globalStamp: number) => void): () => void
}
