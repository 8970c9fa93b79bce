// The entry @entia/core/browser: a journal in a database of the browser, for pages and workers.
export type { JournalOptions } from '../journal/journal-options.ts'
export type { Journal } from '../journal/store-journal.ts'
export type { BrowserJournal } from './browser-journal.ts'
export type { BrowserJournalOptions, BrowserRole } from './browser-options.ts'
export { deleteBrowserJournal, openBrowserJournal } from './open-browser-journal.ts'
