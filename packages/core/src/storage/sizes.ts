/** Bounds that keep dumps and journals readable, in bytes of JSON in UTF-8. */
export interface SizeLimits {
  readonly entityBytes: number
  readonly commitBytes: number
}

/**
 * The longest text of V8 has 536 870 888 characters, and an entity of a dump is read as one text.
 * The default is less than half of that, because small updates are not measured.
 */
export const MAX_SIZES: SizeLimits = Object.freeze({
  entityBytes: 256_000_000,
  commitBytes: 2_000_000_000,
})
