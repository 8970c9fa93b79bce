import { EntiaError } from '@entia/core'
import type { Answer } from './answer.ts'
import type { RemoveOutcome, WriteOutcome } from './engine-door.ts'

/** How much of a change is stored. */
export interface Stored {
  readonly count: number
  readonly of: number
  readonly verb: 'saved' | 'deleted'
}

/**
 * Runs what answers a change. When it fails and something is stored already, the error says so: nobody may believe that
 * nothing happened. Throws internalError with the failure as its cause, or the failure itself where nothing is stored.
 */
export function afterStoring<T>(stored: Stored, answer: () => T): T {
  try {
    return answer()
  } catch (cause) {
    if (stored.count === 0) throw cause
    throw new EntiaError('internalError', { problem: `${sentence(stored)}, but the answer cannot be made.` }, { cause })
  }
}

function sentence({ count, of, verb }: Stored): string {
  return of === 1 ? `The entity is ${verb}` : `${count} of ${of} entities are ${verb}`
}

/** What is stored when an answer is at hand. */
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

function counted(outcomes: readonly (WriteOutcome | RemoveOutcome)[], verb: Stored['verb']): Stored {
  const done = outcomes.filter(({ kind }) => kind === 'saved' || kind === 'removed')
  return { count: done.length, of: outcomes.length, verb }
}

/** Why items of a change, or all of it, failed; empty for what is no change. */
export function failuresIn(answer: Answer): readonly EntiaError[] {
  if (answer.kind !== 'written' && answer.kind !== 'removed') return []
  const outcomes: readonly (WriteOutcome | RemoveOutcome)[] = answer.answer.outcomes
  const errors = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.error] : []))
  return answer.kind === 'written' ? [...errors, ...answer.answer.failures] : errors
}
