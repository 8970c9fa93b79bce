import { isEntiaError } from '../../errors.ts'
import type { StoreCore } from '../../model/store-types.ts'
import type { Persistence } from '../../store/dump/persistence.ts'
import type { Writer } from '../../write/writer.ts'
import { journalError } from '../journal/journal-errors.ts'
import type { Journal } from '../journal/store-journal.ts'
import {
  type BrowserJournal,
  type BrowserRole,
  type BrowserSettings,
  DATABASE_PREFIX,
} from './browser-options.ts'
import { Follower } from './follower.ts'
import { messageOf, propose, type TabMessage } from './messages.ts'
import type { BrowserPorts, TabChannel } from './ports.ts'
import { textOf, WritingTab } from './writing-tab.ts'

/** The errors of one journal in one tab, by its name. */
const tabErrors = (journal: string) => ({
  writeInFollower: () =>
    journalError('notWriter', {
      journal,
      problem: 'this one follows it, and the change was not made.',
      remedy: 'Use `await journal.transact(…)`, which works in every tab.',
    }),
  compactInFollower: () =>
    journalError('notWriter', {
      journal,
      problem: 'this one follows it and does not compact it.',
      remedy: 'Call compact() in the tab whose `journal.role` is "writer".',
    }),
  /** Nothing of the transaction was kept, and nothing of it will be. */
  notKept: (problem: string) =>
    journalError('notWriter', {
      journal,
      problem: `it did not keep this transaction. ${problem}`,
      remedy: 'Run the transaction again once that is solved.',
    }),
  outcomeUnknown: (problem: string, options?: ErrorOptions) =>
    journalError('outcomeUnknown', { journal, problem }, options),
  removed: () => journalError('journalRemoved', { journal }),
  notTakenOver: (cause: unknown) =>
    journalError(
      'journalFailed',
      {
        file: journal,
        problem: `this tab was to write it after another one, and could not (${textOf(cause)}).`,
        remedy: 'load the page again once that is solved.',
      },
      { cause },
    ),
  closed: () =>
    journalError('journalFailed', {
      file: journal,
      problem: 'the journal was closed.',
      remedy: 'close it after everything that writes has stopped.',
    }),
})

/** What a tab is opened with. The store has no journal yet. */
interface TabParts<T> {
  readonly store: StoreCore<T>
  readonly persistence: Persistence
  readonly writer: Writer
  readonly name: string
  readonly settings: BrowserSettings
  readonly ports: BrowserPorts
}

/** The journal of one tab: it writes, follows, and takes over. */
export class TabJournal<T> implements BrowserJournal<T> {
  readonly #parts: TabParts<T>
  readonly #database: string
  readonly #errors: ReturnType<typeof tabErrors>
  readonly #channel: TabChannel
  readonly #follower: Follower
  readonly #waiting = new AbortController()
  #writing: WritingTab | null = null
  #role: BrowserRole = 'follower'
  #closing: Promise<void> | null = null
  /** Why the journal has ended, unless the program has closed it. */
  #error: Error | null = null
  /** Messages and take-overs, one after the other. */
  #tasks: Promise<unknown> = Promise.resolve()
  /** Transactions, one after the other. */
  #transactions: Promise<unknown> = Promise.resolve()
  /** True once `open` has resolved. */
  #isOpen = false
  /** Settles `open` in a tab that follows. */
  #opening: { resolve(): void; reject(error: unknown): void } | null = null

  static async open<T>(parts: TabParts<T>): Promise<TabJournal<T>> {
    const tab = new TabJournal(parts)
    try {
      await tab.#open()
    } catch (error) {
      tab.#end()
      throw error
    }
    tab.#isOpen = true
    return tab
  }

  private constructor(parts: TabParts<T>) {
    const { persistence, writer, name, ports } = parts
    this.#parts = parts
    this.#errors = tabErrors(name)
    this.#database = `${DATABASE_PREFIX}${name}`
    this.#follower = new Follower(persistence, writer, this.#database, ports)
    this.#channel = ports.openChannel(this.#database, (message) => this.#receive(message))
  }

  get role(): BrowserRole {
    return this.#role
  }
  get error(): Error | null {
    return this.#error
  }
  get recovered(): Journal['recovered'] {
    return this.#follower.recovered
  }

  async #open(): Promise<void> {
    const { writer, ports } = this.#parts
    const release = await ports.locks.tryLock(this.#database)
    if (release !== null) return this.#run(() => this.#write(release))
    writer.beforeCommit = () => {
      throw this.#errors.writeInFollower()
    }
    const isOpen = new Promise<void>((resolve, reject) => {
      this.#opening = { resolve, reject }
    })
    ports.locks.lock(this.#database, this.#waiting.signal).then(
      (granted) => this.#queue(() => this.#takeOver(granted)),
      (error: unknown) => {
        if (!this.#waiting.signal.aborted) this.#fail(error)
      },
    )
    this.#post({ kind: 'following' })
    // A database that is still empty gets its first state from the tab that has the lock.
    this.#queue(() => this.#follow(() => this.#follower.catchUp()))
    await isOpen
  }

  async flush(): Promise<void> {
    this.#refuseClosed()
    if (this.#writing === null) return
    const writing = this.#writing
    await writing.journal.flush()
    if (!writing.hasStaleProposal) return
    // Otherwise a tab that writes and flushes in a loop would be the only one that ever commits.
    // All is on the disk already, so a close in between changes nothing.
    writing.hasStaleProposal = false
    await this.#inTurn(async () => undefined).catch(() => undefined)
  }

  async compact(): Promise<void> {
    this.#refuseClosed()
    if (this.#writing !== null) return this.#writing.journal.compact()
    throw this.#errors.compactInFollower()
  }

  transact<R>(body: (tx: T) => R extends PromiseLike<unknown> ? never : R): Promise<R> {
    const run = this.#transactions.then(() => {
      this.#refuseClosed()
      const isAlone = this.#writing !== null && !this.#writing.isFollowed
      return isAlone ? this.#transact(body) : this.#inTurn(() => this.#transact(body))
    })
    this.#transactions = run.catch(() => undefined)
    return run
  }

  /** Runs a task while no other tab runs one. The end of a tab ends its turn. */
  async #inTurn<R>(task: () => Promise<R>): Promise<R> {
    const { locks } = this.#parts.ports
    const release = await locks.lock(`${this.#database}:turn`, this.#waiting.signal)
    try {
      return await task()
    } finally {
      release()
    }
  }

  async #transact<R>(body: (tx: T) => R extends PromiseLike<unknown> ? never : R): Promise<R> {
    const { store, writer, ports } = this.#parts
    for (;;) {
      this.#refuseClosed()
      if (this.#writing !== null) {
        const { journal } = this.#writing
        // Rejects before it commits anything.
        if (journal.hasFailed) await journal.flush()
        const { globalStamp } = writer
        const result = store.transact(body)
        await journal.flush().catch((error: unknown) => {
          if (writer.globalStamp === globalStamp) throw error
          throw this.#errors.outcomeUnknown(textOf(error), { cause: error })
        })
        return result
      }
      if (this.#follower.at < 0) {
        if ((await this.#follower.catchUp()) === null) throw this.#closedError()
        continue
      }
      const proposal = ports.unique()
      const base = this.#follower.at
      const { result, commit } = propose(store, writer, proposal, body)
      if (commit === null) return result
      const outcome = this.#follower.outcomeOf(proposal, base, () =>
        this.#post({ kind: 'proposal', name: proposal, base, commit }),
      )
      switch (await outcome) {
        case 'committed':
          return result
        case 'unknown':
          throw this.#errors.outcomeUnknown('the tab that wrote ended.')
        case 'stale':
      }
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#waiting.abort(this.#closedError())
    await this.#tasks
    try {
      await this.#writing?.journal.close()
    } finally {
      this.#end()
    }
  }

  #receive(given: unknown): void {
    const message = messageOf(given)
    if (message !== null) this.#queue(() => this.#take(message))
  }

  async #take(message: TabMessage): Promise<void> {
    if (this.#closing !== null || this.#role === 'closed') return
    if (this.#writing !== null) return this.#writing.take(message)
    switch (message.kind) {
      case 'commits':
        return this.#follow(() => this.#follower.take(message.first, message.commits))
      case 'durable':
        if (message.isNew) this.#post({ kind: 'following' })
        await this.#follow(() => this.#follower.reach(message.globalStamp, message.lastProposal))
        if (message.isNew) this.#follower.sendAgain()
        return
      case 'refusal':
        this.#follower.fail(
          message.isCommitted
            ? this.#errors.outcomeUnknown(
                `it is in the memory of the writing tab. ${message.problem}`,
              )
            : this.#errors.notKept(message.problem),
          message.name,
        )
    }
  }

  async #follow(read: () => Promise<unknown>): Promise<void> {
    await read()
    if (this.#follower.at >= 0) this.#opening?.resolve()
  }

  async #takeOver(release: () => void): Promise<void> {
    if (this.#closing !== null || this.#role === 'closed') return release()
    try {
      await this.#write(release)
      this.#opening?.resolve()
    } catch (error) {
      // The lock is free again, and the next tab tries.
      this.#error ??= this.#errors.notTakenOver(error)
      this.#fail(error)
      this.#end()
    }
  }

  /** Becomes the writer. Releases the lock and rejects if that fails. */
  async #write(release: () => void): Promise<void> {
    const { persistence, writer, settings, ports } = this.#parts
    this.#writing = await WritingTab.open({
      persistence,
      writer,
      database: this.#database,
      settings,
      ports,
      post: (message) => this.#post(message),
      release,
      recovery: this.#follower.recovery(undefined, true),
      lastProposal: () => this.#follower.lastProposal,
      // This store has the data that the user removed, and must not write them back.
      adoptNothing: () => {
        if (!this.#follower.hasRead) return
        this.#error = this.#errors.removed()
        throw this.#error
      },
      removed: () => {
        if (this.#closing !== null || this.#role === 'closed') return
        this.#error = this.#errors.removed()
        settings.onError(this.#error)
        // Releases the lock, so that a tab that is opened now starts with an empty database.
        void this.close().catch(() => undefined)
      },
    })
    writer.beforeCommit = null
    this.#change('writer')
    this.#writing.begin()
    this.#follower.settle('stale')
  }

  #post(message: TabMessage): void {
    if (this.#role !== 'closed') this.#channel.post(message)
  }

  /** Runs a task after those before it. */
  #run(task: () => Promise<void>): Promise<void> {
    const run = this.#tasks.then(task)
    this.#tasks = run.catch(() => undefined)
    return run
  }

  #queue(task: () => Promise<void>): void {
    this.#run(task).catch((error: unknown) => this.#fail(error))
  }

  #fail(error: unknown): void {
    if (!this.#isOpen) this.#opening?.reject(error)
    else if (isEntiaError(error, 'storeClosed')) void this.close().catch(() => undefined)
    else this.#parts.settings.onError(error)
  }

  /** Ends everything but the journal of the tab that writes. */
  #end(): void {
    const { persistence, writer } = this.#parts
    this.#waiting.abort(this.#closedError())
    this.#channel.close()
    persistence.hasJournal = false
    writer.beforeCommit = null
    this.#follower.fail(this.#closedError())
    this.#change('closed')
  }

  #change(role: BrowserRole): void {
    if (this.#role === role) return
    this.#role = role
    if (this.#isOpen) this.#parts.settings.onRole(role)
  }

  #closedError(): Error {
    return this.#error ?? this.#errors.closed()
  }

  #refuseClosed(): void {
    if (this.#closing !== null || this.#role === 'closed') throw this.#closedError()
  }
}
