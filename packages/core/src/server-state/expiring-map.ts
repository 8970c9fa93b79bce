import { LRUCache } from 'lru-cache'
import type { Clock } from '../ports.ts'

export interface ExpiringMapOptions<V extends object> {
  /** Entries at most; the least recently used make room. */
  readonly max: number
  /** Bytes at most, where entries tell theirs. */
  readonly maxBytes?: number
  /** Called when an entry is gone, for whatever reason. It may not change this map. */
  readonly gone?: (value: V) => void
}

/**
 * Values kept for a lifetime each, by the monotonic clock; the least recently used go first when there are too many. There
 * are no timers: an expired entry is gone for whoever looks, and `gone` hears of it when somebody does.
 */
export class ExpiringMap<V extends object> {
  readonly #clock: Clock
  readonly #options: ExpiringMapOptions<V>
  /** Made when first needed: it takes room for `max` entries at once. */
  #cache: LRUCache<string, V> | null = null
  /** Nothing expires before this instant of `#now`: reads renew lifetimes, so it may be too early, but never too late. */
  #firstEnd = Number.POSITIVE_INFINITY

  constructor(clock: Clock, options: ExpiringMapOptions<V>) {
    this.#clock = clock
    this.#options = options
  }

  /** Entries that have not expired. O(1), or O(n) where some may have. */
  get size(): number {
    this.#sweep()
    return this.#cache?.size ?? 0
  }
  /** True when the next new entry would push out another, expired ones not counted. O(1), or O(n) where some may have expired. */
  get isFull(): boolean {
    return this.#cache !== null && this.#cache.size >= this.#options.max && this.size >= this.#options.max
  }

  /** Renews the entry's lifetime and makes it the most recently used. */
  get(key: string): V | undefined {
    return this.#cache?.get(key)
  }
  /** As `get`, renewing nothing. */
  peek(key: string): V | undefined {
    const value = this.#cache?.peek(key)
    // The cache hides an expired entry here, but keeps it.
    if (value === undefined) this.#cache?.delete(key)
    return value
  }
  /** True when a new entry of so many bytes would push out others, some of which may have expired. O(1). */
  isTight(bytes = 0): boolean {
    const { max, maxBytes = Number.POSITIVE_INFINITY } = this.#options
    return this.#cache !== null && (this.#cache.size >= max || this.#cache.calculatedSize + sizeOf(bytes) > maxBytes)
  }
  /** Keeps a value, which begins its lifetime. `bytes` must not be above `maxBytes`. O(1), or O(n) where room is tight and some may have expired. */
  set(key: string, value: V, lifetimeSeconds: number, bytes = 0): void {
    this.#cache ??= this.#create()
    // The cache pushes out the least recently used, also where others have expired.
    if (this.isTight(bytes) && !this.#cache.has(key)) this.#sweep()
    // The cache ends a life when its age is above this number, and takes 0 for "never".
    const ttl = Math.max(1, Math.ceil(lifetimeSeconds * 1_000_000) - 1)
    this.#firstEnd = Math.min(this.#firstEnd, this.#now() + ttl + 1)
    this.#cache.set(key, value, this.#options.maxBytes === undefined ? { ttl } : { ttl, size: sizeOf(bytes) })
  }
  delete(key: string): boolean {
    return this.peek(key) !== undefined && this.#cache?.delete(key) === true
  }
  clear(): void {
    this.#cache?.clear()
  }

  /** Milliseconds until an entry expires; 0 for one that is not there. */
  leftOf(key: string): number {
    const left = this.#cache?.getRemainingTTL(key) ?? 0
    return left <= 0 ? 0 : (left + 1) / 1000
  }
  /** What has not expired, the least recently used first. Do not change the map before the end of the loop. */
  *values(): IterableIterator<V> {
    if (this.#cache === null) return
    this.#sweep()
    for (const value of this.#cache.rvalues()) if (value !== undefined) yield value
  }

  /**
   * Whole microseconds, so that a lifetime can end at an instant and not just after it. The cache takes 0 for "no start", so a clock that
   * begins there is moved on by one.
   */
  #now(): number {
    return Math.floor(this.#clock.monotonic() * 1000) + 1
  }

  /** Drops what has expired. */
  #sweep(): void {
    const cache = this.#cache
    const now = this.#now()
    if (cache === null || now < this.#firstEnd) return
    cache.purgeStale()
    this.#firstEnd = Number.POSITIVE_INFINITY
    for (const key of cache.keys()) this.#firstEnd = Math.min(this.#firstEnd, now + cache.getRemainingTTL(key) + 1)
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

/** The cache knows no size of 0. */
const sizeOf = (bytes: number): number => Math.max(1, bytes)
