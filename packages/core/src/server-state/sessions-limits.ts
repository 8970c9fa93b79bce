import type { EntitySetLimits, LockLimits, SessionLimits, UploadLimits } from '../model/session-types.ts'
import { type Range, refused } from '../value/check-options.ts'

/** Every bound of sessions, locks, entity sets and uploads. */
export interface SideLimits {
  readonly sessions: Required<SessionLimits>
  readonly locks: Required<LockLimits>
  readonly entitySets: Required<EntitySetLimits>
  readonly uploads: Required<UploadLimits>
}

const MEBIBYTE = 1024 * 1024

const DEFAULT_SIDE_LIMITS: SideLimits = {
  sessions: { idleSeconds: 3600, maxSeconds: 86_400, max: 10_000, maxGuests: 2000, maxPerAddress: 100 },
  locks: { maxPerSession: 1000 },
  entitySets: { max: 10_000, maxPerSession: 100, maxBytes: 256 * MEBIBYTE },
  uploads: { max: 1000, maxBytes: 256 * MEBIBYTE },
}

/** Room for so many entries is taken at once, and a year in microseconds is still a whole number. */
const HIGHEST = { count: 1_000_000, seconds: 365 * 86_400, bytes: Number.MAX_SAFE_INTEGER }

function rangeOf(name: string): Range {
  const highest = name.endsWith('Seconds') ? HIGHEST.seconds : name.endsWith('Bytes') ? HIGHEST.bytes : HIGHEST.count
  return { lowest: 1, highest }
}

/** The limits as options of a store. */
export const SIDE_OPTIONS: { readonly [group: string]: { readonly defaults: object; rangeOf(name: string): Range } } =
  Object.fromEntries(Object.entries(DEFAULT_SIDE_LIMITS).map(([group, defaults]) => [group, { defaults, rangeOf }]))

/** The longest life of anything kept by id, in seconds. */
const MAX_LIFETIME_SECONDS = 86_400

/** A lifetime as a caller gives it, cut to what is allowed. Throws `argumentInvalid` unless it is a number above 0. */
export function lifetimeOf(given: number | undefined, usual: number, highest = MAX_LIFETIME_SECONDS): number {
  const seconds = given ?? usual
  if (typeof seconds === 'number' && seconds > 0) return Math.min(seconds, highest)
  throw refused('lifetimeSeconds', 'a number above 0', String(seconds))
}
