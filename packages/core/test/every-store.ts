import { isEntiaError } from '../src/errors.ts'
import { verifyStore } from '../src/store/capability/persistence.ts'
import type { Writer } from '../src/write/writer.ts'

/** The maximum number of stores held at once, since properties create thousands. */
const HELD = 64
/** Larger stores are left to their tests: verifying one takes seconds. */
const LARGE = 5000

/** The writers of the stores that the current test file has created, the oldest first. */
const writers: Writer[] = []

/** Holds a store until it is verified: at the end of the file, or when too many are held. */
export function remember(writer: Writer): void {
  writers.push(writer)
  if (writers.length <= HELD) return
  const oldest = writers.shift()
  try {
    verify(oldest)
  } catch (error) {
    // A mirror of a database can be verified once it is closed.
    if (!(error instanceof Error && error.name === 'NotMirrored')) throw error
    writers.push(oldest as Writer)
  }
}
/** For test files that damage stores on purpose: the stores created so far are not verified. */
export function forgetStores(): void {
  writers.length = 0
}
export const heldStores = (): number => writers.length

/** Verifies and releases every store that is held. */
export function verifyEveryStore(): void {
  for (const writer of writers.splice(0)) verify(writer)
}

/** A closed store is verified too, unless it reports that its data may be partly changed. */
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
