import { EntiaError } from '@entia/core'

/**
 * Limits of a request. Each is an option; a request beyond it is refused with the name of the
 * option.
 */
export interface Limits {
  /** Characters of the address, including parameters. */
  readonly maxUrlCharacters: number
  /** Bytes of a JSON body. */
  readonly maxBodyBytes: number
  /** Bytes of an image or BLOB in a request. */
  readonly maxMediaBytes: number
  /** Bytes of all bodies that are arriving or being processed, together. */
  readonly maxPendingBodyBytes: number
  /** Bytes of all answers above 64 KiB that are rendered or wait for their clients, together. */
  readonly maxPendingAnswerBytes: number
  /** Seconds after which a connection that takes nothing of such an answer is closed. */
  readonly maxStalledAnswerSeconds: number
  /** Reads of several time slices that wait for others. */
  readonly maxWaitingReads: number
  /**
   * Levels of nesting of a value in a JSON body, and of `$params`. The body's own levels, array and
   * entity, are not counted.
   */
  readonly maxJsonDepth: number
  /** Entities in one body. */
  readonly maxItems: number
  /** Entities that are saved or deleted in one transaction, which blocks the event loop. */
  readonly maxAtomicItems: number
  /**
   * Entities that `onDelete` rules remove or change in one transaction, which blocks the event
   * loop.
   */
  readonly maxCascade: number
  /** Characters of `$filter`, and of `$search`. */
  readonly maxFilterCharacters: number
  readonly maxParams: number
  /** Terms of an order. */
  readonly maxSortKeys: number
  /** Paths of `$attributes` or `$expand`. */
  readonly maxAttributePaths: number
  /** Names in one such path. */
  readonly maxPathDepth: number
  /** Entities of a page without `$top`, and of an expanded relation. Never above `maxTop`. */
  readonly defaultTop: number
  /** The largest `$top`; larger ones are reduced to it. */
  readonly maxTop: number
  /** Entities in one answer, including expanded ones. */
  readonly maxEntitiesPerAnswer: number
  /** Seconds that an unused entity set lives; a larger `$timeout` is reduced to it. */
  readonly maxSetLifetimeSeconds: number
  /** Characters of one answer. */
  readonly maxAnswerCharacters: number
}

/** The limits, with defaults for those that are not given. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  // An `undefined` limit must not hide a default.
  const known = Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined))
  const limits: Limits = { ...DEFAULT_LIMITS, ...known }
  return Object.freeze({ ...limits, defaultTop: Math.min(limits.defaultTop, limits.maxTop) })
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxUrlCharacters: 16_384,
  maxBodyBytes: 1_048_576,
  maxMediaBytes: 16_777_216,
  maxPendingBodyBytes: 67_108_864,
  maxPendingAnswerBytes: 67_108_864,
  maxStalledAnswerSeconds: 60,
  maxWaitingReads: 256,
  maxJsonDepth: 64,
  maxItems: 10_000,
  maxAtomicItems: 2_000,
  maxCascade: 10_000,
  maxFilterCharacters: 8_192,
  maxParams: 256,
  maxSortKeys: 16,
  maxAttributePaths: 64,
  maxPathDepth: 8,
  defaultTop: 100,
  maxTop: 10_000,
  maxEntitiesPerAnswer: 50_000,
  maxSetLifetimeSeconds: 86_400,
  maxAnswerCharacters: 16_777_216,
})

/** Refuses what exceeds a limit; `what` names the things that are counted. */
export function refuseOver<O extends keyof Limits>(
  count: number,
  what: string,
  option: O,
  { [option]: limit }: Pick<Limits, O>,
): void {
  if (count <= limit) return
  throw new EntiaError('budgetExceeded', { what, limit, option: `limits.${option}` })
}
