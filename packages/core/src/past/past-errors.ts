import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of the store as it was at an older global stamp. */
export const PAST_ERRORS: ErrorTexts<'pastReadOnly'> = {
  pastReadOnly: {
    errCode: 9061,
    message: (d) =>
      `"${d.operation}" is not possible on the store as it was at global stamp ${d.globalStamp}, which can only be read.`,
  },
}

export const pastError: ErrorFactory<keyof typeof PAST_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, PAST_ERRORS[code])
