/** How much a store takes, so that dumps and journals can hold it and read it again. Bytes as JSON in UTF-8. */
export interface SizeLimits {
  readonly entityBytes: number
  readonly commitBytes: number
}

/**
 * The longest text that V8 makes has 536 870 888 characters, and an entity of a dump is read as one text. The default is less than half of it,
 * because updates by small values are not measured.
 */
export const MAX_SIZES: SizeLimits = Object.freeze({ entityBytes: 256_000_000, commitBytes: 2_000_000_000 })
