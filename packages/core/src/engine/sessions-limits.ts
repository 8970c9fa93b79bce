import { EntiaError } from '../errors.ts'
import type { EntitySetLimits, LockLimits, SessionLimits, UploadLimits } from '../model/session-types.ts'

/** Every bound of sessions, locks, entity sets and uploads. */
export interface SideLimits {
  readonly sessions: Required<SessionLimits>
  readonly locks: Required<LockLimits>
  readonly entitySets: Required<EntitySetLimits>
  readonly uploads: Required<UploadLimits>
}

const MEBIBYTE = 1024 * 1024

export const DEFAULT_SIDE_LIMITS: SideLimits = {
  sessions: { idleSeconds: 3600, maxSeconds: 86_400, max: 10_000, maxGuests: 2000, maxPerAddress: 100 },
  locks: { maxPerSession: 1000 },
  entitySets: { max: 10_000, maxPerSession: 100, maxBytes: 256 * MEBIBYTE },
  uploads: { max: 1000, maxBytes: 256 * MEBIBYTE },
}

/** Room for so many entries is taken at once, and a year in microseconds is still a whole number. */
const HIGHEST = { count: 1_000_000, seconds: 365 * 86_400, bytes: Number.MAX_SAFE_INTEGER }

/** The limits with defaults for what is not given. Throws `argumentInvalid` for unknown names and for wrong numbers. */
export function sideLimits(options: { readonly [group in keyof SideLimits]?: object | undefined }): SideLimits {
  return {
    sessions: checked('sessions', DEFAULT_SIDE_LIMITS.sessions, options.sessions),
    locks: checked('locks', DEFAULT_SIDE_LIMITS.locks, options.locks),
    entitySets: checked('entitySets', DEFAULT_SIDE_LIMITS.entitySets, options.entitySets),
    uploads: checked('uploads', DEFAULT_SIDE_LIMITS.uploads, options.uploads),
  }
}

function checked<T extends object>(group: string, defaults: T, given: object = {}): T {
  if (typeof given !== 'object' || given === null) throw refused(`The option "${group}"`, 'an object', String(given))
  const names = Object.keys(defaults)
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) {
      throw refused(`The option ${group}."${name}"`, `one of ${names.join(', ')}`, 'an unknown one')
    }
    const highest = name.endsWith('Seconds') ? HIGHEST.seconds : name.endsWith('Bytes') ? HIGHEST.bytes : HIGHEST.count
    if (!(Number.isInteger(value) && value >= 1 && value <= highest)) {
      throw refused(`The option ${group}.${name}`, `a whole number from 1 to ${highest}`, String(value))
    }
  }
  return { ...defaults, ...given }
}

const refused = (argument: string, expected: string, found: string): EntiaError =>
  new EntiaError('argumentInvalid', { argument, expected, found })

/** The longest life of anything kept by id, in seconds. */
const MAX_LIFETIME_SECONDS = 86_400

/** A lifetime as a caller gives it, cut to what is allowed. Throws `argumentInvalid` unless it is a number above 0. */
export function lifetimeOf(given: number | undefined, usual: number, highest = MAX_LIFETIME_SECONDS): number {
  const seconds = given ?? usual
  if (typeof seconds === 'number' && seconds > 0) return Math.min(seconds, highest)
  throw refused('lifetimeSeconds', 'a number above 0', String(seconds))
}
