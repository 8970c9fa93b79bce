import type { OpenFile } from '../../src/persistence/journal/journal-files.ts'
import type { FileSystem } from '../../src/persistence/node/file-system.ts'

interface Stored {
  /** What a reader sees. */
  bytes: Uint8Array
  /** What a loss of power leaves for certain. */
  durable: Uint8Array
}

const failure = (code: string): Error => Object.assign(new Error(code), { code })

/** Thrown by every call after the power is gone. */
const POWER_LOST = 'POWER_LOST'

export type StepKind =
  | 'open'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'syncFolder'
  | 'create'
  | 'rename'
  | 'link'
  | 'unlink'

/**
 * Files in memory that know what was synced. After `stepsLeft` calls that write or sync, the power
 * is lost: the call that it meets is done in part or not at all, and nothing after it is done.
 */
export class MemoryFiles implements FileSystem {
  #names = new Map<string, Stored>()
  readonly #identities = new WeakMap<Stored, string>()
  #nextIdentity = 1
  #durableNames = new Map<string, Stored>()
  stepsLeft = Number.POSITIVE_INFINITY
  /** Called before every such call; what it throws fails the call alone. */
  beforeStep: ((kind: StepKind, path: string) => void) | null = null
  steps = 0

  /**
   * The files as another machine finds them after a loss of power. `chance` below 1 decides what of
   * the unsynced is there.
   */
  afterPowerLoss(chance: () => number): MemoryFiles {
    const found = new MemoryFiles()
    const names = new Map(this.#durableNames)
    for (const [name, file] of this.#names)
      if (names.get(name) !== file && chance() < 0.5) names.set(name, file)
    for (const name of names.keys())
      if (!this.#names.has(name) && chance() < 0.5) names.delete(name)
    for (const [name, { bytes, durable }] of names) {
      const survived = survivors(bytes, durable, chance)
      const stored = { bytes: survived, durable: survived }
      found.#names.set(name, stored)
      found.#durableNames.set(name, stored)
    }
    return found
  }

  /** The same files once more, all of them on the disk. */
  copy(): MemoryFiles {
    const copied = new MemoryFiles()
    for (const [name, { bytes }] of this.#names) copied.set(name, bytes)
    return copied
  }

  #step(kind: StepKind, path: string): boolean {
    if (this.stepsLeft <= 0) throw failure(POWER_LOST)
    this.beforeStep?.(kind, path)
    this.steps++
    return --this.stepsLeft > 0
  }

  async open(path: string, flags: string): Promise<OpenFile> {
    if (
      flags === 'r' &&
      !this.#names.has(path) &&
      [...this.#names.keys()].some((name) => name.startsWith(`${path}/`))
    )
      return this.#folder(path)
    let stored = this.#names.get(path)
    if (stored === undefined) {
      if (flags.startsWith('r')) throw failure('ENOENT')
      this.#step('open', path)
      stored = { bytes: new Uint8Array(0), durable: new Uint8Array(0) }
      this.#names.set(path, stored)
    } else if (flags === 'wx') throw failure('EEXIST')
    else if (flags === 'w') {
      this.#step('open', path)
      stored.bytes = new Uint8Array(0)
    }
    return this.#file(stored, path)
  }

  #file(stored: Stored, path: string): OpenFile {
    return {
      write: async (bytes, offset, length, position) => {
        const isWhole = this.#step('write', path)
        // Short writes are legal.
        const written = isWhole && length < 40 ? length : Math.ceil(length / 2)
        const grown = new Uint8Array(Math.max(stored.bytes.length, position + written))
        grown.set(stored.bytes)
        grown.set(bytes.subarray(offset, offset + written), position)
        stored.bytes = grown
        return { bytesWritten: written }
      },
      truncate: async (length) => {
        this.#step('truncate', path)
        stored.bytes = stored.bytes.slice(0, length)
      },
      sync: async () => {
        if (this.#step('sync', path)) stored.durable = stored.bytes.slice()
      },
      close: async () => undefined,
    }
  }

  #folder(path: string): OpenFile {
    const nothing = async (): Promise<never> => {
      throw failure('EISDIR')
    }
    return {
      write: nothing,
      truncate: nothing,
      sync: async () => {
        if (!this.#step('syncFolder', path)) return
        const inside = (name: string): boolean => name.startsWith(`${path}/`)
        for (const name of [...this.#durableNames.keys()])
          if (inside(name)) this.#durableNames.delete(name)
        for (const [name, file] of this.#names) if (inside(name)) this.#durableNames.set(name, file)
      },
      close: async () => undefined,
    }
  }

  async readFile(path: string): Promise<Uint8Array> {
    const stored = this.#names.get(path)
    if (stored === undefined) throw failure('ENOENT')
    return stored.bytes.slice()
  }
  async readPieces<T>(path: string, read: (pieces: readonly Uint8Array[]) => T): Promise<T> {
    const bytes = await this.readFile(path)
    return read(
      Array.from({ length: Math.ceil(bytes.length / 64) }, (_, i) =>
        bytes.slice(i * 64, (i + 1) * 64),
      ),
    )
  }
  async *readBlocks(path: string): AsyncGenerator<Uint8Array, void> {
    yield* await this.readPieces(path, (pieces) => pieces)
  }
  async createFile(path: string, text: string): Promise<void> {
    if (this.#names.has(path)) throw failure('EEXIST')
    this.#step('create', path)
    const bytes = new TextEncoder().encode(text)
    this.#names.set(path, { bytes, durable: new Uint8Array(0) })
  }
  async readdir(path: string): Promise<readonly string[]> {
    return [...this.#names.keys()].flatMap((name) =>
      name.startsWith(`${path}/`) ? [name.slice(path.length + 1)] : [],
    )
  }
  async mkdir(): Promise<void> {}
  async rename(from: string, to: string): Promise<void> {
    const stored = this.#names.get(from)
    if (stored === undefined) throw failure('ENOENT')
    this.#step('rename', to)
    this.#names.delete(from)
    this.#names.set(to, stored)
  }
  async link(from: string, to: string): Promise<void> {
    const stored = this.#names.get(from)
    if (stored === undefined) throw failure('ENOENT')
    this.#step('link', to)
    this.#names.set(to, stored)
  }
  async unlink(path: string): Promise<void> {
    if (!this.#names.has(path)) throw failure('ENOENT')
    this.#step('unlink', path)
    this.#names.delete(path)
  }

  async identityOf(path: string): Promise<string | null> {
    const stored = this.#names.get(path)
    if (stored === undefined) return null
    const known = this.#identities.get(stored) ?? String(this.#nextIdentity++)
    this.#identities.set(stored, known)
    return known
  }

  /** For tests that damage a file. */
  set(path: string, bytes: Uint8Array): void {
    this.#names.set(path, { bytes, durable: bytes })
    this.#durableNames.set(path, { bytes, durable: bytes })
  }
  get paths(): readonly string[] {
    return [...this.#names.keys()].sort()
  }
}

/**
 * What is found of a file: synced bytes as they were, of the others any part, in any order, with
 * zeros for what is missing.
 */
function survivors(bytes: Uint8Array, durable: Uint8Array, chance: () => number): Uint8Array {
  let same = 0
  while (same < bytes.length && same < durable.length && bytes[same] === durable[same]) same++
  if (same === durable.length && same === bytes.length) return durable
  if (same < durable.length) return chance() < 0.5 ? durable : bytes
  const length = same + Math.floor(chance() * (bytes.length - same + 1))
  const found = bytes.slice(0, length)
  const sector = 16
  for (let at = same; at < length; at += sector)
    if (chance() < 0.3) found.fill(0, at, Math.min(at + sector, length))
  return found
}
