/** Time as the store sees it. Nothing else in the store reads a clock. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that never go back, from any origin above 0; for lifetimes and budgets. */
  monotonic(): number
}

/** Where the store takes ids from that nobody can guess. */
export interface Ids {
  /** A new UUID, for stores, entity sets and automatic `uuid` attributes; dashes and case do not matter. */
  uuid(): string
  /** A new secret of at least 128 bits, for sessions. */
  token(): string
}

/** The host's clocks. */
export const defaultClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Ids from the host's cryptographic source. */
export const defaultIds: Ids = {
  uuid: () => crypto.randomUUID(),
  token: () => hexOf(crypto.getRandomValues(new Uint8Array(32))),
}
