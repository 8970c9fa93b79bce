import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of bulk loads. */
export const LOAD_ERRORS: ErrorTexts<'loadRefused'> = {
  loadRefused: {
    errCode: 9042,
    message: (d) =>
      `Nothing was loaded into the "${d.dataClass}" dataclass: row ${d.rowNumber} is refused. ${d.problem}`,
  },
}

export const loadError: ErrorFactory<keyof typeof LOAD_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, LOAD_ERRORS[code])
