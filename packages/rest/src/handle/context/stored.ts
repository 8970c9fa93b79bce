import type { EntiaError } from '@entia/core'
import type { Stored } from '../../engine/after-storing.ts'
import type { RemoveOutcome, WriteOutcome } from '../../engine/write-query.ts'
import type { Answer } from './answer.ts'

/** How much of a change an answer reports as stored. */
export function storedBy(answer: Answer): Stored {
  switch (answer.kind) {
    case 'written':
      return counted(answer.answer.outcomes, 'saved')
    case 'removed': {
      const stored = counted(answer.answer.outcomes, 'deleted')
      return answer.answer.committed ? stored : { ...stored, count: 0 }
    }
    default:
      return { count: 0, of: 0, verb: 'saved' }
  }
}

function counted(
  outcomes: readonly (WriteOutcome | RemoveOutcome)[],
  verb: Stored['verb'],
): Stored {
  let count = 0
  for (const { kind } of outcomes) if (kind === 'saved' || kind === 'removed') count++
  return { count, of: outcomes.length, verb }
}

const NO_ERRORS: readonly EntiaError[] = []

/** The errors of a change: those of its items and of the whole. Empty for other answers. */
export function failuresIn(answer: Answer): readonly EntiaError[] {
  if (answer.kind !== 'written' && answer.kind !== 'removed') return NO_ERRORS
  const errors = errorsOf(answer.answer.outcomes)
  return answer.kind === 'written' && answer.answer.failures.length > 0
    ? [...errors, ...answer.answer.failures]
    : errors
}

/** The errors of the items that failed. */
export function errorsOf(
  outcomes: readonly (WriteOutcome | RemoveOutcome)[],
): readonly EntiaError[] {
  let errors: EntiaError[] | null = null
  for (const outcome of outcomes)
    if (outcome.kind === 'failed') {
      errors ??= []
      errors.push(outcome.error)
    }
  return errors ?? NO_ERRORS
}
