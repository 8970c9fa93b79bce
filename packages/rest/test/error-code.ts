import { isEntiaError } from '@entia/core'

/**
 * The name of the error that a call throws; 'nothing' when it throws none. What is no EntiaError is
 * thrown on.
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
