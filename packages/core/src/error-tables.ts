import { COMMON_ERRORS } from './common-errors.ts'
import { DUMP_ERRORS } from './dump/dump-errors.ts'
import type { CoreErrorDetails, ErrorTexts } from './error-details.ts'
import { FILTER_ERRORS } from './filter/filter-errors.ts'
import { JOURNAL_ERRORS } from './journal/journal-errors.ts'
import { MODEL_ERRORS } from './model/model-invalid.ts'
import { PAST_ERRORS } from './past/past-errors.ts'
import { SELECTION_ERRORS } from './selection/selection-errors.ts'
import { SERVER_STATE_ERRORS } from './server-state/server-state-errors.ts'
import { INDEX_ERRORS } from './storage/index-errors.ts'
import { STORAGE_ERRORS } from './storage/storage-errors.ts'
import { LOAD_ERRORS } from './transaction/load-errors.ts'
import { WRITE_ERRORS } from './transaction/write-errors.ts'
import { SNAPSHOT_ERRORS } from './write/snapshot-errors.ts'
import { STORE_ERRORS } from './write/store-errors.ts'

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
