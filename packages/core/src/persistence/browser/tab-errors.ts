import { journalError } from '../journal/journal-errors.ts'

/** The errors of one journal in one tab, by its name. */
export const tabErrors = (journal: string) => ({
  writeInFollower: () =>
    journalError('notWriter', {
      journal,
      problem: 'this one follows it, and the change was not made.',
      remedy: 'Use `await journal.transact(…)`, which works in every tab.',
    }),
  compactInFollower: () =>
    journalError('notWriter', {
      journal,
      problem: 'this one follows it and does not compact it.',
      remedy: 'Call compact() in the tab whose `journal.role` is "writer".',
    }),
  /** Nothing of the transaction was kept, and nothing of it will be. */
  notKept: (problem: string) =>
    journalError('notWriter', {
      journal,
      problem: `it did not keep this transaction. ${problem}`,
      remedy: 'Run the transaction again once that is solved.',
    }),
  outcomeUnknown: (problem: string, options?: ErrorOptions) =>
    journalError('outcomeUnknown', { journal, problem }, options),
  removed: () => journalError('journalRemoved', { journal }),
  closed: () =>
    journalError('journalFailed', {
      file: journal,
      problem: 'the journal was closed.',
      remedy: 'close it after everything that writes has stopped.',
    }),
})
