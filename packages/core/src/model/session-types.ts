import type { Media } from '../value/types.ts'
import type { Untyped } from './definition.ts'
import type { Selection } from './selection-types.ts'

/** Who a session belongs to. */
export interface SessionUser {
  readonly ID: string
  readonly userName: string
  readonly fullName: string
  readonly groups: readonly string[]
}

/**
 * The facts of a session without its secret. Host, address and user agent come from outside: they are personal data, unverified, with at most
 * 200 characters each, and empty if unknown.
 */
export interface SessionInfo {
  /** Public: 32 hexadecimal digits that stay the same through a login. */
  readonly id: string
  readonly user: SessionUser | null
  /** How long it lives without being used. */
  readonly lifetimeSeconds: number
  /** Epoch milliseconds. */
  readonly expires: number
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/**
 * A session as it was when it was asked for: found by its token, the same as another one when the ids are equal. It does not
 * change; `touch` and `login` give a new one.
 */
export interface Session extends SessionInfo {
  /** The secret of the session's holder. It is not enumerable: neither JSON nor a spread copy contains it. */
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
 * The sessions of a store. Each ends by `close`, by not being used for its lifetime, or a day after it was opened or logged
 * in to; its locks and the entity sets it owns end with it.
 */
export interface Sessions {
  readonly size: number
  /**
   * When there are too many, the least recently used session without locks makes room. An anonymous session can only push out anonymous ones.
   * Throws `tooManySessions` if none can make room.
   */
  open(options?: SessionOptions): Session
  /** The session of a token; its lifetime starts anew. Undefined when there is none (any more). */
  touch(token: string): Session | undefined
  /** As `touch`, without renewing. */
  peek(token: string): Session | undefined
  /**
   * A session for the user, with a new token in any case: the old one is worth nothing afterwards. The session of `token`
   * keeps id, locks and sets, unless it was another user's, which then ends.
   */
  login(token: string | null, user: SessionUser, options?: Omit<SessionOptions, 'user'>): Session
  /** True when there was such a session. */
  close(token: string): boolean
  /** As `close`, by the public id: for administrators. */
  end(id: string): boolean
  /** Without tokens, the least recently used first. */
  list(): readonly SessionInfo[]
}

export interface LockOptions {
  /** The stamp the caller read; the lock is refused when the entity has another one by now. */
  readonly stamp?: number | undefined
}
/** An entity that another session holds. */
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
export type UnlockOutcome = { readonly kind: 'unlocked' } | HeldByOther | { readonly kind: 'absent' }

/**
 * Locks of entities: a flag per entity and session that never waits. Nobody but the holder, working under `store.as`, may
 * update or remove a locked entity (`entityLocked`); everybody may read it. A lock ends by `unlock`, with its session, and with
 * its entity. Locks are no part of transactions: a failed one gives none back and takes none back.
 */
export interface Locks {
  /** Locks of living entities. */
  readonly size: number
  /** Throws `dataClassNotFound`, and `budgetExceeded` when the session holds too many. */
  lock(dataClass: string, key: string | number, session: Session, options?: LockOptions): LockOutcome
  /** `unlocked` also when it was not locked. */
  unlock(dataClass: string, key: string | number, session: Session): UnlockOutcome
  /** What `lock` would answer somebody who holds nothing yet. Locks nothing. */
  probe(dataClass: string, key: string | number, options?: LockOptions): LockOutcome
  /** Who holds the entity; null when nobody does or there is no such entity. */
  holder(dataClass: string, key: string | number): SessionInfo | null
  /** Returns how many. */
  releaseAll(session: Session): number
}

export type SetOperator = 'AND' | 'OR' | 'EXCEPT' | 'INTERSECT'
export type AnySelection = Selection<Untyped, Untyped>

export interface EntitySetOptions {
  /** 7200 by default, 86400 at most. */
  readonly lifetimeSeconds?: number | undefined
  /** Only its owner finds the set, and it ends with the owner's session. Anybody who has the id by default. */
  readonly owner?: Session | null | undefined
  /** To make a set anew under its old id. */
  readonly id?: string | undefined
}
/** What there is to know of an entity set; times are epoch milliseconds. */
export interface EntitySetInfo {
  readonly id: string
  readonly dataClass: string
  /** Members, removed ones included. */
  readonly size: number
  readonly sorted: boolean
  readonly refreshed: number
  readonly expires: number
  /** Id of the session that owns it. */
  readonly owner: string | null
}

/**
 * Selections kept under an id for a time that each read renews. Ids are 32 hexadecimal digits, in any case. A set with an
 * owner is found only where the owner's session is given: to others it is as absent as an expired one.
 */
export interface EntitySets {
  readonly size: number
  create(selection: AnySelection, options?: EntitySetOptions): string
  /** Undefined when expired or released. */
  get(id: string, session?: Session | null): AnySelection | undefined
  /** As `get`, without renewing. */
  peek(id: string, session?: Session | null): AnySelection | undefined
  /** A selection of the entities that exist now; `INTERSECT` tells whether there is a common one. Renews both. */
  combine(id: string, operator: 'INTERSECT', other: string, session?: Session | null): boolean
  combine(
    id: string,
    operator: Exclude<SetOperator, 'INTERSECT'>,
    other: string,
    session?: Session | null,
  ): AnySelection
  /** Drops members that no longer exist. */
  clean(id: string, session?: Session | null): AnySelection
  release(id: string, session?: Session | null): boolean
  /** The least recently used first. */
  list(): readonly EntitySetInfo[]
}

/** Images and BLOBs that were sent ahead of the write that uses them. Reading one neither renews nor uses it up. */
export interface Uploads {
  readonly size: number
  /** Returns an id of 32 hexadecimal digits; 120 seconds by default, one day at most. */
  put(media: Media, options?: { readonly lifetimeSeconds?: number | undefined }): string
  /** Undefined when expired, pushed out by newer ones, or never there. */
  get(id: string): Media | undefined
  /** True when there was such an upload. */
  release(id: string): boolean
}

/** How long sessions live and how many there may be. */
export interface SessionLimits {
  /** Without being used; 3600 by default. */
  readonly idleSeconds?: number
  /** At all, since opening or login; 86400 by default. */
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
/** Beyond them the least recently used sets go. */
export interface EntitySetLimits {
  /** 10 000 by default. */
  readonly max?: number
  /** Of sets with an owner; 100 by default. */
  readonly maxPerSession?: number
  /** 256 MiB by default, counting 8 for each member. */
  readonly maxBytes?: number
}
/** Beyond them the oldest uploads go. */
export interface UploadLimits {
  /** 1000 by default. */
  readonly max?: number
  /** 256 MiB by default. */
  readonly maxBytes?: number
}
