import { type EntiaError, isEntiaError } from '../../src/errors.ts'

/** The EntiaError that `run` throws; anything else, or nothing, fails the test. */
export function refusalOf(run: () => unknown): EntiaError {
  try {
    run()
  } catch (error) {
    if (isEntiaError(error)) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** Where in the text an error points to. */
export function offsetOf({ details }: EntiaError): number | undefined {
  return 'offset' in details ? details.offset : undefined
}
