import { defaultIds } from '../../ports.ts'
import { PIECE_LENGTH } from '../../store/dump/line-writer.ts'
import { refused } from '../../value/check-options.ts'
import type { JournalPace } from '../journal/store-journal.ts'
import { deleteIndexedDb, type IndexedDb, openIndexedDb, type PieceDatabase } from './indexed-db.ts'

/** Locks that the tabs of an origin share. The end of a tab, also a crash, releases its locks. */
export interface TabLocks {
  /** Resolves to the function that releases the lock; null if another tab holds it. */
  tryLock(name: string): Promise<(() => void) | null>
  /** The same once every earlier holder has released it. Rejects when the signal aborts. */
  lock(name: string, signal: AbortSignal): Promise<() => void>
  /** True if a tab holds the lock or waits for it. */
  isUsed(name: string): Promise<boolean>
}

/** Messages between the tabs of an origin. A tab does not get its own. */
export interface TabChannel {
  post(message: unknown): void
  close(): void
}

/** What a journal in a browser needs from outside. Only tests use other ports. */
export interface BrowserPorts extends JournalPace {
  /** `removed` is called if the browser removes the database while it is open. */
  openDatabase(name: string, removed?: () => void): Promise<PieceDatabase>
  deleteDatabase(name: string): Promise<void>
  readonly locks: TabLocks
  openChannel(name: string, listener: (message: unknown) => void): TabChannel
  /** A text that no other call returns, in any tab. */
  unique(): string
}

interface LockOptions {
  readonly ifAvailable?: true
  readonly signal?: AbortSignal
}
interface Locks {
  request(
    name: string,
    options: LockOptions,
    callback: (lock: unknown) => Promise<void> | undefined,
  ): Promise<unknown>
  query(): Promise<{
    readonly held?: readonly { readonly name?: string }[]
    readonly pending?: readonly { readonly name?: string }[]
  }>
}
interface Channel {
  onmessage: ((event: { readonly data: unknown }) => void) | null
  postMessage(message: unknown): void
  close(): void
}
interface Host extends IndexedDb {
  readonly navigator: { readonly locks: Locks }
  readonly BroadcastChannel: new (name: string) => Channel
}

/**
 * The ports of a page or a worker. Throws `argumentInvalid` where the browser does not have what a
 * journal needs.
 */
export function browserPorts(): BrowserPorts {
  const host = hostOf(globalThis)
  return {
    openDatabase: (name, removed) => openIndexedDb(host, name, removed),
    deleteDatabase: (name) => deleteIndexedDb(host, name),
    locks: tabLocks(host.navigator.locks),
    openChannel: (name, listener) => {
      const channel = new host.BroadcastChannel(name)
      channel.onmessage = ({ data }) => listener(data)
      return { post: (message) => channel.postMessage(message), close: () => channel.close() }
    },
    unique: () => defaultIds.uuid(),
    later,
    dumpPieceLength: PIECE_LENGTH,
    journalFileBytes: 1 << 28,
  }
}

function hostOf(scope: object): Host {
  const host = scope as Partial<Host>
  const missing = [
    ...(host.indexedDB === undefined ? ['IndexedDB'] : []),
    ...(host.navigator?.locks === undefined ? ['Web Locks'] : []),
    ...(host.BroadcastChannel === undefined ? ['BroadcastChannel'] : []),
  ]
  if (missing.length === 0) return host as Host
  const expected = 'a page or worker of an origin with HTTPS, or of localhost'
  throw refused('The program', expected, `one without ${missing.join(' and ')}`)
}

function tabLocks(locks: Locks): TabLocks {
  const lock = (name: string, options: LockOptions): Promise<(() => void) | null> =>
    new Promise((resolve, reject) => {
      locks
        .request(name, options, (granted) => {
          if (granted !== null) return new Promise<void>((release) => resolve(release))
          resolve(null)
          return undefined
        })
        .catch(reject)
    })
  return {
    tryLock: (name) => lock(name, { ifAvailable: true }),
    lock: (name, signal) => lock(name, { signal }) as Promise<() => void>,
    isUsed: async (name) => {
      const { held = [], pending = [] } = await locks.query()
      return [...held, ...pending].some((one) => one.name === name)
    },
  }
}

/** Without a delay it calls back before the tab does anything else: timers of a hidden tab wait. */
function later(milliseconds: number, callback: () => void): () => void {
  if (milliseconds > 0) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  }
  let isCancelled = false
  queueMicrotask(() => {
    if (!isCancelled) callback()
  })
  return () => {
    isCancelled = true
  }
}
