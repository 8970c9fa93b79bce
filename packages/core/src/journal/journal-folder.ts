import { dumpError, naming } from '../dump/dump-errors.ts'
import { type CheckedDump, checkDump } from '../dump/read-dump.ts'
import type { Catalog } from '../model/catalog.ts'
import {
  type ClosingNote,
  closingNotePath,
  readClosingNote,
  writeClosingNote,
} from './closing-note.ts'
import { type JournalFiles, removeFile, syncFolder } from './journal-files.ts'
import { lengthOf } from './journal-frame.ts'
import { folderRemedies, invalidJournal, type Remedies, withRemedy } from './journal-remedies.ts'
import { type JournalContent, readJournal } from './read-journal.ts'
import { replaceFile } from './replace-file.ts'

/**
 * The files of a journal. A generation is a dump and the journal of the commits after it; both are
 * named by the global stamp of the dump. The heading of a journal is on the disk before its dump is
 * written. So if a dump is missing, the journals since the dump before it are complete.
 */
export class JournalFolder {
  readonly path: string
  readonly files: JournalFiles
  readonly #rules: FolderRules

  constructor(path: string, files: JournalFiles, rules: FolderRules = ON_DISK) {
    this.path = path
    this.files = files
    this.#rules = rules
  }

  dumpPath(generation: number): string {
    return `${this.path}/${generation}.dump`
  }
  journalPath(generation: number): string {
    return `${this.path}/${generation}.journal`
  }

  /**
   * Writes the dump of a generation and removes all generations but it and, by the rules, the one
   * before. Resolves to the number of bytes.
   */
  async writeDump(generation: number, pieces: Iterable<Uint8Array>): Promise<number> {
    const length = await replaceFile(this.files, this.dumpPath(generation), pieces)
    const { dumps, journals } = await this.list()
    const [, before = generation] = dumps.filter((one) => one <= generation)
    const oldest = this.#rules.keepsPrevious ? before : generation
    for (const old of dumps) if (old < oldest) await removeFile(this.files, this.dumpPath(old))
    for (const old of journals)
      if (old < oldest) await removeFile(this.files, this.journalPath(old))
    await syncFolder(this.files, this.path)
    return length
  }

  /** Generations, newest first. */
  async list(): Promise<{
    readonly dumps: readonly number[]
    readonly journals: readonly number[]
  }> {
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
   * Reads the folder; null if it is empty. Rejects with `dumpInvalid`, which names the file and the
   * remedy, for files that are damaged, cut off, missing or of other dataclasses.
   */
  async read(catalog: Catalog): Promise<Found | null> {
    const { remedies } = this.#rules
    const note = await readClosingNote(this.files, this.path, remedies.changedNote)
    const { dumps, journals } = await this.list()
    const [generation] = dumps
    if (generation === undefined) {
      if (note !== null)
        throw invalidJournal(
          `in ${this.path}: there is no dump, and was when the folder was closed.`,
          remedies.fromBackup,
        )
      // The machine stopped before the first dump was on the disk. No `flush` had resolved.
      for (const one of journals) await this.#removeUnused(one)
      return null
    }
    const { dump, dumpBytes } = await this.#readDump(generation, catalog, dumps)
    const chain = await this.#chain(
      generation,
      journals.filter((one) => one >= generation).reverse(),
      dumps,
    )
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
   * Call it after `read` and before the first write. Removes the closing note and half-written
   * files. It does not sync: a note that comes back after a power loss describes a journal that is
   * longer now, and is ignored.
   */
  async tidy(): Promise<void> {
    const names = await this.files.readdir(this.path)
    for (const name of names)
      if (/^closed$|\.new$|^lock\.[0-9]+$/.test(name))
        await removeFile(this.files, `${this.path}/${name}`)
  }

  /** Records where the newest journal ends, for the next process that opens the folder. */
  writeClosingNote(note: ClosingNote): Promise<void> {
    return writeClosingNote(this.files, this.path, note)
  }

  async #readDump(
    generation: number,
    catalog: Catalog,
    dumps: readonly number[],
  ): Promise<ReadDump> {
    const path = this.dumpPath(generation)
    const pieces = await this.files.readPieces(path)
    const dump = naming(path, () => {
      const checked = withRemedy(
        () => checkDump(pieces),
        this.#rules.remedies.damagedDump(this, generation, dumps),
      )
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
      throw invalidJournal(
        `the dump that ${path} follows is not there.`,
        this.#rules.remedies.goBack(this, generation, []),
      )
    await removeFile(this.files, path)
  }

  async #readJournal(generation: number, newer: readonly number[], dumps: readonly number[]) {
    const path = this.journalPath(generation)
    const bytes = await this.files.readFile(path)
    return naming(path, () => {
      const content = withRemedy(
        () => readJournal(bytes),
        (position) => this.#rules.remedies.damagedJournal(this, generation, position, newer, dumps),
      )
      return content === null ? null : { ...content, length: bytes.length }
    })
  }

  /** The journals from a generation on, oldest first, without an incomplete end. */
  async #chain(
    generation: number,
    journals: readonly number[],
    dumps: readonly number[],
  ): Promise<{ readonly files: readonly JournalFile[]; readonly dropped: number }> {
    if (journals[0] !== generation)
      throw invalidJournal(
        `${this.journalPath(generation)} is not there.`,
        this.#rules.remedies.goBack(this, generation, dumps),
      )
    const files: JournalFile[] = []
    let stamp = generation
    let dropped = 0
    for (const [i, begun] of journals.entries()) {
      const path = this.journalPath(begun)
      const content = await this.#readJournal(begun, journals.slice(i + 1), dumps)
      const isFollowing = content !== null && content.base === begun && begun === stamp
      if (!isFollowing) {
        // The machine stopped after the file was created and before the journal before it was
        // complete on the disk.
        const isUnused = content === null || content.commits.length === 0
        if (begun === generation || !isUnused)
          throw invalidJournal(
            `${path} does not follow global stamp ${stamp}.`,
            begun === generation
              ? this.#rules.remedies.goBack(this, generation, dumps)
              : this.#rules.remedies.remove(
                  this,
                  journals.slice(i),
                  `what is known up to global stamp ${stamp}`,
                ),
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

  /**
   * Throws `dumpInvalid` if the newest journal is shorter than it was when the folder was closed.
   */
  #checkEnd(note: ClosingNote, { generation, content: { end } }: JournalFile): void {
    // A longer or newer journal was written after the note, so the note is outdated.
    const isThere =
      generation > note.generation || (generation === note.generation && end >= note.length)
    if (isThere) return
    const path = this.journalPath(note.generation)
    const problem =
      generation < note.generation
        ? `${path} is not there, and was when the folder was closed.`
        : `in ${path}: ${end} bytes of it are whole, and ${note.length} were when the folder was closed.`
    throw invalidJournal(problem, this.#rules.remedies.shortJournal(closingNotePath(this.path)))
  }
}

/** What differs between folders of a disk and databases of a browser. */
export interface FolderRules {
  /** True if the generation before the current one stays, for repairs by hand. */
  readonly keepsPrevious: boolean
  readonly remedies: Remedies
}

const ON_DISK: FolderRules = { keepsPrevious: true, remedies: folderRemedies }

interface ReadDump {
  readonly dump: CheckedDump
  readonly dumpBytes: number
}

interface JournalFile {
  readonly generation: number
  readonly content: JournalContent
}

export interface Found extends ReadDump {
  /** The generation of the dump. */
  readonly generation: number
  /** Oldest first; the next commits go to the last one. */
  readonly chain: readonly JournalFile[]
  /** The commits of the chain, for `Persistence.replace`. */
  readonly commits: readonly Uint8Array[]
  /** Bytes of incomplete ends, which were being written when the machine stopped. */
  readonly dropped: number
}
