import type { CoreErrorDetails, ErrorTexts } from './error-details.ts'
import { COMMON_ERRORS } from './errors.ts'
import { FILTER_ERRORS } from './filter/filter-errors.ts'
import { MODEL_ERRORS } from './model/names.ts'
import { JOURNAL_ERRORS } from './persistence/journal/journal-errors.ts'
import { SELECTION_ERRORS } from './query/selection-port.ts'
import { SERVER_STATE_ERRORS } from './server-state/server-state-limits.ts'
import { INDEX_ERRORS, STORAGE_ERRORS } from './storage/stored-key.ts'
import { DUMP_ERRORS } from './store/dump/line-writer.ts'
import { PAST_ERRORS } from './view/past-store.ts'
import { LOAD_ERRORS, SNAPSHOT_ERRORS, STORE_ERRORS, WRITE_ERRORS } from './write/write-errors.ts'

/**
 * The texts of all codes of this package, for tests and for the reference page. No module of the
 * engine imports this file: a program that does carries every text.
 */
export const CORE_ERRORS: ErrorTexts<keyof CoreErrorDetails> = {
  ...COMMON_ERRORS,
  ...MODEL_ERRORS,
  ...FILTER_ERRORS,
  ...WRITE_ERRORS,
  ...LOAD_ERRORS,
  ...STORAGE_ERRORS,
  ...SELECTION_ERRORS,
  ...STORE_ERRORS,
  ...SNAPSHOT_ERRORS,
  ...INDEX_ERRORS,
  ...SERVER_STATE_ERRORS,
  ...PAST_ERRORS,
  ...DUMP_ERRORS,
  ...JOURNAL_ERRORS,
}
