import type { Journal } from '../journal/store-journal.ts'
import type { BrowserRole } from './browser-options.ts'

/**
 * Keeps the commits of a store in a database of the browser. Of the tabs that open the same one,
 * one writes and the others follow. `T` is what the body of a transaction writes through.
 */
export interface BrowserJournal<T> extends Journal {
  readonly role: BrowserRole
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
