// The entry @entia/core/node: everything that needs a file system or another part of Node.
export {
  COMMIT_CHANNEL,
  type CommitEvent,
  type DiagnosticsOptions,
  publishDiagnostics,
  QUERY_CHANNEL,
  type QueryEvent,
} from './diagnostics.ts'
export { dumpToFile, openDumpFile } from './dump-file.ts'
export { type Journal, openJournal } from './journal.ts'
export type { JournalOptions } from './journal-options.ts'
