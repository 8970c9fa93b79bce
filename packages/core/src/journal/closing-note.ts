import { checksum } from '../dump/checksum.ts'
import { dumpError } from '../dump/dump-errors.ts'
import { codeOf, type JournalFiles } from './journal-files.ts'
import { replaceFile } from './replace-file.ts'

/**
 * The length of the newest journal when its folder was closed. It is a line in a file of its own,
 * which exists only while the folder is closed.
 */
export interface ClosingNote {
  /** The generation of the journal. */
  readonly generation: number
  readonly length: number
}

export const closingNotePath = (folder: string): string => `${folder}/closed`

export async function writeClosingNote(
  files: JournalFiles,
  folder: string,
  note: ClosingNote,
): Promise<void> {
  await replaceFile(files, closingNotePath(folder), [new TextEncoder().encode(lineOf(note))])
}

/**
 * Null if there is no note: the process was killed or the machine stopped. Throws `dumpInvalid` for
 * a note that has changed.
 */
export async function readClosingNote(
  files: JournalFiles,
  folder: string,
  remedy: string,
): Promise<ClosingNote | null> {
  const path = closingNotePath(folder)
  let text: string
  try {
    text = new TextDecoder().decode(await files.readFile(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  const [generation = Number.NaN, length = Number.NaN] = text.split(' ').map(Number)
  if (text === lineOf({ generation, length })) return { generation, length }
  throw dumpError('dumpInvalid', {
    what: 'journal',
    problem: `in ${path}: it has changed since it was written.`,
    remedy,
  })
}

function lineOf({ generation, length }: ClosingNote): string {
  const line = `${generation} ${length}`
  return `${line} ${checksum(new TextEncoder().encode(line))}\n`
}
