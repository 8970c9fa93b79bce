import { EntiaError } from '../errors.ts'

const TEXT = {
  errCode: 9055,
  message: (): string => 'The working store does not know this yet: the decision must run again.',
}

/**
 * Ends a read of something unknown. It is an `EntiaError`, so that code that handles the errors of
 * each item of a batch goes on with the next item, which adds what it lacks. It never reaches a
 * caller: the run that throws it is discarded.
 */
export class NotLoaded extends EntiaError<'budgetExceeded'> {
  constructor() {
    super('budgetExceeded', { what: 'facts', limit: 0, option: 'none' }, undefined, TEXT)
  }
}
