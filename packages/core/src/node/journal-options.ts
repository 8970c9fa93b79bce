import { checkNames, refused } from '../value/check-options.ts'

/** What `openJournal` can be told. */
export interface JournalOptions {
  /** A commit is on its way to the disk so many milliseconds after it was made; null: only when `flush` is called. Default 100. */
  readonly flushMilliseconds?: number | null
  /** The journal is begun anew, with a dump, when it is longer than this, in bytes, and than the dump; null: only when `compact` is called. Default 64 MiB. */
  readonly compactAboveBytes?: number | null
  /** Told once when the journal cannot be written any more, and when it cannot be begun anew by itself. */
  readonly onError?: (error: unknown) => void
}

const DEFAULTS: Required<JournalOptions> = {
  flushMilliseconds: 100,
  compactAboveBytes: 64 * 1024 * 1024,
  onError: (error) => console.error(error),
}

/** The options with defaults for what is not given. Throws `argumentInvalid`. */
export function checkJournalOptions(options: JournalOptions): Required<JournalOptions> {
  checkNames(options, Object.keys(DEFAULTS))
  const settings = { ...DEFAULTS, ...options }
  for (const name of ['flushMilliseconds', 'compactAboveBytes'] as const) {
    const value: unknown = settings[name]
    if (value === null || (typeof value === 'number' && value >= 0 && value <= LARGEST[name])) continue
    throw refused(`The option ${name}`, `null, or a number from 0 to ${LARGEST[name]}`, String(value))
  }
  if (typeof settings.onError !== 'function') throw refused('The option onError', 'a function', typeof settings.onError)
  return settings
}

const LARGEST = { flushMilliseconds: 2 ** 31 - 1, compactAboveBytes: Number.MAX_SAFE_INTEGER }
