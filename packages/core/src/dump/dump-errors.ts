import { EntiaError, type ErrorFactory, type ErrorTexts, isEntiaError } from '../errors.ts'

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

/** Runs `read`, which reads the bytes of a file. Adds the path to its `dumpInvalid`. */
export function naming<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isEntiaError(error, 'dumpInvalid')) throw error
    const { details } = error
    throw dumpError(
      'dumpInvalid',
      { ...details, problem: `in ${path}: ${details.problem}` },
      { cause: error },
    )
  }
}
