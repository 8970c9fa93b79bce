/**
 * The one error class. `error-details.ts` has the codes of this package, `common-errors.ts` the
 * texts of those that several modules throw. The text of any other code stands in the module that
 * throws it, so that a bundler drops the text with the module. `error-tables.ts` lists all of them.
 */

import { COMMON_ERRORS } from './common-errors.ts'
import type {
  ErrorCode,
  ErrorDetails,
  ErrorEntry,
  ErrorText,
  ErrorTexts,
  StoreError,
} from './error-details.ts'

export { caret } from './common-errors.ts'
export type { ErrorEntry, ErrorTexts } from './error-details.ts'

/** The codes that `new EntiaError(code, details)` takes without a text. */
export type CommonErrorCode = keyof typeof COMMON_ERRORS

/** Creates the errors of one table of texts. */
export type ErrorFactory<C extends ErrorCode> = <K extends C>(
  code: K,
  details: ErrorDetails[K],
  options?: ErrorOptions,
) => EntiaError<K>

/**
 * The error of every call that fails because of its caller. `code` is the name of the error,
 * `errCode` its number, `details` the facts of its message. `cause` is the deeper error, if one led
 * to this one.
 */
export class EntiaError<C extends ErrorCode = ErrorCode> extends Error implements StoreError {
  override readonly name = 'EntiaError'
  readonly code: C
  readonly errCode: number
  readonly details: ErrorDetails[C]

  /** An error of which core has the text in every bundle, such as `functionRefused`. */
  constructor(code: C & CommonErrorCode, details: ErrorDetails[C], options?: ErrorOptions)
  /** Any other error. The caller gives the text. */
  constructor(
    code: C,
    details: ErrorDetails[C],
    options: ErrorOptions | undefined,
    text: ErrorText<ErrorDetails[C]>,
  )
  constructor(
    code: C,
    details: ErrorDetails[C],
    options?: ErrorOptions,
    given?: ErrorText<ErrorDetails[C]>,
  ) {
    const text = given ?? (COMMON_ERRORS as Partial<ErrorTexts<ErrorCode>>)[code]
    if (text === undefined)
      throw new TypeError(`EntiaError "${code}" needs a text: give it as the fourth argument.`)
    super(text.message(details), options)
    this.code = code
    this.details = details
    this.errCode = typeof text.errCode === 'number' ? text.errCode : text.errCode(details)
  }

  /** The errors that led to this one, the deepest cause first, and this one. */
  get errors(): readonly ErrorEntry[] {
    const { cause, details, message, errCode } = this
    const { failures = [] } = details as { readonly failures?: readonly unknown[] }
    const inner = [cause, ...failures].flatMap((each) => (isEntiaError(each) ? each.errors : []))
    return [...inner, { message, errCode }]
  }
}

/**
 * True for an `EntiaError`, and if a code is given, only for one with this code. Narrows `details`.
 *
 * @example
 * ```ts
 * let failure: unknown
 * try { store.Employee.insert({ salary: -1 }) } catch (error) { failure = error }
 * isEntiaError(failure, 'validationFailed') // → true
 * ```
 */
export function isEntiaError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: C,
): error is EntiaError<C> {
  return error instanceof EntiaError && (code === undefined || error.code === code)
}

/**
 * Throws if a condition is false that our own code guarantees: a mistake of ours, never of the
 * caller.
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Entia invariant broken: ${message}`)
}

/** Ends a switch over a union: a forgotten variant does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Entia invariant broken: unexpected variant ${String(value)}`)
}
