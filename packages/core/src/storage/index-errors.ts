import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of creating and dropping indexes. */
export const INDEX_ERRORS: ErrorTexts<'indexInvalid'> = {
  indexInvalid: {
    errCode: 9058,
    message: (d) => `The index on "${d.attribute}" of the "${d.dataClass}" dataclass: ${d.problem}`,
  },
}

export const indexError: ErrorFactory<keyof typeof INDEX_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, INDEX_ERRORS[code])
