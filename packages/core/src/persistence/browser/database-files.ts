import { invariant } from '../../errors.ts'
import { joined } from '../../store/dump/line-writer.ts'
import type { JournalFiles, OpenFile } from '../journal/journal-files.ts'
import type { PieceDatabase, PieceReads } from './indexed-db.ts'

/** Bytes that wait for a `sync` at most. Dumps exceed this. */
const MAX_WAITING_BYTES = 1_048_576

/**
 * The files of a journal in a database. Each write of the database is durable and happens as a
 * whole, so a crash leaves a file as of its last `sync`, or with a part of what was written since.
 * Only one tab may write; `snapshot` is for the others.
 */
export class DatabaseFiles implements JournalFiles {
  readonly #database: PieceDatabase
  readonly #folder: string
  /** The reads of a snapshot; null for the present. */
  readonly #reads: PieceReads | null
  /** The next number of a file, once one is created. */
  #next: number | null = null

  constructor(database: PieceDatabase, folder: string, reads: PieceReads | null = null) {
    this.#database = database
    this.#folder = folder
    this.#reads = reads
  }

  /** The files of this moment, for reading. Removals from a snapshot have no effect. */
  snapshot(): JournalFiles {
    return new DatabaseFiles(this.#database, this.#folder, this.#database.read())
  }

  async open(path: string, flags: 'w' | 'r+' | 'r'): Promise<OpenFile> {
    // A folder needs no sync: names are durable at once.
    if (flags === 'r') throw failure('EISDIR', path)
    const name = this.#nameOf(path)
    const names = await this.#database.read().names()
    const file = names.get(name)
    if (flags === 'r+') {
      if (file === undefined) throw failure('ENOENT', path)
      return DatabaseFile.open(this.#database, file)
    }
    this.#next ??= Math.max(0, ...names.values()) + 1
    const created = this.#next++
    const dropped = file === undefined ? [] : [file]
    await this.#database.change({ dropped, names: [{ name, file: created }] })
    return new DatabaseFile(this.#database, created, 0)
  }

  async readFile(path: string): Promise<Uint8Array> {
    return this.readPieces(path, joined)
  }

  async readPieces<T>(path: string, read: (pieces: readonly Uint8Array[]) => T): Promise<T> {
    const pieces: Uint8Array[] = []
    for await (const piece of this.readBlocks(path)) pieces.push(piece)
    return read(pieces)
  }

  async *readBlocks(path: string): AsyncGenerator<Uint8Array, void> {
    const reads = this.#reads ?? this.#database.read()
    const file = (await reads.names()).get(this.#nameOf(path))
    if (file === undefined) throw failure('ENOENT', path)
    yield* reads.pieces(file)
  }

  async readdir(): Promise<readonly string[]> {
    return [...(await (this.#reads ?? this.#database.read()).names()).keys()]
  }

  async rename(from: string, to: string): Promise<void> {
    const names = await this.#database.read().names()
    const file = names.get(this.#nameOf(from))
    if (file === undefined) throw failure('ENOENT', from)
    const replaced = names.get(this.#nameOf(to))
    await this.#database.change({
      dropped: replaced === undefined ? [] : [replaced],
      names: [
        { name: this.#nameOf(to), file },
        { name: this.#nameOf(from), file: null },
      ],
    })
  }

  async unlink(path: string): Promise<void> {
    if (this.#reads !== null) return
    const name = this.#nameOf(path)
    const file = (await this.#database.read().names()).get(name)
    if (file === undefined) throw failure('ENOENT', path)
    await this.#database.change({ dropped: [file], names: [{ name, file: null }] })
  }

  #nameOf(path: string): string {
    return path.slice(this.#folder.length + 1)
  }
}

/** Appends only, after a `truncate` where necessary: a journal needs no more. */
class DatabaseFile implements OpenFile {
  readonly #database: PieceDatabase
  readonly #file: number
  /** Bytes in the database. */
  #stored: number
  #waiting: Uint8Array[] = []
  #waitingBytes = 0

  static async open(database: PieceDatabase, file: number): Promise<DatabaseFile> {
    let length = 0
    for await (const piece of database.read().pieces(file)) length += piece.length
    return new DatabaseFile(database, file, length)
  }

  constructor(database: PieceDatabase, file: number, stored: number) {
    this.#database = database
    this.#file = file
    this.#stored = stored
  }

  async write(bytes: Uint8Array, offset: number, length: number, position: number) {
    invariant(position === this.#stored + this.#waitingBytes, 'a journal is written at its end.')
    this.#waiting.push(bytes.subarray(offset, offset + length))
    this.#waitingBytes += length
    if (this.#waitingBytes >= MAX_WAITING_BYTES) await this.sync()
    return { bytesWritten: length }
  }

  async truncate(length: number): Promise<void> {
    invariant(this.#waitingBytes === 0, 'a journal is truncated before it is written.')
    if (length === this.#stored) return
    const file = this.#file
    let at = 0
    let cut = new Uint8Array(0)
    for await (const piece of this.#database.read().pieces(file)) {
      if (at + piece.length > length) {
        cut = piece.slice(0, length - at)
        break
      }
      at += piece.length
    }
    const pieces = cut.length === 0 ? [] : [{ file, at, bytes: cut }]
    await this.#database.change({ cut: { file, at }, pieces })
    this.#stored = length
  }

  /** If it fails, the bytes wait for the next call: the database has none of them. */
  async sync(): Promise<void> {
    if (this.#waitingBytes === 0) return
    const bytes = joined(this.#waiting)
    const piece = { file: this.#file, at: this.#stored, bytes }
    await this.#database.change({ pieces: [piece] })
    this.#waiting = []
    this.#waitingBytes = 0
    this.#stored += bytes.length
  }

  /** Drops bytes that were written and not synced. */
  async close(): Promise<void> {}
}

const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code })
