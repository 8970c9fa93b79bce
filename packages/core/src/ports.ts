/** Time as the store sees it. Nothing else in the store reads a clock. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that never go back, from any origin above 0; for lifetimes and budgets. */
  monotonic(): number
  /**
   * Milliseconds of processor time of this process, from any origin. With it, the budget of a read
   * does not count the time of other processes. Takes a system call.
   */
  processor?(): number
}

/** The source of ids that cannot be guessed. */
export interface Ids {
  /**
   * A new UUID, for stores, entity sets and automatic `uuid` attributes; dashes and case do not
   * matter.
   */
  uuid(): string
  /** A new secret of at least 128 bits, for sessions. */
  token(): string
}

/** The part of Node's `process` that is used if present. */
interface ProcessorTimes {
  cpuUsage?(): { readonly user: number; readonly system: number }
}
const times = (globalThis as { readonly process?: ProcessorTimes }).process

/** The host's clocks. */
export const defaultClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  ...(typeof times?.cpuUsage === 'function' && {
    processor: () => {
      const { user, system } = times.cpuUsage!()
      return (user + system) / 1000
    },
  }),
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * A random UUID of version 4, for hosts that create none, such as browsers on pages of insecure
 * origins.
 */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return hexOf(bytes)
}

/** Ids from the host's cryptographic source. */
export const defaultIds: Ids = {
  uuid: () => ('randomUUID' in crypto ? crypto.randomUUID() : randomUuid()),
  token: () => hexOf(crypto.getRandomValues(new Uint8Array(32))),
}
