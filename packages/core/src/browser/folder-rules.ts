import type { FolderRules } from '../journal/journal-folder.ts'

/**
 * The rules of a journal in a database, which no person can repair by hand: it does not spend quota
 * on the generation before.
 */
export function folderRules(database: string): FolderRules {
  const name = database.slice(DATABASE_PREFIX.length)
  const remedy = `A database of a browser cannot be repaired by hand: remove it (deleteBrowserJournal("${name}")) and take the data from a dump or from your back end.`
  const always = (): string => remedy
  return {
    keepsPrevious: false,
    remedies: {
      fromBackup: remedy,
      changedNote: remedy,
      shortJournal: always,
      damagedDump: always,
      damagedJournal: always,
      goBack: always,
      remove: always,
    },
  }
}

/** Databases, locks and channels of journals begin with it. */
export const DATABASE_PREFIX = 'entia:'
