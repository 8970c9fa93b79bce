import type { Media } from '../value/types.ts'
import type { Untyped } from './definition.ts'
import type { Selection } from './selection-types.ts'

/** The user of a session. */
export interface SessionUser {
  readonly ID: string
  readonly userName: string
  readonly fullName: string
  readonly groups: readonly string[]
  /** Facts of the application, such as the tenant. They stay in the process. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/**
 * The facts of a session without its secret. Host, address and user agent come from outside: they
 * are personal data, unverified, with at most 200 characters each, and empty if unknown.
 */
export interface SessionInfo {
  /** Public: 32 hexadecimal digits. A login does not change them. */
  readonly id: string
  readonly user: SessionUser | null
  /** How long the session lives without being used. */
  readonly lifetimeSeconds: number
  /** Epoch milliseconds. */
  readonly expires: number
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/**
 * A session as it was when the call returned it. Two objects are the same session if their ids are
 * equal. The object does not change; `touch` and `login` return a new one.
 */
export interface Session extends SessionInfo {
  /**
   * The secret of the session's holder. It is not enumerable: neither JSON nor a spread copy
   * contains it.
   */
  readonly token: string
}

export interface SessionOptions {
  readonly user?: SessionUser | null | undefined
  /** Instead of the store's `sessions.idleSeconds`. */
  readonly lifetimeSeconds?: number | undefined
  readonly host?: string | undefined
  readonly ipAddress?: string | undefined
  readonly userAgent?: string | undefined
}

/**
 * The sessions of a store. A session ends by `close`, when it is not used for its lifetime, or a
 * day after it was opened or logged in to. Its locks and entity sets end with it.
 */
export interface Sessions {
  readonly size: number
  /**
   * When there are too many, the least recently used session without locks makes room. An anonymous
   * session can only push out anonymous ones. Throws `tooManySessions` if none can make room.
   */
  open(options?: SessionOptions): Session
  /** The session of a token, with a new lifetime. Undefined when there is none or it has ended. */
  touch(token: string): Session | undefined
  /** As `touch`, without renewing. */
  peek(token: string): Session | undefined
  /**
   * A session for the user, always with a new token; the old token becomes invalid. The session of
   * `token` keeps its id, locks and sets, unless it belonged to another user: then it ends.
   */
  login(token: string | null, user: SessionUser, options?: Omit<SessionOptions, 'user'>): Session
  /**
   * The session of a user whom the host identifies each time, for example by a token: the
   * same session for the same `ID`, opened at first and renewed by every call. The result keeps the
   * groups and claims given here; so does everything that runs as it. Throws `tooManySessions`.
   */
  identified(user: SessionUser, options?: Omit<SessionOptions, 'user'>): Session
  /** True when there was such a session. */
  close(token: string): boolean
  /** As `close`, by the public id: for administrators. */
  end(id: string): boolean
  /** All sessions without their tokens, the least recently used first. */
  list(): readonly SessionInfo[]
}

export interface LockOptions {
  /** The stamp that the caller read. The lock fails if the entity has another stamp now. */
  readonly stamp?: number | undefined
}
/** Another session holds the lock of the entity. */
export interface HeldByOther {
  readonly kind: 'alreadyLocked'
  readonly holder: SessionInfo
  readonly recordNumber: number
}
export type LockOutcome =
  | { readonly kind: 'locked' }
  | HeldByOther
  | { readonly kind: 'stampChanged'; readonly stored: number }
  | { readonly kind: 'absent' }
export type UnlockOutcome =
  | { readonly kind: 'unlocked' }
  | HeldByOther
  | { readonly kind: 'absent' }

/**
 * Locks of entities. Locking never blocks: it succeeds or fails immediately. Only the holder,
 * inside `store.as`, may update or remove a locked entity; others get `entityLocked`. All may read
 * it. A lock ends by `unlock`, with its session, and with its entity. Locks are not part of
 * transactions: a failed transaction neither releases nor restores locks.
 */
export interface Locks {
  /** The number of locks of entities that still exist. */
  readonly size: number
  /** Throws `dataClassNotFound`, and `budgetExceeded` when the session holds too many. */
  lock(
    dataClass: string,
    key: string | number,
    session: Session,
    options?: LockOptions,
  ): LockOutcome
  /** Returns `unlocked` also when the entity was not locked. */
  unlock(dataClass: string, key: string | number, session: Session): UnlockOutcome
  /** The result of `lock` for a session that holds no locks. Locks nothing. */
  probe(dataClass: string, key: string | number, options?: LockOptions): LockOutcome
  /**
   * The session that holds the lock of the entity; null when there is none or the entity does not
   * exist.
   */
  holder(dataClass: string, key: string | number): SessionInfo | null
  /** Returns how many. */
  releaseAll(session: Session): number
}

export type SetOperator = 'AND' | 'OR' | 'EXCEPT' | 'INTERSECT'
export type AnySelection = Selection<Untyped, Untyped>

export interface EntitySetOptions {
  /** 7200 by default, 86400 at most. */
  readonly lifetimeSeconds?: number | undefined
  /**
   * Only the owner's session finds the set, and the set ends with it. By default every caller with
   * the id finds the set.
   */
  readonly owner?: Session | null | undefined
  /** To create a set again under its old id. */
  readonly id?: string | undefined
}
/** Properties of an entity set; times are epoch milliseconds. */
export interface EntitySetInfo {
  readonly id: string
  readonly dataClass: string
  /** The number of members, deleted ones included. */
  readonly size: number
  readonly sorted: boolean
  readonly refreshed: number
  readonly expires: number
  /** The id of the session that owns it. */
  readonly owner: string | null
}

/**
 * Selections stored under an id for a limited time, which each read renews. Ids are 32 hexadecimal
 * digits, in upper or lower case. A set with an owner is found only with the owner's session.
 */
export interface EntitySets {
  readonly size: number
  create(selection: AnySelection, options?: EntitySetOptions): string
  /** Undefined when the set has expired or was released. */
  get(id: string, session?: Session | null): AnySelection | undefined
  /** As `get`, without renewing. */
  peek(id: string, session?: Session | null): AnySelection | undefined
  /**
   * A selection of the entities that exist now; `INTERSECT` returns whether there is a common one.
   * Renews both sets.
   */
  combine(id: string, operator: 'INTERSECT', other: string, session?: Session | null): boolean
  combine(
    id: string,
    operator: Exclude<SetOperator, 'INTERSECT'>,
    other: string,
    session?: Session | null,
  ): AnySelection
  /** The selection without the members that were deleted. */
  clean(id: string, session?: Session | null): AnySelection
  release(id: string, session?: Session | null): boolean
  /** The least recently used first. */
  list(): readonly EntitySetInfo[]
}

/**
 * Images and BLOBs that callers send before the write that uses them. Reading an upload neither
 * renews nor removes it.
 */
export interface Uploads {
  readonly size: number
  /** Returns an id of 32 hexadecimal digits; 120 seconds by default, one day at most. */
  put(media: Media, options?: { readonly lifetimeSeconds?: number | undefined }): string
  /** Undefined when the upload has expired, was replaced by newer ones, or never existed. */
  get(id: string): Media | undefined
  /** True when there was such an upload. */
  release(id: string): boolean
}

/** Limits of the lifetime and number of sessions. */
export interface SessionLimits {
  /** Lifetime without use; 3600 by default. */
  readonly idleSeconds?: number
  /** Total lifetime since opening or login; 86400 by default. */
  readonly maxSeconds?: number
  /** 10 000 by default. */
  readonly max?: number
  /** Of sessions without a user; 2000 by default. */
  readonly maxGuests?: number
  /** Of sessions without a user from one address, where the address is known; 100 by default. */
  readonly maxPerAddress?: number
}
export interface LockLimits {
  /** 1000 by default. */
  readonly maxPerSession?: number
}
/** Beyond these limits the least recently used sets are removed. */
export interface EntitySetLimits {
  /** 10 000 by default. */
  readonly max?: number
  /** Of sets with an owner; 100 by default. */
  readonly maxPerSession?: number
  /** 256 MiB by default, counting 8 for each member. */
  readonly maxBytes?: number
}
/** Beyond these limits the oldest uploads are removed. */
export interface UploadLimits {
  /** 1000 by default. */
  readonly max?: number
  /** 256 MiB by default. */
  readonly maxBytes?: number
}
