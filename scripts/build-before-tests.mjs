/**
 * Vitest global setup for projects whose tests run the built programs: builds outdated packages. A
 * type error does not stop the tests, because the JavaScript is built anyway; the type check
 * reports the error.
 */
import { ensureBuilt, PrepareError } from './prepare.mjs'

export function setup() {
  try {
    ensureBuilt()
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error
    console.error(error.message)
  }
}
