import { EntiaError, type ErrorFactory, type ErrorTexts, isEntiaError } from '../../errors.ts'
import { dumpError } from '../../store/dump/line-writer.ts'

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

// What a person can do when a journal does not open. Each remedy may lose commits, so the program
// does not choose one by itself.

/** Names of files in the folder of a journal. */
export interface Names {
  dumpPath(generation: number): string
  journalPath(generation: number): string
}

const COPY_FIRST = 'Copy the folder before you change anything in it.'

export const FROM_BACKUP = 'Nothing else in the folder is a beginning: take it from a backup.'

export const invalidJournal = (problem: string, remedy: string): EntiaError =>
  dumpError('dumpInvalid', { what: 'journal', problem, remedy })

/**
 * Runs `read`, which reads a file. Adds the remedy to its `dumpInvalid`, if `remedyAt` knows one
 * for the position of the damage.
 */
export function withRemedy<T>(
  read: () => T,
  remedyAt: (position: number | undefined) => string | undefined,
): T {
  try {
    return read()
  } catch (error) {
    if (!isEntiaError(error, 'dumpInvalid') || error.details.remedy !== undefined) throw error
    const remedy = remedyAt(error.details.position)
    if (remedy === undefined) throw error
    throw dumpError('dumpInvalid', { ...error.details, remedy }, { cause: error })
  }
}

/** The dump before it and the journals since then lead to the same state. */
export function damagedDumpRemedy(
  names: Names,
  generation: number,
  dumps: readonly number[],
): string {
  const before = dumps.find((one) => one < generation)
  if (before === undefined) return FROM_BACKUP
  const path = names.dumpPath(generation)
  return `${COPY_FIRST} Then remove ${path} alone: ${names.dumpPath(before)} and the journals since it hold the same.`
}

/** `newer`: journals that follow the damaged one. */
export function damagedJournalRemedy(
  names: Names,
  generation: number,
  position: number,
  newer: readonly number[],
  dumps: readonly number[],
): string {
  if (position === 0) return goBackRemedy(names, generation, dumps)
  const path = names.journalPath(generation)
  const more = newer.map((one) => `, remove ${names.journalPath(one)}`).join('')
  return `${COPY_FIRST} Then cut it off there (truncate -s ${position} ${path})${more} and remove the file "closed", if there is one: it opens with the commits before.`
}

/** Returns to the generation before, with all commits until this one started. */
export function goBackRemedy(names: Names, generation: number, dumps: readonly number[]): string {
  const before = dumps.find((one) => one < generation)
  if (before === undefined) return FROM_BACKUP
  const what = `the store as of global stamp ${generation}, from ${names.dumpPath(before)} and the journal since it`
  return removeRemedy(names, [generation], what, true)
}

/** Removes journals, to open `what`. */
export function removeRemedy(
  names: Names,
  generations: readonly number[],
  what: string,
  withDump = false,
): string {
  const paths = generations.flatMap((one) => [
    ...(withDump ? [names.dumpPath(one)] : []),
    names.journalPath(one),
  ])
  return `${COPY_FIRST} Then remove ${paths.join(', ')} and the file "closed", as far as they are there, to open ${what}.`
}

export const CHANGED_NOTE =
  'It holds only the length of the newest journal. Compare the folder with a backup, or remove the file.'
/** For a journal that is shorter than its closing note, which has this path, says. */
export const shortJournalRemedy = (notePath: string): string =>
  `${COPY_FIRST} Then remove ${notePath} to open what is there.`
