import { checkNames, refused } from '../value/check-options.ts'

/** Options of `openJournal`. */
export interface JournalOptions {
  /** Milliseconds from a commit to its write; null: only `flush` writes. Default 100. */
  readonly flushMilliseconds?: number | null
  /**
   * Compacts when the journal exceeds this many bytes and the size of the last dump; null: only
   * `compact` does. Default 64 MiB.
   */
  readonly compactAboveBytes?: number | null
  /**
   * Called once when a write in the background fails, and when a compaction in the background
   * fails. Default `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

const DEFAULTS: Required<JournalOptions> = {
  flushMilliseconds: 100,
  compactAboveBytes: 64 * 1024 * 1024,
  onError: (error) => console.error(error),
}

/** Completes the options with defaults. Throws `argumentInvalid`. */
export function checkJournalOptions(
  options: JournalOptions,
  defaults: Required<JournalOptions> = DEFAULTS,
): Required<JournalOptions> {
  checkNames(options, Object.keys(defaults))
  const settings = { ...defaults, ...options }
  for (const name of ['flushMilliseconds', 'compactAboveBytes'] as const) {
    const value: unknown = settings[name]
    if (value === null || (typeof value === 'number' && value >= 0 && value <= LARGEST[name]))
      continue
    throw refused(
      `The option ${name}`,
      `null, or a number from 0 to ${LARGEST[name]}`,
      String(value),
    )
  }
  if (typeof settings.onError !== 'function')
    throw refused('The option onError', 'a function', typeof settings.onError)
  return settings
}

const LARGEST = { flushMilliseconds: 2 ** 31 - 1, compactAboveBytes: Number.MAX_SAFE_INTEGER }
