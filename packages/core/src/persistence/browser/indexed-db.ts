import { lengthOf } from '../journal/journal-frame.ts'
import { ownBytes } from './browser-options.ts'

/** Changes that a database makes together or not at all, in this order. */
export interface PieceChange {
  /** Removes all pieces of these files. */
  readonly dropped?: readonly number[]
  /** Removes the pieces of a file from a position on. */
  readonly cut?: { readonly file: number; readonly at: number }
  /** Adds pieces to files. */
  readonly pieces?: readonly Piece[]
  /** Gives names to files; null removes a name. */
  readonly names?: readonly { readonly name: string; readonly file: number | null }[]
}

/** Bytes of a file, from a position on. */
export interface Piece {
  readonly file: number
  readonly at: number
  readonly bytes: Uint8Array
}

/**
 * Reads one state of a database, whatever is changed meanwhile. Await nothing else between reads.
 */
export interface PieceReads {
  /** The files by name. */
  names(): Promise<ReadonlyMap<string, number>>
  /** The pieces of a file in order, without gaps. */
  pieces(file: number): AsyncIterable<Uint8Array>
}

/**
 * What a journal needs from a database: numbered files of pieces of bytes, and names for them.
 * IndexedDB implements it; tests use one in memory that injects faults.
 */
export interface PieceDatabase {
  /** Starts to read the state of now. */
  read(): PieceReads
  /** Resolves when the changes survive a crash of the browser and of the machine. */
  change(change: PieceChange): Promise<void>
  close(): void
}

// The part of IndexedDB that is used here: this package is compiled without the types of browsers.

interface Pending<T> {
  readonly result: T
  readonly error: unknown
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}
interface Opening extends Pending<Connection> {
  onupgradeneeded: (() => void) | null
  onblocked: (() => void) | null
}
interface ObjectStore {
  put(value: unknown, key: unknown): Pending<unknown>
  delete(key: unknown): Pending<unknown>
  getAll(range?: unknown, count?: number): Pending<readonly unknown[]>
  getAllKeys(): Pending<readonly unknown[]>
}
interface Transaction {
  readonly error: unknown
  oncomplete: (() => void) | null
  onabort: (() => void) | null
  objectStore(name: string): ObjectStore
  abort(): void
  commit?(): void
}
interface Connection {
  onversionchange: (() => void) | null
  onclose: (() => void) | null
  createObjectStore(name: string): unknown
  transaction(
    names: readonly string[],
    mode: 'readonly' | 'readwrite',
    options?: { readonly durability: 'strict' },
  ): Transaction
  close(): void
}
export interface IndexedDb {
  readonly indexedDB: {
    open(name: string, version: number): Opening
    deleteDatabase(name: string): Opening
  }
  readonly IDBKeyRange: { bound(from: unknown, to: unknown): unknown }
}

/** Name of a file -> its number. */
const NAMES = 'names'
/** Number of a file and position in it -> bytes. */
const PIECES = 'pieces'
/** Pieces of one read: about 16 MiB of a dump. */
const PIECES_AT_ONCE = 16

/**
 * Opens or creates a database. Rejects with errors of the browser, for example in a private window
 * without storage. `removed` is called if the browser removes the database while it is open.
 */
export async function openIndexedDb(
  host: IndexedDb,
  name: string,
  removed: () => void = () => undefined,
): Promise<PieceDatabase> {
  const opening = host.indexedDB.open(name, 1)
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(NAMES)
    opening.result.createObjectStore(PIECES)
  }
  const connection = await resultOf(opening)
  // Otherwise an open tab would block a deletion of the database for ever.
  connection.onversionchange = () => {
    connection.close()
    removed()
  }
  // The user cleared the data of the site, or the browser needs their space.
  connection.onclose = removed
  return new IndexedDbDatabase(host, connection)
}

/** Deletes a database if it exists. */
export async function deleteIndexedDb(host: IndexedDb, name: string): Promise<void> {
  await resultOf(host.indexedDB.deleteDatabase(name))
}

class IndexedDbDatabase implements PieceDatabase {
  readonly #host: IndexedDb
  readonly #connection: Connection

  constructor(host: IndexedDb, connection: Connection) {
    this.#host = host
    this.#connection = connection
  }

  read(): PieceReads {
    const transaction = this.#connection.transaction([NAMES, PIECES], 'readonly')
    const names = transaction.objectStore(NAMES)
    const pieces = transaction.objectStore(PIECES)
    return {
      names: async () => {
        const [keys, files] = await Promise.all([
          resultOf(names.getAllKeys()),
          resultOf(names.getAll()),
        ])
        return new Map(keys.map((key, i) => [String(key), Number(files[i])]))
      },
      pieces: (file) => this.#pieces(pieces, file),
    }
  }

  async *#pieces(stored: ObjectStore, file: Piece['file']): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; ; ) {
      const range = this.#rangeOf(file, at)
      const found = (await resultOf(stored.getAll(range, PIECES_AT_ONCE))) as Uint8Array[]
      yield* found
      if (found.length < PIECES_AT_ONCE) return
      at += lengthOf(found)
    }
  }

  async change({ dropped = [], cut, pieces = [], names = [] }: PieceChange): Promise<void> {
    const transaction = this.#connection.transaction([NAMES, PIECES], 'readwrite', {
      durability: 'strict',
    })
    const done = completionOf(transaction)
    try {
      const stored = transaction.objectStore(PIECES)
      const named = transaction.objectStore(NAMES)
      for (const file of dropped) stored.delete(this.#rangeOf(file, 0))
      if (cut !== undefined) stored.delete(this.#rangeOf(cut.file, cut.at))
      for (const { file, at, bytes } of pieces) stored.put(ownBytes(bytes), [file, at])
      for (const { name, file } of names) {
        if (file === null) named.delete(name)
        else named.put(file, name)
      }
      transaction.commit?.()
    } catch (error) {
      transaction.abort()
      await done.catch(() => undefined)
      throw error
    }
    return done
  }

  close(): void {
    this.#connection.close()
  }

  #rangeOf(file: Piece['file'], at: number): unknown {
    return this.#host.IDBKeyRange.bound([file, at], [file, Number.POSITIVE_INFINITY])
  }
}

function resultOf<T>(pending: Pending<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    pending.onsuccess = () => resolve(pending.result)
    pending.onerror = () => reject(problemOf(pending.error))
  })
}

function completionOf(transaction: Transaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(problemOf(transaction.error))
  })
}

/** Errors of a browser for a full disk have no message, or one about its files. */
function problemOf(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' }
  if (name === 'QuotaExceededError')
    return new Error('the storage of this origin is full (QuotaExceededError)', { cause: error })
  const text = [name, message].filter((part) => part !== '').join(': ')
  return new Error(text === '' ? 'the browser closed the database' : text, { cause: error })
}
