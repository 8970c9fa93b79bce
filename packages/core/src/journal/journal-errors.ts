import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of journals in files and in browsers. */
export const JOURNAL_ERRORS: ErrorTexts<
  'journalFailed' | 'folderInUse' | 'notWriter' | 'outcomeUnknown' | 'journalRemoved'
> = {
  journalFailed: {
    errCode: 9059,
    message: (d) =>
      d.isKept
        ? `The journal cannot be compacted to ${d.file}: ${d.problem} The journal files before it keep every commit; ${d.remedy}`
        : `The journal cannot be written to ${d.file}: ${d.problem} What is committed since is kept in memory only; ${d.remedy}`,
  },
  folderInUse: {
    errCode: 9060,
    message: (d) =>
      d.isOwn
        ? `The folder ${d.folder} is in use by another journal of this process. Close that one first, or keep this store in a folder of its own.`
        : `The folder ${d.folder} is in use by process ${d.process}. Stop that one, or remove ${d.file} if there is no such process.`,
  },
  notWriter: {
    errCode: 9062,
    message: (d) => `Another tab writes the journal "${d.journal}": ${d.problem} ${d.remedy}`,
  },
  outcomeUnknown: {
    errCode: 9165,
    message: (d) =>
      `It is not known whether the journal "${d.journal}" keeps this transaction: ${d.problem} Read the store to find out, and do not run the transaction again before that.`,
  },
  journalRemoved: {
    errCode: 9166,
    message: (d) =>
      `The data of the journal "${d.journal}" was removed from the browser while this tab had it open, and this tab keeps its store in memory only. Load the page again to start with an empty journal.`,
  },
}

export const journalError: ErrorFactory<keyof typeof JOURNAL_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, JOURNAL_ERRORS[code])
