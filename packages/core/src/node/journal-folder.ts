import { dumpError } from '../dump/dump-errors.ts'
import { type CheckedDump, checkDump } from '../dump/read-dump.ts'
import type { Catalog } from '../model/catalog.ts'
import { type ClosingNote, closingNotePath, readClosingNote, writeClosingNote } from './closing-note.ts'
import { naming } from './dump-file.ts'
import { type FileSystem, removeFile, syncFolder } from './file-system.ts'
import { lengthOf } from './journal-frame.ts'
import {
  COPY_FIRST,
  damagedDumpRemedy,
  damagedJournalRemedy,
  FROM_BACKUP,
  goBackRemedy,
  invalidJournal,
  removeRemedy,
  withRemedy,
} from './journal-remedies.ts'
import { type JournalContent, readJournal } from './read-journal.ts'
import { replaceFile } from './replace-file.ts'

/**
 * The files of a journal. A generation is a dump and the journal of what came after it, both named by the global stamp of the dump. A
 * journal is begun, and its heading on the disk, before its dump is written: so where a dump is missing, the journals follow one
 * another from the last dump that is there.
 */
export class JournalFolder {
  readonly path: string
  readonly files: FileSystem

  constructor(path: string, files: FileSystem) {
    this.path = path
    this.files = files
  }

  dumpPath(generation: number): string {
    return `${this.path}/${generation}.dump`
  }
  journalPath(generation: number): string {
    return `${this.path}/${generation}.journal`
  }

  /** Writes the dump of a generation, and lets go of all but it and the one before. Answers how many bytes it has. */
  async writeDump(generation: number, pieces: Iterable<Uint8Array>): Promise<number> {
    const length = await replaceFile(this.files, this.dumpPath(generation), pieces, null)
    const { dumps, journals } = await this.list()
    const [, previous = generation] = dumps.filter((one) => one <= generation)
    for (const old of dumps) if (old < previous) await removeFile(this.files, this.dumpPath(old))
    for (const old of journals) if (old < previous) await removeFile(this.files, this.journalPath(old))
    await syncFolder(this.files, this.path)
    return length
  }

  /** Generations, newest first. */
  async list(): Promise<{ readonly dumps: readonly number[]; readonly journals: readonly number[] }> {
    const names = await this.files.readdir(this.path)
    const numbered = (ending: string): number[] =>
      names
        .flatMap((name) => {
          const digits = name.endsWith(ending) ? name.slice(0, -ending.length) : ''
          return /^(0|[1-9][0-9]{0,15})$/.test(digits) ? [Number(digits)] : []
        })
        .sort((a, b) => b - a)
    return { dumps: numbered('.dump'), journals: numbered('.journal') }
  }

  /**
   * Reads what the folder holds; null where it holds nothing. Rejects with `dumpInvalid`, naming the file and the remedy, for what is
   * damaged, cut off, missing or of other dataclasses.
   */
  async read(catalog: Catalog): Promise<Found | null> {
    const note = await readClosingNote(this.files, this.path)
    const { dumps, journals } = await this.list()
    const [generation] = dumps
    if (generation === undefined) {
      if (note !== null)
        throw invalidJournal(`in ${this.path}: there is no dump, and was when the folder was closed.`, FROM_BACKUP)
      // Begun, and the machine stopped before its first dump was on the disk: nothing was promised.
      for (const one of journals) await this.#removeUnused(one)
      return null
    }
    const { dump, dumpBytes } = await this.#readDump(generation, catalog, dumps)
    const chain = await this.#chain(generation, journals.filter((one) => one >= generation).reverse(), dumps)
    const last = chain.files.at(-1)
    if (note !== null && last !== undefined) this.#checkEnd(note, last)
    return {
      generation,
      dump,
      dumpBytes,
      chain: chain.files,
      commits: chain.files.flatMap(({ content }) => content.commits.map(({ payload }) => payload)),
      dropped: chain.dropped,
    }
  }

  /**
   * Removes what is of no use once the folder is read and about to be written: the note of its last end, and files half made. Not synced: a
   * note that comes back after a loss of power is about a journal that has gone on, and counts for nothing then.
   */
  async tidy(): Promise<void> {
    const names = await this.files.readdir(this.path)
    for (const name of names)
      if (/^closed$|\.new$|^lock\.[0-9]+$/.test(name)) await removeFile(this.files, `${this.path}/${name}`)
  }

  /** Tells the next one who opens the folder where its newest journal ended. */
  writeClosingNote(note: ClosingNote): Promise<void> {
    return writeClosingNote(this.files, this.path, note)
  }

  async #readDump(generation: number, catalog: Catalog, dumps: readonly number[]): Promise<ReadDump> {
    const path = this.dumpPath(generation)
    const pieces = await this.files.readPieces(path)
    const dump = naming(path, () => {
      const checked = withRemedy(() => checkDump(pieces), damagedDumpRemedy(this, generation, dumps))
      checked.checkModel(catalog)
      if (checked.globalStamp === generation) return checked
      throw dumpError('dumpInvalid', { problem: `it is of global stamp ${checked.globalStamp}.` })
    })
    return { dump, dumpBytes: lengthOf(pieces) }
  }

  async #removeUnused(generation: number): Promise<void> {
    const path = this.journalPath(generation)
    const content = await this.#readJournal(generation, [], [])
    if (content !== null && content.commits.length > 0)
      throw invalidJournal(`the dump that ${path} follows is not there.`, goBackRemedy(this, generation, []))
    await removeFile(this.files, path)
  }

  async #readJournal(generation: number, newer: readonly number[], dumps: readonly number[]) {
    const path = this.journalPath(generation)
    const bytes = await this.files.readFile(path)
    return naming(path, () => {
      const content = withRemedy(
        () => readJournal(bytes),
        (position) => damagedJournalRemedy(this, generation, position, newer, dumps),
      )
      return content === null ? null : { ...content, length: bytes.length }
    })
  }

  /** The journals from a generation on, oldest first, up to the end that was being written. */
  async #chain(
    generation: number,
    journals: readonly number[],
    dumps: readonly number[],
  ): Promise<{ readonly files: readonly JournalFile[]; readonly dropped: number }> {
    if (journals[0] !== generation)
      throw invalidJournal(`${this.journalPath(generation)} is not there.`, goBackRemedy(this, generation, dumps))
    const files: JournalFile[] = []
    let stamp = generation
    let dropped = 0
    for (const [i, begun] of journals.entries()) {
      const path = this.journalPath(begun)
      const content = await this.#readJournal(begun, journals.slice(i + 1), dumps)
      const isFollowing = content !== null && content.base === begun && begun === stamp
      if (!isFollowing) {
        // Begun, and the machine stopped before the journal of before was on the disk as a whole.
        const isUnused = content === null || content.commits.length === 0
        if (begun === generation || !isUnused)
          throw invalidJournal(
            `${path} does not follow global stamp ${stamp}.`,
            begun === generation
              ? goBackRemedy(this, generation, dumps)
              : removeRemedy(this, journals.slice(i), `what is known up to global stamp ${stamp}`),
          )
        await removeFile(this.files, path)
        continue
      }
      files.push({ generation: begun, content })
      dropped += content.length - content.end
      stamp += content.commits.length
    }
    return { files, dropped }
  }

  /** Throws `dumpInvalid` where the newest journal is not as long as it was when the folder was closed. */
  #checkEnd(note: ClosingNote, { generation, content: { end } }: JournalFile): void {
    // Longer or newer ones have gone on since: the note is an old one.
    const isThere = generation > note.generation || (generation === note.generation && end >= note.length)
    if (isThere) return
    const path = this.journalPath(note.generation)
    const problem =
      generation < note.generation
        ? `${path} is not there, and was when the folder was closed.`
        : `in ${path}: ${end} bytes of it are whole, and ${note.length} were when the folder was closed.`
    throw invalidJournal(problem, `${COPY_FIRST} Then remove ${closingNotePath(this.path)} to open what is there.`)
  }
}

interface ReadDump {
  readonly dump: CheckedDump
  readonly dumpBytes: number
}

interface JournalFile {
  readonly generation: number
  readonly content: JournalContent
}

export interface Found extends ReadDump {
  /** That of the dump. */
  readonly generation: number
  /** Oldest first; the last is the one to go on with. */
  readonly chain: readonly JournalFile[]
  /** All of the chain, for `StoreKeep.replace`. */
  readonly commits: readonly Uint8Array[]
  /** Bytes at the end that were being written when the machine stopped. */
  readonly dropped: number
}
