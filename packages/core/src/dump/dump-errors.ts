import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of opening dumps and journals. */
export const DUMP_ERRORS: ErrorTexts<'dumpInvalid'> = {
  dumpInvalid: {
    errCode: 9057,
    message: (d) =>
      `The ${d.what ?? 'dump'} cannot be opened: ${d.problem}${d.remedy === undefined ? '' : ` ${d.remedy}`}`,
  },
}

export const dumpError: ErrorFactory<keyof typeof DUMP_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, DUMP_ERRORS[code])
