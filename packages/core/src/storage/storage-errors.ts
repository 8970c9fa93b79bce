import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of what the tables and the history can hold. */
export const STORAGE_ERRORS: ErrorTexts<'historyTrimmed' | 'entityTooLarge' | 'commitTooLarge'> = {
  historyTrimmed: {
    errCode: 9050,
    message: (d) =>
      `The history no longer reaches back to global stamp ${d.requested}; the oldest kept is ${d.oldest}. Raise the option "history", read earlier, or call settle() on a selection that you hold.`,
  },
  entityTooLarge: {
    errCode: 9066,
    message: (d) =>
      `The entity with the key "${d.key}" of the "${d.dataClass}" dataclass takes ${d.bytes} bytes; the limit is ${d.limit} (option "sizes.entityBytes"). Keep large values in entities or files of their own.`,
  },
  commitTooLarge: {
    errCode: 9067,
    message: (d) =>
      `The commit takes ${d.bytes} bytes; the limit is ${d.limit} (option "sizes.commitBytes"). Write the entities in several transactions.`,
  },
}

export const storageError: ErrorFactory<keyof typeof STORAGE_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, STORAGE_ERRORS[code])

/** Errors of creating and dropping indexes. */
export const INDEX_ERRORS: ErrorTexts<'indexInvalid'> = {
  indexInvalid: {
    errCode: 9058,
    message: (d) => `The index on "${d.attribute}" of the "${d.dataClass}" dataclass: ${d.problem}`,
  },
}

export const indexError: ErrorFactory<keyof typeof INDEX_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, INDEX_ERRORS[code])
