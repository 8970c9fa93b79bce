import type { StoreCore } from '../../model/store-types.ts'
import { persistenceOf } from '../../store/capability/persistence.ts'
import { handleOf } from '../../store/kernel/capability.ts'
import { describeFound, refused } from '../../value/check-options.ts'
import {
  type BrowserJournal,
  type BrowserJournalOptions,
  checkBrowserOptions,
  DATABASE_PREFIX,
} from './browser-options.ts'
import { type BrowserPorts, browserPorts } from './ports.ts'
import { TabJournal } from './tab-journal.ts'

/**
 * Keeps a store in a database of the browser (IndexedDB), in a page or a worker. Creates the
 * database if necessary. The data of the database replaces the data of the store; if the database
 * is empty, the store is written to it. From then on every commit is added.
 *
 * The first tab of an origin that opens a name writes. Other tabs follow it: their stores get its
 * commits once they are on the disk, refuse writes of their own (`notWriter`) except through
 * `journal.transact`, and one of them takes over when the writing tab ends.
 *
 * Rejects with `dumpInvalid` for a database that is damaged or of other dataclasses, with
 * `argumentInvalid` for a store that has a journal and where the browser lacks IndexedDB, Web Locks
 * or BroadcastChannel, and with errors of the browser.
 *
 * @example
 * ```ts
 * const journal = await openBrowserJournal(store, 'hr')
 * store.Employee.update(1, { salary: 71_000 })
 * await journal.flush()
 * ```
 */
export async function openBrowserJournal<T>(
  store: StoreCore<T>,
  name: string,
  options: BrowserJournalOptions = {},
  ports: BrowserPorts = browserPorts(),
): Promise<BrowserJournal<T>> {
  checkName(name)
  const settings = checkBrowserOptions(options)
  const { writer } = handleOf(store)
  const persistence = persistenceOf(store)
  if (persistence.hasJournal)
    throw refused('The store', 'one without a journal', 'one that has a journal already')
  persistence.hasJournal = true
  return TabJournal.open({ store, persistence, writer, name, settings, ports })
}

/**
 * Removes the database of a journal, if there is one. Rejects with `argumentInvalid` while a tab
 * has it open, and with errors of the browser.
 *
 * @example
 * ```ts
 * await deleteBrowserJournal('hr')
 * ```
 */
export async function deleteBrowserJournal(
  name: string,
  ports: BrowserPorts = browserPorts(),
): Promise<void> {
  checkName(name)
  const database = `${DATABASE_PREFIX}${name}`
  const release = (await ports.locks.isUsed(database)) ? null : await ports.locks.tryLock(database)
  if (release === null) throw refused(`The journal "${name}"`, 'closed in every tab', 'open')
  try {
    await ports.deleteDatabase(database)
  } finally {
    release()
  }
}

function checkName(name: unknown): void {
  if (typeof name !== 'string' || name === '')
    throw refused('The name of the journal', 'a text', describeFound(name))
}
