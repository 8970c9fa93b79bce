// The entry @entia/core/node: everything that needs a file system or another part of Node.

export type { JournalOptions } from './persistence/journal/journal-files.ts'
export type { Journal } from './persistence/journal/store-journal.ts'
export {
  COMMIT_CHANNEL,
  type CommitEvent,
  type DiagnosticsOptions,
  publishDiagnostics,
  QUERY_CHANNEL,
  type QueryEvent,
} from './persistence/node/diagnostics.ts'
export { dumpToFile, openDumpFile } from './persistence/node/file-system.ts'
export { openJournal } from './persistence/node/journal.ts'
