import { checkDump } from '../engine/read-dump.ts'
import type { StoreKeep } from '../engine/store-keep.ts'
import { EntiaError } from '../errors.ts'
import { naming } from './dump-file.ts'
import { codeOf, type FileSystem, removeFile, syncFolder } from './file-system.ts'
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

  /** Writes the dump of a generation, and lets go of all but it and the one before. */
  async writeDump(generation: number, bytes: Uint8Array): Promise<void> {
    await replaceFile(this.files, this.dumpPath(generation), bytes, null)
    const { dumps, journals } = await this.list()
    const [, previous = generation] = dumps.filter((one) => one <= generation)
    for (const old of dumps) if (old < previous) await removeFile(this.files, this.dumpPath(old))
    for (const old of journals) if (old < previous) await removeFile(this.files, this.journalPath(old))
    await syncFolder(this.files, this.path)
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
   * Fills a store with what the folder holds; null where it holds nothing. Rejects with `dumpInvalid`, naming the file, for what is damaged,
   * missing or of other dataclasses, before the store is touched.
   */
  async recover(keep: StoreKeep): Promise<Recovered | null> {
    const { dumps, journals } = await this.list()
    const [generation] = dumps
    if (generation === undefined) {
      // Begun, and the machine stopped before its first dump was on the disk: nothing was promised.
      for (const one of journals) await this.#removeUnused(this.journalPath(one))
      return null
    }
    const path = this.dumpPath(generation)
    const dumpBytes = await this.files.readFile(path)
    const dump = naming(path, () => {
      const checked = checkDump(dumpBytes)
      checked.checkModel(keep.catalog)
      if (checked.globalStamp === generation) return checked
      throw new EntiaError('dumpInvalid', { problem: `it is of global stamp ${checked.globalStamp}.` })
    })
    const chain = await this.#chain(generation, journals.filter((one) => one >= generation).reverse())
    const commits = chain.files.flatMap(({ content }) => content.commits.map(({ payload }) => payload))
    naming(path, () => keep.replace(dump, commits))
    return {
      generation,
      dumpBytes: dumpBytes.length,
      chain: chain.files,
      commits: commits.length,
      dropped: chain.dropped,
    }
  }

  async #removeUnused(path: string): Promise<void> {
    const bytes = await this.files.readFile(path)
    const content = naming(path, () => readJournal(bytes))
    if (content !== null && content.commits.length > 0) throw missing(`the dump that ${path} follows is not there`)
    await removeFile(this.files, path)
  }

  /** The journals from a generation on, oldest first, up to the end that was being written. */
  async #chain(
    generation: number,
    journals: readonly number[],
  ): Promise<{ readonly files: readonly JournalFile[]; readonly dropped: number }> {
    if (journals[0] !== generation) throw missing(`${this.journalPath(generation)} is not there`)
    const files: JournalFile[] = []
    let stamp = generation
    let dropped = 0
    for (const begun of journals) {
      const path = this.journalPath(begun)
      const bytes = await this.files.readFile(path)
      const content = naming(path, () => readJournal(bytes))
      const isFollowing = content !== null && content.base === begun && begun === stamp
      if (!isFollowing) {
        // Begun, and the machine stopped before the journal of before was on the disk as a whole.
        const isUnused = content === null || content.commits.length === 0
        if (begun === generation || !isUnused) throw missing(`${path} does not follow global stamp ${stamp}`)
        await removeFile(this.files, path)
        continue
      }
      files.push({ generation: begun, content })
      dropped += bytes.length - content.end
      stamp += content.commits.length
    }
    return { files, dropped }
  }
}

interface JournalFile {
  readonly generation: number
  readonly content: JournalContent
}

export interface Recovered {
  /** That of the dump. */
  readonly generation: number
  readonly dumpBytes: number
  /** Oldest first; the last is the one to go on with. */
  readonly chain: readonly JournalFile[]
  readonly commits: number
  /** Bytes at the end that were being written when the machine stopped. */
  readonly dropped: number
}

const missing = (what: string): EntiaError => new EntiaError('dumpInvalid', { problem: `${what}.` })

/** Takes a folder for this process. Rejects with `folderInUse` while another one has it; one that has died has it no more. */
export async function lockFolder(
  files: FileSystem,
  folder: string,
  process: LockingProcess,
): Promise<() => Promise<void>> {
  const path = `${folder}/lock`
  for (let attempt = 0; ; attempt++) {
    try {
      await files.createFile(path, `${process.pid} ${process.startedAt}\n`)
      return () => removeFile(files, path)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    const [pid = 0, startedAt] = (await readText(files, path)).split(' ').map(Number)
    // After a restart a container gives the same number to another process.
    const isOwn = pid === process.pid && startedAt === process.startedAt
    const isHeld = isOwn || (pid !== process.pid && Number.isSafeInteger(pid) && pid > 0 && process.isAlive(pid))
    if (isHeld || attempt === 2) throw new EntiaError('folderInUse', { folder, process: String(pid), file: path })
    await removeFile(files, path)
  }
}

/** The process that wants a folder, and how it knows of others. */
export interface LockingProcess {
  readonly pid: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  isAlive(pid: number): boolean
}

async function readText(files: FileSystem, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await files.readFile(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}
