// The entry @entia/core/node: everything that needs a file system or another part of Node.

export type { JournalOptions } from '../journal/journal-options.ts'
export type { Journal } from '../journal/store-journal.ts'
export {
  COMMIT_CHANNEL,
  type CommitEvent,
  type DiagnosticsOptions,
  publishDiagnostics,
  QUERY_CHANNEL,
  type QueryEvent,
} from './diagnostics.ts'
export { dumpToFile, openDumpFile } from './dump-file.ts'
export { openJournal } from './journal.ts'
