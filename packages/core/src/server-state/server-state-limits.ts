import { LRUCache } from 'lru-cache'
import { EntiaError, type ErrorFactory, type ErrorTexts, overBudget } from '../errors.ts'
import type {
  EntitySetLimits,
  LockLimits,
  SessionLimits,
  UploadLimits,
} from '../model/session-types.ts'
import type { Clock, Ids } from '../ports.ts'
import type { Table } from '../storage/table.ts'
import { checkCallOptions, describeFound, type Range, refused } from '../value/check-options.ts'
import { isMedia, type Media } from '../value/types.ts'
import type { Writer } from '../write/writer.ts'

// What keeps server state bounded: limits, errors, and maps whose entries expire.

/** What the server state needs from the store. */
export interface ServerStatePort {
  readonly clock: Clock
  readonly ids: Ids
  readonly writer: Writer
  /** Throws `dataClassNotFound`. */
  table(dataClass: string): Table
}

/** Limits of sessions, locks, entity sets and uploads. */
export interface ServerStateLimits {
  readonly sessions: Required<SessionLimits>
  readonly locks: Required<LockLimits>
  readonly entitySets: Required<EntitySetLimits>
  readonly uploads: Required<UploadLimits>
}

const MEBIBYTE = 1024 * 1024

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
  sessions: {
    defaults: {
      idleSeconds: 3600,
      maxSeconds: 86_400,
      max: 10_000,
      maxGuests: 2000,
      maxPerAddress: 100,
    },
    rangeOf,
  },
  locks: { defaults: { maxPerSession: 1000 }, rangeOf },
  entitySets: {
    defaults: { max: 10_000, maxPerSession: 100, maxBytes: 256 * MEBIBYTE },
    rangeOf,
  },
  uploads: { defaults: { max: 1000, maxBytes: 256 * MEBIBYTE }, rangeOf },
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

/** The lifetime of a set that is not read. */
export const setLifetimeOf = (given: number | undefined): number => lifetimeOf(given, 7200)

/** Counted for each member of a set: see `Selection.kept`. */
export const BYTES_PER_MEMBER = 8

/** The error for a set that does not fit. */
export const setTooLarge = (maxBytes: number): EntiaError =>
  overBudget('bytes of an entity set', maxBytes, 'entitySets.maxBytes')

/** The error for an id of a set that another session owns. */
export const setIdTaken = (): EntiaError =>
  refused('The id', 'one that is free', 'that of a set of another session')

/** The id of a set that a caller gave. Throws `argumentInvalid`. */
export function setIdOf(given: string): string {
  const id = String(given).toUpperCase()
  if (/^[0-9A-F]{32}$/.test(id)) return id
  throw refused('The id', '32 hexadecimal digits', `"${id.slice(0, 40)}"`)
}

/** How long an upload waits for the write that uses it. */
const MEDIA_LIFETIME_SECONDS = 120

export interface MediaOptions {
  readonly lifetimeSeconds?: number | undefined
}

/** The lifetime of an upload in seconds. Throws `budgetExceeded`, `argumentInvalid`. */
export function checkMedia(media: Media, options: MediaOptions, maxBytes: number): number {
  checkCallOptions(options, ['lifetimeSeconds'])
  if (!isMedia(media)) throw refused('The upload', 'a value of createMedia', describeFound(media))
  const seconds = lifetimeOf(options.lifetimeSeconds, MEDIA_LIFETIME_SECONDS)
  if (media.size > maxBytes) throw overBudget('bytes of an upload', maxBytes, 'uploads.maxBytes')
  return seconds
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

interface ExpiringMapOptions<V extends object> {
  /** Maximum number of entries; the least recently used make room. */
  readonly max: number
  /** Maximum of all `bytes` that entries are set with. */
  readonly maxBytes?: number
  /** Called after an entry left the map, for any reason. It must not change this map. */
  readonly gone?: (value: V) => void
}

/**
 * A map whose entries expire by the monotonic clock. When there are too many, the least recently
 * used ones are dropped. There are no timers: reading never returns an expired entry, and `gone` is
 * called when the map is next used.
 */
export class ExpiringMap<V extends object> {
  readonly #clock: Clock
  readonly #options: ExpiringMapOptions<V>
  /** Created with the first entry, because it allocates `max` entries at once. */
  #cache: LRUCache<string, V> | null = null
  /**
   * No entry expires before this time of `#now`. Reads renew lifetimes, so it may be too early, but
   * never too late.
   */
  #firstEnd = Number.POSITIVE_INFINITY

  constructor(clock: Clock, options: ExpiringMapOptions<V>) {
    this.#clock = clock
    this.#options = options
  }

  /** Entries that have not expired. O(1), or O(n) if some may have expired. */
  get size(): number {
    this.#sweep()
    return this.#cache?.size ?? 0
  }
  /**
   * True if a new entry would push out one that has not expired. O(1), or O(n) if some may have
   * expired.
   */
  get isFull(): boolean {
    return (
      this.#cache !== null &&
      this.#cache.size >= this.#options.max &&
      this.size >= this.#options.max
    )
  }

  /** Renews the entry's lifetime and makes it the most recently used. */
  get(key: string): V | undefined {
    return this.#cache?.get(key)
  }
  /** As `get`, without renewing the lifetime. */
  peek(key: string): V | undefined {
    const value = this.#cache?.peek(key)
    // The cache hides an expired entry but does not delete it.
    if (value === undefined) this.#cache?.delete(key)
    return value
  }
  /** True if a new entry of that size would push out others, expired or not. O(1). */
  isTight(bytes = 0): boolean {
    const { max, maxBytes = Number.POSITIVE_INFINITY } = this.#options
    return (
      this.#cache !== null &&
      (this.#cache.size >= max || this.#cache.calculatedSize + sizeOf(bytes) > maxBytes)
    )
  }
  /**
   * Stores a value and starts its lifetime. `bytes` must not exceed `maxBytes`. O(1), or O(n) if
   * the map is full and some entries may have expired.
   */
  set(key: string, value: V, lifetimeSeconds: number, bytes = 0): void {
    this.#cache ??= this.#create()
    // The cache would push out the least recently used entry even if others have expired.
    if (this.isTight(bytes) && !this.#cache.has(key)) this.#sweep()
    // The cache drops an entry when its age exceeds this number. It takes 0 for "never".
    const ttl = Math.max(1, Math.ceil(lifetimeSeconds * 1_000_000) - 1)
    this.#firstEnd = Math.min(this.#firstEnd, this.#now() + ttl + 1)
    this.#cache.set(
      key,
      value,
      this.#options.maxBytes === undefined ? { ttl } : { ttl, size: sizeOf(bytes) },
    )
  }
  delete(key: string): boolean {
    return this.peek(key) !== undefined && this.#cache?.delete(key) === true
  }
  clear(): void {
    this.#cache?.clear()
  }

  /** Milliseconds until an entry expires; 0 if there is none. */
  leftOf(key: string): number {
    const left = this.#cache?.getRemainingTTL(key) ?? 0
    return left <= 0 ? 0 : (left + 1) / 1000
  }
  /**
   * Values that have not expired, the least recently used first. Do not change the map during the
   * iteration.
   */
  *values(): IterableIterator<V> {
    if (this.#cache === null) return
    this.#sweep()
    for (const value of this.#cache.rvalues()) if (value !== undefined) yield value
  }

  /**
   * Whole microseconds, so that a lifetime can end at an exact time and not just after it. The
   * cache takes 0 for "no start", so one is added.
   */
  #now(): number {
    return Math.floor(this.#clock.monotonic() * 1000) + 1
  }

  /** Drops expired entries. */
  #sweep(): void {
    const cache = this.#cache
    const now = this.#now()
    if (cache === null || now < this.#firstEnd) return
    cache.purgeStale()
    this.#firstEnd = Number.POSITIVE_INFINITY
    for (const key of cache.keys())
      this.#firstEnd = Math.min(this.#firstEnd, now + cache.getRemainingTTL(key) + 1)
  }

  #create(): LRUCache<string, V> {
    const { max, maxBytes, gone } = this.#options
    return new LRUCache<string, V>({
      max,
      ...(maxBytes === undefined ? {} : { maxSize: maxBytes }),
      perf: { now: () => this.#now() },
      ttlResolution: 0,
      updateAgeOnGet: true,
      ...(gone === undefined ? {} : { disposeAfter: (value: V) => gone(value) }),
    })
  }
}

/** The cache does not allow a size of 0. */
const sizeOf = (bytes: number): number => Math.max(1, bytes)
