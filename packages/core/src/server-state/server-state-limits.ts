import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'
import type {
  EntitySetLimits,
  LockLimits,
  SessionLimits,
  UploadLimits,
} from '../model/session-types.ts'
import { type Range, refused } from '../value/check-options.ts'

/** Limits of sessions, locks, entity sets and uploads. */
export interface ServerStateLimits {
  readonly sessions: Required<SessionLimits>
  readonly locks: Required<LockLimits>
  readonly entitySets: Required<EntitySetLimits>
  readonly uploads: Required<UploadLimits>
}

const MEBIBYTE = 1024 * 1024

const DEFAULTS: ServerStateLimits = {
  sessions: {
    idleSeconds: 3600,
    maxSeconds: 86_400,
    max: 10_000,
    maxGuests: 2000,
    maxPerAddress: 100,
  },
  locks: { maxPerSession: 1000 },
  entitySets: { max: 10_000, maxPerSession: 100, maxBytes: 256 * MEBIBYTE },
  uploads: { max: 1000, maxBytes: 256 * MEBIBYTE },
}

/** The cache allocates its entries at once. A year in microseconds is still a safe integer. */
const HIGHEST = { count: 1_000_000, seconds: 365 * 86_400, bytes: Number.MAX_SAFE_INTEGER }

function rangeOf(name: string): Range {
  const highest = name.endsWith('Seconds')
    ? HIGHEST.seconds
    : name.endsWith('Bytes')
      ? HIGHEST.bytes
      : HIGHEST.count
  return { lowest: 1, highest }
}

/** The limits as options of a store. */
export const SERVER_STATE_OPTIONS = {
  sessions: { defaults: DEFAULTS.sessions, rangeOf },
  locks: { defaults: DEFAULTS.locks, rangeOf },
  entitySets: { defaults: DEFAULTS.entitySets, rangeOf },
  uploads: { defaults: DEFAULTS.uploads, rangeOf },
}

/** The longest life of anything kept by id, in seconds. */
const MAX_LIFETIME_SECONDS = 86_400

/**
 * The given lifetime, at most `highest` seconds. Throws `argumentInvalid` unless it is a number
 * above 0.
 */
export function lifetimeOf(
  given: number | undefined,
  byDefault: number,
  highest = MAX_LIFETIME_SECONDS,
): number {
  const seconds = given ?? byDefault
  if (typeof seconds === 'number' && seconds > 0) return Math.min(seconds, highest)
  throw refused('lifetimeSeconds', 'a number above 0', String(seconds))
}

/** Errors of sessions and locks. */
export const SERVER_STATE_ERRORS: ErrorTexts<'tooManySessions' | 'entityLocked'> = {
  tooManySessions: {
    errCode: 1823,
    message: (d) =>
      `There are ${d.limit} such sessions already, and none that could make room (option "${d.option}").`,
  },
  entityLocked: {
    errCode: 9035,
    message: (d) =>
      `Entity# ${d.key} of the "${d.dataClass}" dataclass is locked by another session.`,
  },
}

export const serverStateError: ErrorFactory<keyof typeof SERVER_STATE_ERRORS> = (
  code,
  details,
  options,
) => new EntiaError(code, details, options, SERVER_STATE_ERRORS[code])
