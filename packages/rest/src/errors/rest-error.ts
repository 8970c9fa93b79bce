import { EntiaError, type ErrorFactory } from '@entia/core'
import { DATA_ERRORS } from './data-errors.ts'
import { ENGINE_ERRORS } from './engine-errors.ts'
import type { RestErrorCode, RestErrorTexts } from './error-details.ts'
import { REQUEST_ERRORS } from './request-errors.ts'

/** The texts of all codes of this package. */
export const REST_ERRORS: RestErrorTexts = {
  ...REQUEST_ERRORS,
  ...DATA_ERRORS,
  ...ENGINE_ERRORS,
}

/** Creates an error of this package: an `EntiaError` as those of `@entia/core`. */
export const restError: ErrorFactory<RestErrorCode> = (code, details, options) =>
  new EntiaError(code, details, options, REST_ERRORS[code])
