import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of set operations between selections. */
export const SELECTION_ERRORS: ErrorTexts<'selectionMismatch'> = {
  selectionMismatch: {
    errCode: 1587,
    message: (d) =>
      `A selection of "${d.left}" cannot be combined with one of "${d.right}": they must be of one dataclass and one store, and of one view of its past.`,
  },
}

export const selectionError: ErrorFactory<keyof typeof SELECTION_ERRORS> = (
  code,
  details,
  options,
) => new EntiaError(code, details, options, SELECTION_ERRORS[code])
