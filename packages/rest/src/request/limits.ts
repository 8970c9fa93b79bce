import { EntiaError } from '@entia/core'

/** Upper bounds of what one request may ask for. Each is an option; over it the request is refused and the option named. */
export interface Limits {
  /** Characters of the address, parameters included. */
  readonly maxUrlCharacters: number
  /** Bytes of a JSON body. */
  readonly maxBodyBytes: number
  /** Bytes of an image or BLOB that is sent. */
  readonly maxMediaBytes: number
  /** Bytes of all bodies that are arriving or being carried out, together. */
  readonly maxPendingBodyBytes: number
  /** Reads of more than one time slice that wait for others to end. */
  readonly maxWaitingReads: number
  /** Nesting of a value in a JSON body, and of `$params`. The body's own levels, array and entity, are not counted. */
  readonly maxJsonDepth: number
  /** Entities in one body. */
  readonly maxItems: number
  /** Entities that are saved or deleted together: they are written in one turn of the event loop. */
  readonly maxAtomicItems: number
  /** Entities that deletions of one transaction take along or change by `onDelete`: they are written in one turn of the event loop. */
  readonly maxCascade: number
  /** Characters of `$filter`. */
  readonly maxFilterCharacters: number
  readonly maxParams: number
  /** Terms of an order. */
  readonly maxSortKeys: number
  /** Paths of `$attributes` or `$expand`. */
  readonly maxAttributePaths: number
  /** Names in one path of them. */
  readonly maxPathDepth: number
  /** Entities of a page without `$top`, and of an expanded relation. Never above `maxTop`. */
  readonly defaultTop: number
  /** `$top` above it is cut to it. */
  readonly maxTop: number
  /** Entities in one answer, expanded ones included. */
  readonly maxEntitiesPerAnswer: number
  /** Seconds an entity set may live without being read: `$timeout` above it is cut to it. */
  readonly maxSetLifetimeSeconds: number
  /** Characters of one answer. */
  readonly maxAnswerCharacters: number
}

/** The limits with what was given of them. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  // Without what is `undefined`: it must not hide a default.
  const known = Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined))
  const limits: Limits = { ...DEFAULT_LIMITS, ...known }
  return Object.freeze({ ...limits, defaultTop: Math.min(limits.defaultTop, limits.maxTop) })
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxUrlCharacters: 16_384,
  maxBodyBytes: 1_048_576,
  maxMediaBytes: 16_777_216,
  maxPendingBodyBytes: 67_108_864,
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

/** The refusal of what exceeds a limit; `what` names the things that are counted. */
export function overLimit(what: string, option: keyof Limits, limit: number): EntiaError {
  return new EntiaError('budgetExceeded', { what, limit, option: `limits.${option}` })
}
