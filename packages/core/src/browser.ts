// The entry @entia/core/browser: a journal in a database of the browser, for pages and workers.

export type {
  BrowserJournal,
  BrowserJournalOptions,
  BrowserRole,
} from './persistence/browser/browser-options.ts'
export {
  deleteBrowserJournal,
  openBrowserJournal,
} from './persistence/browser/open-browser-journal.ts'
export type { JournalOptions } from './persistence/journal/journal-files.ts'
export type { Journal } from './persistence/journal/store-journal.ts'
