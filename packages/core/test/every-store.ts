import { verifyStore } from '../src/capability/verify-store.ts'
import { isEntiaError } from '../src/errors.ts'
import type { Writer } from '../src/write/writer.ts'

/** So many stores are held at once: properties make thousands. */
const HELD = 64
/** Stores with more entities are left to the tests that make them: to verify one takes seconds. */
const LARGE = 5000

/** The writers of the stores that the test file under way has made, the oldest first. */
const writers: Writer[] = []

/** Holds a store until it is verified: at the end of the file, or when there are too many. */
export function remember(writer: Writer): void {
  writers.push(writer)
  if (writers.length > HELD) verify(writers.shift())
}
/** For test files that damage stores on purpose: what was made so far is not verified. */
export function forgetStores(): void {
  writers.length = 0
}
export const heldStores = (): number => writers.length

/** Verifies every store that is held, and lets go of all. */
export function verifyEveryStore(): void {
  for (const writer of writers.splice(0)) verify(writer)
}

/**
 * One that was closed is looked at all the same, but not one that says itself that its data may be
 * half changed.
 */
function verify(writer: Writer | undefined): void {
  if (writer === undefined || isBroken(writer)) return
  let entities = 0
  for (const { liveCount } of writer.tables) entities += liveCount
  if (entities <= LARGE) verifyStore(writer)
}

function isBroken(writer: Writer): boolean {
  try {
    writer.guard()
    return false
  } catch (error) {
    return isEntiaError(error, 'storeBroken')
  }
}
