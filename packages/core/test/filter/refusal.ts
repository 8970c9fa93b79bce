import { type EntiaError, isEntiaError } from '../../src/errors.ts'

/** The EntiaError that `run` throws; another error, or none, fails the test. */
export function refusalOf(run: () => unknown): EntiaError {
  try {
    run()
  } catch (error) {
    if (isEntiaError(error)) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** The code of the EntiaError that `run` throws; 'done' when it throws nothing. */
export function codeOrDone(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isEntiaError(error)) return error.code
    throw error
  }
  return 'done'
}

/** The position in the text that an error names. */
export function offsetOf({ details }: EntiaError): number | undefined {
  return 'offset' in details ? details.offset : undefined
}
