import type { EntiaError } from '../errors.ts'
import type * as SessionTypes from '../model/session-types.ts'
import type {
  Session,
  SessionInfo,
  SessionLimits,
  SessionOptions,
  SessionUser,
} from '../model/session-types.ts'
import { checkCallOptions } from '../value/check-options.ts'
import { plainUuid } from '../write/port.ts'
import {
  AnonymousSessions,
  OpenSession,
  ORIGIN_OPTIONS,
  type Origin,
  originOf,
  SESSION_OPTIONS,
  sessionRefused,
  userOf,
} from './open-session.ts'
import {
  ExpiringMap,
  lifetimeOf,
  type ServerStatePort,
  serverStateError,
} from './server-state-limits.ts'

/** What sessions hold. */
export interface HeldBySessions {
  /** Called when a session has ended: its locks and sets end too. */
  ended(id: string): void
  holdsLocks(id: string): boolean
}

const NO_ORIGIN: Origin = { host: '', ipAddress: '', userAgent: '' }

/** The state of a session. A login changes it and does not replace it. */
interface Entry {
  readonly id: string
  token: string
  user: SessionUser | null
  lifetimeSeconds: number
  origin: Origin
  /** True if the host identifies the user each time. */
  readonly isIdentified: boolean
  /** The latest end of the session, on the monotonic clock. */
  ends: number
}

/**
 * The sessions of one store, by token. They expire by the monotonic clock, without timers: reading
 * a session, a lock or a list never returns an expired one.
 */
export class Sessions implements SessionTypes.Sessions {
  readonly #port: ServerStatePort
  readonly #held: HeldBySessions
  readonly #limits: Required<SessionLimits>
  readonly #entries: ExpiringMap<Entry>
  readonly #idOfToken = new Map<string, string>()
  /** The sessions of identified users, by the ID of the user. */
  readonly #idOfUser = new Map<string, string>()
  readonly #anonymous = new AnonymousSessions()

  constructor(port: ServerStatePort, limits: Required<SessionLimits>, held: HeldBySessions) {
    this.#port = port
    this.#held = held
    this.#limits = limits
    const gone = ({ id, token, user, isIdentified }: Entry): void => {
      this.#idOfToken.delete(token)
      // An expired entry may be dropped after the user has a new one.
      if (isIdentified && user !== null && this.#idOfUser.get(user.ID) === id)
        this.#idOfUser.delete(user.ID)
      this.#anonymous.drop(id)
      held.ended(id)
    }
    this.#entries = new ExpiringMap(port.clock, { max: limits.max, gone })
  }

  get size(): number {
    return this.#entries.size
  }

  open(options: SessionOptions = {}): Session {
    this.#port.writer.guard()
    checkCallOptions(options, SESSION_OPTIONS)
    const user = options.user == null ? null : userOf(options.user)
    return this.#renewed(this.#opened(user, options, false))
  }

  identified(given: SessionUser, options: Omit<SessionOptions, 'user'> = {}): Session {
    this.#port.writer.guard()
    checkCallOptions(options, ORIGIN_OPTIONS)
    const user = userOf(given)
    const known = this.#entries.peek(this.#idOfUser.get(user.ID) ?? '')
    const entry = known ?? this.#opened(user, options, true)
    entry.user = user
    this.#idOfUser.set(user.ID, entry.id)
    return this.#renewed(entry)
  }

  /**
   * Copies a session that is open in another process. Its end does not move, and no other session
   * ends to make room for it. A copy that is here already keeps its locks and entity sets.
   */
  adopt({ id, token, user, lifetimeSeconds, expires, ...origin }: Session): Session {
    this.#port.writer.guard()
    const { clock } = this.#port
    const ends = clock.monotonic() + expires - clock.now()
    const facts = { id, token, user, lifetimeSeconds, origin: originOf(origin, NO_ORIGIN), ends }
    const known = this.#entries.peek(id)
    if (known !== undefined) this.#idOfToken.delete(known.token)
    this.#idOfToken.set(token, id)
    // Another entry in the place of the known one would end it.
    return this.#renewed(Object.assign(known ?? {}, { ...facts, isIdentified: false }))
  }

  touch(token: string): Session | undefined {
    const entry = this.#entryOf(token)
    return entry === undefined ? undefined : this.#renewed(entry)
  }
  peek(token: string): Session | undefined {
    const entry = this.#entryOf(token)
    return entry === undefined ? undefined : new OpenSession(this, this.#infoOf(entry), entry.token)
  }

  login(
    token: string | null,
    user: SessionUser,
    options: Omit<SessionOptions, 'user'> = {},
  ): Session {
    checkCallOptions(options, ORIGIN_OPTIONS)
    const owner = userOf(user)
    const known = token === null ? undefined : this.#entryOf(token)
    const entry = known?.isIdentified === true ? undefined : known
    // A user must not inherit the locks and sets of another.
    const isOthers = entry !== undefined && entry.user !== null && entry.user.ID !== owner.ID
    const lifetimeSeconds = this.#lifetimeOf(options)
    if (isOthers) this.#entries.delete(entry.id)
    if (entry === undefined || isOthers) return this.open({ ...options, user: owner })
    if (options.lifetimeSeconds !== undefined) entry.lifetimeSeconds = lifetimeSeconds
    this.#idOfToken.delete(entry.token)
    // A new token: somebody who knew the old one, or planted it, must not get the user's session.
    entry.token = this.#port.ids.token()
    this.#idOfToken.set(entry.token, entry.id)
    entry.user = owner
    this.#anonymous.drop(entry.id)
    entry.origin = originOf(options, entry.origin)
    entry.ends = this.#lastEnd()
    return this.#renewed(entry)
  }

  close(token: string): boolean {
    const entry = this.#entryOf(token)
    return entry !== undefined && this.#entries.delete(entry.id)
  }
  end(id: string): boolean {
    this.#port.writer.guard()
    return this.#entries.delete(String(id).toUpperCase())
  }
  list(): readonly SessionInfo[] {
    this.#port.writer.guard()
    return Array.from(this.#entries.values(), (entry) => this.#infoOf(entry))
  }

  /** The id of an open session of this store; null for anything else. */
  openId(session: unknown): string | null {
    const id = OpenSession.idFor(session, this)
    return id !== null && this.#entries.peek(id) !== undefined ? id : null
  }
  /** The facts of an open session; null if it has ended. */
  infoOf(id: string): SessionInfo | null {
    const entry = this.#entries.peek(id)
    return entry === undefined ? null : this.#infoOf(entry)
  }
  /**
   * The current state of a session. Throws `argumentInvalid` unless it is an open session of this
   * store.
   */
  current(session: unknown): Session {
    const id = OpenSession.idFor(session, this)
    const entry = id === null ? undefined : this.#entries.peek(id)
    // Calls for one user may run side by side with different claims: each keeps its own.
    if (entry?.isIdentified === true) return session as Session
    if (entry !== undefined) return new OpenSession(this, this.#infoOf(entry), entry.token)
    throw sessionRefused(id === null ? 'something else' : 'one that has ended')
  }
  /** Ends all sessions. */
  clear(): void {
    this.#entries.clear()
  }

  /** A new entry, not stored yet. Makes room for it. */
  #opened(user: SessionUser | null, options: SessionOptions, isIdentified: boolean): Entry {
    const lifetimeSeconds = this.#lifetimeOf(options)
    const origin = originOf(options, NO_ORIGIN)
    if (user === null) this.#makeRoomForAnonymous(origin.ipAddress)
    this.#makeRoom(user !== null)
    const { ids } = this.#port
    const id = plainUuid(ids.uuid())
    const token = ids.token()
    this.#idOfToken.set(token, id)
    return { id, token, user, lifetimeSeconds, origin, isIdentified, ends: this.#lastEnd() }
  }

  #entryOf(token: string): Entry | undefined {
    this.#port.writer.guard()
    const id = this.#idOfToken.get(token)
    return id === undefined ? undefined : this.#entries.peek(id)
  }

  #renewed(entry: Entry): Session {
    const left = (entry.ends - this.#port.clock.monotonic()) / 1000
    this.#entries.set(entry.id, entry, Math.min(entry.lifetimeSeconds, left))
    if (entry.user === null) this.#anonymous.use(entry.id, entry.origin.ipAddress)
    return new OpenSession(this, this.#infoOf(entry), entry.token)
  }

  #infoOf({ id, user, lifetimeSeconds, origin }: Entry): SessionInfo {
    const expires = Math.round(this.#port.clock.now() + this.#entries.leftOf(id))
    return Object.freeze({ id, user, lifetimeSeconds, expires, ...origin })
  }

  #lifetimeOf({ lifetimeSeconds }: SessionOptions): number {
    return lifetimeOf(lifetimeSeconds, this.#limits.idleSeconds, this.#limits.maxSeconds)
  }
  #lastEnd(): number {
    return this.#port.clock.monotonic() + this.#limits.maxSeconds * 1000
  }

  /**
   * A new anonymous session pushes out other anonymous ones, those of its own address first: one
   * address must not take all sessions.
   */
  #makeRoomForAnonymous(address: string): void {
    const { maxGuests, maxPerAddress } = this.#limits
    this.#bound(address, maxPerAddress, 'sessions.maxPerAddress')
    this.#bound(null, maxGuests, 'sessions.maxGuests')
  }

  /** Anonymous sessions are pushed out before those of users, and never push out a user's. */
  #makeRoom(isForUser: boolean): void {
    if (!this.#entries.isFull || this.#pushOut(this.#anonymous.idsOf(null))) return
    const ids = Array.from(this.#entries.values(), ({ id }) => id)
    if (!isForUser || !this.#pushOut(ids)) throw this.#full(this.#limits.max, 'sessions.max', ids)
  }

  /** Keeps the anonymous sessions of an address, or all of them, below a number. */
  #bound(address: string | null, max: number, option: string): void {
    const anonymous = this.#anonymous
    if (anonymous.sizeOf(address) < max) return
    // Reading the size ends expired sessions.
    void this.#entries.size
    if (anonymous.sizeOf(address) >= max && !this.#pushOut(anonymous.idsOf(address)))
      throw this.#full(max, option, anonymous.idsOf(address))
  }

  /**
   * Ends the first of these sessions that holds no locks: a session with locks may be in use. False
   * if there is none.
   */
  #pushOut(ids: Iterable<string>): boolean {
    for (const id of ids) if (!this.#held.holdsLocks(id)) return this.#entries.delete(id)
    return false
  }

  #full(limit: number, option: string, ids: Iterable<string>): EntiaError {
    const first = Math.min(...Array.from(ids, (id) => this.#entries.leftOf(id)))
    return serverStateError('tooManySessions', {
      limit,
      option,
      retryAfterSeconds: Math.ceil(first / 1000),
    })
  }
}
