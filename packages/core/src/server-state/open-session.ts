import type { EntiaError } from '../errors.ts'
import type { Session, SessionInfo, SessionUser } from '../model/session-types.ts'
import { refused } from '../value/check-options.ts'

/** The names of options of sessions: of a login, and of a new session. */
export const ORIGIN_OPTIONS = ['lifetimeSeconds', 'host', 'ipAddress', 'userAgent']
export const SESSION_OPTIONS = ['user', ...ORIGIN_OPTIONS]

/** The origin of a session as its caller reports it. */
export type Origin = Pick<SessionInfo, 'host' | 'ipAddress' | 'userAgent'>

/** The longest text about the origin of a session, in UTF-16 units. */
const ORIGIN_LENGTH = 200

/** A session as one call returned it. `of` identifies the sessions that it belongs to. */
export class OpenSession implements Session {
  readonly id: string
  readonly user: SessionUser | null
  readonly lifetimeSeconds: number
  readonly expires: number
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
  readonly #token: string
  readonly #of: object

  constructor(of: object, info: SessionInfo, token: string) {
    this.id = info.id
    this.user = info.user
    this.lifetimeSeconds = info.lifetimeSeconds
    this.expires = info.expires
    this.host = info.host
    this.ipAddress = info.ipAddress
    this.userAgent = info.userAgent
    this.#token = token
    this.#of = of
    Object.freeze(this)
  }

  get token(): string {
    return this.#token
  }

  static idFor(session: unknown, of: object): string | null {
    if (typeof session !== 'object' || session === null || !(#of in session)) return null
    return session.#of === of ? session.id : null
  }
}

/** The error for a session that cannot be used. */
export const sessionRefused = (found: 'something else' | 'one that has ended'): EntiaError =>
  refused('The session', 'an open session of this store', found)

/** A frozen copy of a user. Throws `argumentInvalid` for anything else. */
export function userOf(user: SessionUser): SessionUser {
  const { ID, userName, fullName, groups, claims } = user ?? {}
  const isWhole =
    [ID, userName, fullName].every((text) => typeof text === 'string') && Array.isArray(groups)
  const hasClaims = claims !== undefined
  const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims)
  if (isWhole && groups.every((group) => typeof group === 'string') && (!hasClaims || isObject)) {
    const known = { ID, userName, fullName, groups: Object.freeze([...groups]) }
    return Object.freeze(hasClaims ? { ...known, claims: Object.freeze({ ...claims }) } : known)
  }
  throw refused(
    'The user',
    'an object of the texts ID, userName and fullName, the list of texts groups, and claims as an object if given',
    'something else',
  )
}

/** The origin as given, with the known one where it is not given. */
export const originOf = (
  given: Partial<Record<keyof Origin, string | undefined>>,
  known: Origin,
): Origin => ({
  host: given.host === undefined ? known.host : shortText(given.host),
  ipAddress: given.ipAddress === undefined ? known.ipAddress : shortText(given.ipAddress),
  userAgent: given.userAgent === undefined ? known.userAgent : shortText(given.userAgent),
})

/**
 * Text from outside, shortened and well-formed. Rebuilt from its characters, because a slice keeps
 * the whole text in memory.
 */
const shortText = (text: string): string =>
  String(text)
    .slice(0, ORIGIN_LENGTH)
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .split('')
    .join('')

/**
 * The sessions without a user, in the order of their use: all of them, and those of each address.
 * Anonymous callers get one each, so they have limits of their own, and no address can push out the
 * sessions of another.
 */
export class AnonymousSessions {
  /** The network address of each caller; '' if unknown. */
  readonly #all = new Map<string, string>()
  readonly #byAddress = new Map<string, Set<string>>()

  /** Of all addresses if `address` is null. */
  sizeOf(address: string | null): number {
    return (address === null ? this.#all : this.#byAddress.get(address))?.size ?? 0
  }

  /** Adds a session, or makes it the most recently used. */
  use(id: string, address: string): void {
    this.drop(id)
    this.#all.set(id, address)
    if (address === '') return
    const ids = this.#byAddress.get(address)
    if (ids === undefined) this.#byAddress.set(address, new Set([id]))
    else ids.add(id)
  }

  drop(id: string): void {
    const address = this.#all.get(id)
    if (address === undefined) return
    this.#all.delete(id)
    const ids = this.#byAddress.get(address)
    ids?.delete(id)
    if (ids?.size === 0) this.#byAddress.delete(address)
  }

  /** Ids, the least recently used first; those of one address, which must have sessions, or all. */
  idsOf(address: string | null): Iterable<string> {
    return address === null ? this.#all.keys() : this.#byAddress.get(address)!
  }
}
