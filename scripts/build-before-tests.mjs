/**
 * Vitest global setup of the projects whose tests run the built programs, as a user does: builds what is out of date.
 * A type error is no reason to run no test at all: what could be built is there, and the type check tells the error.
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
