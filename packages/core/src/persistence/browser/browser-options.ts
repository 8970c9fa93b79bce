import { refused } from '../../value/check-options.ts'
import { checkJournalOptions, type JournalOptions } from '../journal/journal-files.ts'
import type { FolderRules } from '../journal/journal-folder.ts'
import type { Journal } from '../journal/store-journal.ts'

/** Bytes without the rest of their buffer, which a structured clone would copy too. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()

/**
 * What a tab does: one tab of an origin writes the journal, the others follow it. `closed` after
 * `close`, and after a failed take-over.
 */
export type BrowserRole = 'writer' | 'follower' | 'closed'

/** Options of `openBrowserJournal`. */
export interface BrowserJournalOptions extends JournalOptions {
  /**
   * Milliseconds from a commit to its write; null: only `flush` writes. Default 0: a tab can end at
   * any moment, and commits made during a write share the next one.
   */
  readonly flushMilliseconds?: number | null
  /**
   * Compacts when the journal exceeds this many bytes and the size of the last dump; null: only
   * `compact` does. Default 8 MiB.
   */
  readonly compactAboveBytes?: number | null
  /**
   * Called once when a write in the background fails, when a compaction in the background fails,
   * when this tab cannot follow or take over, and with `journalRemoved` when the user clears the
   * data of the site. Default `console.error`.
   */
  readonly onError?: (error: unknown) => void
  /** Called when the role of this tab changes after `openBrowserJournal` has resolved. */
  readonly onRole?: (role: BrowserRole) => void
}

export type BrowserSettings = Required<BrowserJournalOptions>

/** Completes the options with defaults. Throws `argumentInvalid`. */
export function checkBrowserOptions(options: BrowserJournalOptions): BrowserSettings {
  const { onRole = () => undefined, ...others } = options ?? {}
  if (typeof onRole !== 'function') throw refused('The option onRole', 'a function', typeof onRole)
  return {
    ...checkJournalOptions(others, {
      flushMilliseconds: 0,
      compactAboveBytes: 8 * 1024 * 1024,
      onError: (error) => console.error(error),
    }),
    onRole,
  }
}

/**
 * The rules of a journal in a database, which no person can repair by hand: it does not spend quota
 * on the generation before.
 */
export function folderRules(database: string): FolderRules {
  const name = database.slice(DATABASE_PREFIX.length)
  return {
    keepsPrevious: false,
    remedy: `A database of a browser cannot be repaired by hand: remove it (deleteBrowserJournal("${name}")) and take the data from a dump or from your back end.`,
  }
}

/** Databases, locks and channels of journals begin with it. */
export const DATABASE_PREFIX = 'entia:'

/**
 * Keeps the commits of a store in a database of the browser. Of the tabs that open the same one,
 * one writes and the others follow. `T` is what the body of a transaction writes through.
 */
export interface BrowserJournal<T> extends Journal {
  readonly role: BrowserRole
  /**
   * Why the journal is `closed` although the program has not closed it: a take-over failed, or the
   * user has cleared the data of the site. Null otherwise.
   */
  readonly error: Error | null
  /**
   * Runs a transaction in any tab, and resolves to its result once the commit is on the disk and
   * in this store. In a tab that follows, the body runs here with its checks and hooks, and the tab
   * that writes commits the result; if another commit comes first, the body runs again. So it must
   * change nothing outside of the store. Rejects with the errors of the transaction, with
   * `journalFailed`, with `notWriter` if the writing tab did not keep the commit, and with
   * `outcomeUnknown` if it may still be kept: read the store before you run it again.
   */
  transact<R>(body: (tx: T) => R extends PromiseLike<unknown> ? never : R): Promise<R>
  /** As in files. In a tab that follows it resolves at once: everything there is on the disk. */
  flush(): Promise<void>
  /** As in files. Rejects with `notWriter` in a tab that follows. */
  compact(): Promise<void>
  /** As in files. A tab that follows takes over. */
  close(): Promise<void>
}
