// The door of @entia/core/node: what needs a file system.
export { dumpToFile, openDumpFile } from './dump-file.ts'
export { type Journal, openJournal } from './journal.ts'
export type { JournalOptions } from './journal-options.ts'
