import type { Catalog } from '../../model/catalog.ts'
import { dumpError, naming } from '../../store/dump/line-writer.ts'
import { CheckedDump } from '../../store/dump/read-dump.ts'
import {
  CHANGED_NOTE,
  damagedDumpRemedy,
  damagedJournalRemedy,
  FROM_BACKUP,
  goBackRemedy,
  invalidJournal,
  removeRemedy,
  shortJournalRemedy,
  withRemedy,
} from './journal-errors.ts'
import { type JournalFiles, removeFile, replaceFile, syncFolder } from './journal-files.ts'
import { type ClosingNote, closingNotePath, readClosingNote } from './journal-frame.ts'
import { type JournalContent, JournalReader } from './read-journal.ts'

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
   * Reads the folder, and gives its dump and its commits to `recovery` as they are read. Resolves
   * to null if it is empty. Rejects with `dumpInvalid`, which names the file and the remedy, for
   * files that are damaged, cut off, missing or of other dataclasses. Memory: one block of a file,
   * and in a browser the dump.
   */
  async read(catalog: Catalog, recovery: Recovery): Promise<Found | null> {
    for (;;) {
      const found = await this.#read(catalog, recovery)
      if (found === null || recovery.isComplete?.() !== false) return found
    }
  }

  async #read(catalog: Catalog, recovery: Recovery): Promise<Found | null> {
    const note = await readClosingNote(this.files, this.path, this.#remedy(CHANGED_NOTE))
    const { dumps, journals } = await this.list()
    const [generation] = dumps
    if (generation === undefined) {
      if (note !== null)
        throw invalidJournal(
          `in ${this.path}: there is no dump, and was when the folder was closed.`,
          this.#remedy(FROM_BACKUP),
        )
      // The machine stopped before the first dump was on the disk. No `flush` had resolved.
      for (const one of journals) await this.#removeUnused(one)
      return null
    }
    const dumpBytes = await this.#readDump(generation, catalog, dumps, recovery)
    const chain = await this.#chain(
      generation,
      journals.filter((one) => one >= generation).reverse(),
      dumps,
      // A commit that contradicts the dump is reported as an error of the dump.
      (commits) => naming(this.dumpPath(generation), () => recovery.replay(commits)),
    )
    const last = chain.at(-1)
    if (note !== null && last !== undefined) this.#checkEnd(note, last)
    const sum = (of: (file: JournalContent) => number): number =>
      chain.reduce((total, { content }) => total + of(content), 0)
    return {
      generation,
      dumpBytes,
      chain,
      commits: sum(({ commits }) => commits),
      dropped: sum(({ length, end }) => length - end),
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

  /** What to do about damage, where a person can do something about its files. */
  #remedy(onDisk: string): string {
    return this.#rules.remedy ?? onDisk
  }

  /** Resolves to the number of bytes. */
  async #readDump(
    generation: number,
    catalog: Catalog,
    dumps: readonly number[],
    recovery: Recovery,
  ): Promise<number> {
    const path = this.dumpPath(generation)
    return this.files.readPieces(path, (pieces) =>
      naming(path, () => {
        const dump = withRemedy(
          () => new CheckedDump(pieces),
          () => this.#remedy(damagedDumpRemedy(this, generation, dumps)),
        )
        if (!recovery.converts) dump.checkModel(catalog)
        if (dump.globalStamp !== generation)
          throw dumpError('dumpInvalid', { problem: `it is of global stamp ${dump.globalStamp}.` })
        recovery.begin(dump)
        return dump.length
      }),
    )
  }

  async #removeUnused(generation: number): Promise<void> {
    const path = this.journalPath(generation)
    const content = await this.#readJournal(generation, [], [])
    if (content !== null && content.commits > 0)
      throw invalidJournal(
        `the dump that ${path} follows is not there.`,
        this.#remedy(goBackRemedy(this, generation, [])),
      )
    await removeFile(this.files, path)
  }

  /** Gives the commits of a journal to `replay` as they are read, if it follows `stamp`. */
  async #readJournal(
    generation: number,
    newer: readonly number[],
    dumps: readonly number[],
    stamp: number | null = null,
    replay: Replay = () => undefined,
  ): Promise<JournalContent | null> {
    const path = this.journalPath(generation)
    const reader = new JournalReader()
    const reading = <T>(read: () => T): T =>
      naming(path, () =>
        withRemedy(read, (position) =>
          position === undefined
            ? undefined
            : this.#remedy(damagedJournalRemedy(this, generation, position, newer, dumps)),
        ),
      )
    for await (const block of this.files.readBlocks(path)) {
      const commits = reading(() => reader.read(block))
      if (reader.base === generation && generation === stamp) replay(commits)
    }
    return reading(() => reader.finish())
  }

  /** The journals from a generation on, oldest first, without an incomplete end. */
  async #chain(
    generation: number,
    journals: readonly number[],
    dumps: readonly number[],
    replay: Replay,
  ): Promise<readonly JournalFile[]> {
    if (journals[0] !== generation)
      throw invalidJournal(
        `${this.journalPath(generation)} is not there.`,
        this.#remedy(goBackRemedy(this, generation, dumps)),
      )
    const files: JournalFile[] = []
    let stamp = generation
    for (const [i, begun] of journals.entries()) {
      const path = this.journalPath(begun)
      const newer = journals.slice(i + 1)
      const content = await this.#readJournal(begun, newer, dumps, stamp, replay)
      const isFollowing = content !== null && content.base === begun && begun === stamp
      if (!isFollowing) {
        // The machine stopped after the file was created and before the journal before it was
        // complete on the disk.
        const isUnused = content === null || content.commits === 0
        if (begun === generation || !isUnused)
          throw invalidJournal(
            `${path} does not follow global stamp ${stamp}.`,
            this.#remedy(
              begun === generation
                ? goBackRemedy(this, generation, dumps)
                : removeRemedy(
                    this,
                    journals.slice(i),
                    `what is known up to global stamp ${stamp}`,
                  ),
            ),
          )
        await removeFile(this.files, path)
        continue
      }
      files.push({ generation: begun, content })
      stamp += content.commits
    }
    return files
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
    throw invalidJournal(problem, this.#remedy(shortJournalRemedy(closingNotePath(this.path))))
  }
}

/** What differs between folders of a disk and databases of a browser. */
export interface FolderRules {
  /** True if the generation before the current one stays, for repairs by hand. */
  readonly keepsPrevious: boolean
  /** What to do about any damage; null where it depends on the damage. */
  readonly remedy: string | null
}

const ON_DISK: FolderRules = { keepsPrevious: true, remedy: null }

type Replay = (commits: readonly Uint8Array[]) => void

/** Takes what a folder has while it is read. Others must see nothing of it before `finish`. */
export interface Recovery {
  /** Takes a dump of other dataclasses too. */
  readonly converts: boolean
  /** Called first. */
  begin(dump: CheckedDump): void
  /** Called with the commits after the dump, in order. */
  replay: Replay
  /** Called when all of it is read and valid. If false, it is read again, from `begin` on. */
  isComplete?(): boolean
  /** Brings the store to the state of the folder. */
  finish(found: Found): void
}

export interface JournalFile {
  readonly generation: number
  readonly content: JournalContent
}

export interface Found {
  /** The generation of the dump. */
  readonly generation: number
  readonly dumpBytes: number
  /** Oldest first; the next commits go to the last one. */
  readonly chain: readonly JournalFile[]
  /** Commits of the chain. */
  readonly commits: number
  /** Bytes of incomplete ends, which were being written when the machine stopped. */
  readonly dropped: number
}
