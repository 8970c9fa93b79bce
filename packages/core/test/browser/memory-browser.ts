import type {
  PieceChange,
  PieceDatabase,
  PieceReads,
} from '../../src/persistence/browser/indexed-db.ts'
import type { BrowserPorts, TabChannel } from '../../src/persistence/browser/ports.ts'

/** The fault of a change to a database. */
export type Fault =
  /** The browser refuses it, as for an exceeded quota, and changes nothing. */
  | 'refused'
  /** The tab ends before it, after it, or after writing a part of its bytes. */
  | 'before'
  | 'after'
  | 'torn'

interface State {
  readonly names: Map<string, number>
  /** File -> position -> bytes. */
  readonly pieces: Map<number, Map<number, Uint8Array>>
  /** What the tabs that have it open want called when it is removed. */
  readonly whenRemoved: Set<() => void>
}

/**
 * The databases, locks and channels of an origin, in memory. Each tab has its own ports. A tab that
 * ends loses its locks, and its calls never return.
 */
export class MemoryBrowser {
  readonly #databases = new Map<string, State>()
  readonly #held = new Map<string, MemoryTab>()
  #waiting: { readonly name: string; readonly tab: MemoryTab; grant(): void }[] = []
  readonly #channels = new Set<{ name: string; tab: MemoryTab; listener(data: unknown): void }>()
  #names = 0

  openTab(): MemoryTab {
    return new MemoryTab(this)
  }

  stateOf(name: string): State {
    let state = this.#databases.get(name)
    if (state === undefined) {
      state = { names: new Map(), pieces: new Map(), whenRemoved: new Set() }
      this.#databases.set(name, state)
    }
    return state
  }
  /** Also while tabs have it open, as when a user clears the data of a site. */
  deleteDatabase(name: string): void {
    const state = this.#databases.get(name)
    this.#databases.delete(name)
    for (const removed of state?.whenRemoved ?? []) queueMicrotask(removed)
  }

  tryLock(name: string, tab: MemoryTab): (() => void) | null {
    if (this.#held.has(name) || this.#waiting.some((one) => one.name === name)) return null
    return this.#grant(name, tab)
  }

  lock(name: string, tab: MemoryTab, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const waiting = { name, tab, grant: () => resolve(this.#grant(name, tab)) }
      this.#waiting.push(waiting)
      signal.addEventListener('abort', () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        reject(signal.reason)
      })
      this.#next(name)
    })
  }

  isUsed(name: string): boolean {
    return this.#held.has(name) || this.#waiting.some((one) => one.name === name)
  }

  #grant(name: string, tab: MemoryTab): () => void {
    this.#held.set(name, tab)
    return () => {
      if (this.#held.get(name) !== tab) return
      this.#held.delete(name)
      this.#next(name)
    }
  }

  #next(name: string): void {
    if (this.#held.has(name)) return
    const next = this.#waiting.find((one) => one.name === name)
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    next.grant()
  }

  openChannel(name: string, tab: MemoryTab, listener: (data: unknown) => void): TabChannel {
    const channel = { name, tab, listener }
    this.#channels.add(channel)
    return {
      post: (message) => {
        if (tab.hasEnded) return
        const data: unknown = structuredClone(message)
        for (const other of this.#channels) {
          if (other === channel || other.name !== name) continue
          queueMicrotask(() => {
            if (!other.tab.hasEnded && this.#channels.has(other)) other.listener(data)
          })
        }
      },
      close: () => void this.#channels.delete(channel),
    }
  }

  /** Releases the locks of a tab that has ended. */
  end(tab: MemoryTab): void {
    this.#waiting = this.#waiting.filter((one) => one.tab !== tab)
    for (const [name, holder] of [...this.#held])
      if (holder === tab) {
        this.#held.delete(name)
        this.#next(name)
      }
  }

  unique(): string {
    return `name ${++this.#names}`
  }
}

/** Never settles: the tab has ended. */
const never = new Promise<never>(() => undefined)

/** One tab. A journal is opened with its `ports`. */
export class MemoryTab {
  readonly #browser: MemoryBrowser
  hasEnded = false
  #onEnd: () => void = () => undefined
  /** Resolves when the tab has ended. */
  readonly ended = new Promise<void>((resolve) => {
    this.#onEnd = resolve
  })
  /** The number of changes to the database so far. */
  changes = 0
  /** Returns the fault of each change by its number; null for none. */
  faultAt: (change: number) => Fault | null = () => null

  constructor(browser: MemoryBrowser) {
    this.#browser = browser
  }

  /** The tab is killed. */
  end(): void {
    this.hasEnded = true
    this.#onEnd()
    this.#browser.end(this)
  }

  get ports(): BrowserPorts {
    const browser = this.#browser
    return {
      openDatabase: async (name, removed) =>
        this.hasEnded ? never : this.#open(browser.stateOf(name), removed),
      deleteDatabase: async (name) => browser.deleteDatabase(name),
      locks: {
        // Code of an ended tab may continue here and must not get a lock.
        tryLock: async (name) => (this.hasEnded ? never : browser.tryLock(name, this)),
        lock: (name, signal) => (this.hasEnded ? never : browser.lock(name, this, signal)),
        isUsed: async (name) => browser.isUsed(name),
      },
      openChannel: (name, listener) => browser.openChannel(name, this, listener),
      unique: () => browser.unique(),
      later: (_, callback) => {
        let isCancelled = false
        queueMicrotask(() => {
          if (!isCancelled && !this.hasEnded) callback()
        })
        return () => {
          isCancelled = true
        }
      },
      dumpPieceLength: 100,
      journalFileBytes: 1500,
    }
  }

  #open(state: State, removed: () => void = () => undefined): PieceDatabase {
    let isRemoved = false
    const whenRemoved = (): void => {
      isRemoved = true
      if (!this.hasEnded) removed()
    }
    state.whenRemoved.add(whenRemoved)
    return {
      read: () => readsOf(state),
      change: async (change) => {
        await undefined
        if (this.hasEnded) return never
        if (isRemoved) throw new Error('InvalidStateError')
        const fault = this.faultAt(this.changes++)
        if (fault === 'refused') throw new Error('QuotaExceededError')
        if (fault === 'after' || fault === null) apply(state, change)
        if (fault === 'torn') apply(state, torn(change))
        if (fault === null) return
        this.end()
        return never
      },
      close: () => void state.whenRemoved.delete(whenRemoved),
    }
  }
}

/** A copy of all names and pieces, so that reads see one state. */
function readsOf({ names, pieces }: State): PieceReads {
  const copiedNames = new Map(names)
  const copied = new Map([...pieces].map(([file, ofFile]) => [file, new Map(ofFile)]))
  return {
    names: async () => copiedNames,
    pieces: async function* (file) {
      for (const [, bytes] of [...(copied.get(file) ?? [])].sort(([a], [b]) => a - b)) yield bytes
    },
  }
}

function apply(state: State, { dropped = [], cut, pieces = [], names = [] }: PieceChange): void {
  for (const file of dropped) state.pieces.delete(file)
  const ofCut = cut === undefined ? undefined : state.pieces.get(cut.file)
  for (const at of [...(ofCut?.keys() ?? [])]) if (at >= cut!.at) ofCut!.delete(at)
  for (const { file, at, bytes } of pieces) {
    const ofFile = state.pieces.get(file) ?? new Map<number, Uint8Array>()
    state.pieces.set(file, ofFile)
    ofFile.set(at, bytes.slice())
  }
  for (const { name, file } of names) {
    if (file === null) state.names.delete(name)
    else state.names.set(name, file)
  }
}

/** Worse than a browser: half of the bytes of the last piece. Names change atomically. */
function torn(change: PieceChange): PieceChange {
  if (change.pieces === undefined || change.names !== undefined) return change
  return {
    ...change,
    pieces: change.pieces.map((piece) => ({
      ...piece,
      bytes: piece.bytes.subarray(0, piece.bytes.length >> 1),
    })),
  }
}
