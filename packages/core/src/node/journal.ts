import { persistenceOf } from '../capability/dumps.ts'
import { JournalFolder } from '../journal/journal-folder.ts'
import { checkJournalOptions, type JournalOptions } from '../journal/journal-options.ts'
import { type Journal, StoreJournal } from '../journal/store-journal.ts'
import type { AnyDataStore } from '../model/store-types.ts'
import { refused } from '../value/check-options.ts'
import { type FolderLock, lockFolder } from './folder-lock.ts'
import { type JournalPorts, nodePorts } from './journal-ports.ts'

/**
 * Keeps a store in a folder, and creates the folder if necessary. The data of the folder replaces
 * the data of the store; if the folder is empty, the store is written to it. From then on every
 * commit is added. Rejects with `dumpInvalid` for files that are damaged, missing or of other
 * dataclasses, with `folderInUse` while another journal has the folder, with `argumentInvalid` for
 * a store that has a journal, and with errors of the system.
 */
export async function openJournal(
  store: AnyDataStore,
  folder: string,
  options: JournalOptions = {},
  ports: JournalPorts = nodePorts,
): Promise<Journal> {
  const settings = checkJournalOptions(options)
  const { files, process } = ports
  const persistence = persistenceOf(store)
  if (persistence.hasJournal)
    throw refused('The store', 'one without a journal', 'one that has a journal already')
  persistence.hasJournal = true
  let lock: FolderLock
  try {
    await files.mkdir(folder)
    lock = await lockFolder(files, folder, process)
  } catch (error) {
    persistence.hasJournal = false
    throw error
  }
  return StoreJournal.open({
    persistence,
    folder: new JournalFolder(folder, files),
    settings,
    pace: ports,
    unlock: () => lock.unlock(),
    checkLock: () => lock.check(),
  })
}
