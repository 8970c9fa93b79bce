import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of bulk loads. */
export const LOAD_ERRORS: ErrorTexts<'loadRefused'> = {
  loadRefused: {
    errCode: 9042,
    message: ({ dataClass, rowNumber, problem, stored = 0 }) =>
      stored === 0
        ? `Nothing was loaded into the "${dataClass}" dataclass: row ${rowNumber} is refused. ${problem}`
        : `Row ${rowNumber} of a load into the "${dataClass}" dataclass is refused; the ${stored} rows of its earlier commits are stored. ${problem}`,
  },
}

export const loadError: ErrorFactory<keyof typeof LOAD_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, LOAD_ERRORS[code])
