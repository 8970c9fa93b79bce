import { isEntiaError } from '@entia/core'

/**
 * The code of the EntiaError that a call throws; 'nothing' if it throws none. Rethrows other
 * errors.
 */
export function codeOf(call: () => unknown): string {
  try {
    call()
    return 'nothing'
  } catch (error) {
    if (isEntiaError(error)) return error.code
    throw error
  }
}
