import { EntiaError } from '@entia/core'
import { CORE_ERRORS } from '@entia/core/internal'
import type { Awaitable, MetricFamily } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { After } from '../connect/request-time.ts'
import type { CommitPoller, Pause } from '../live/commit-poller.ts'
import type { WakeUps } from '../live/wake-ups.ts'
import { currentContents, type FillingOptions, takePage } from './fill-mirror.ts'
import { COMMITS_OF_PAGE, changesAfter, type MirrorPage } from './mirror-changes.ts'
import type { Break, MirrorContents } from './mirror-contents.ts'
import { mirrorFamilies } from './mirror-metrics.ts'
import { MirrorWaits } from './mirror-waits.ts'

export interface MirrorOptions extends FillingOptions {
  readonly poller: Pick<CommitPoller, 'listen' | 'followed'>
  /** Announces commits before the poller sees them. */
  readonly wakeUps?: WakeUps | undefined
  /** Ends the streams of sessions that ended in other processes. */
  readonly checkSessions: () => void
  readonly pause: Pause
  readonly after: After
  /** Called with failures that no caller gets. */
  readonly onError: (error: unknown) => void
}

/** The mirror of a store, as its application sees it. */
export interface SqlMirror {
  /** Entities that it holds; 0 while the database answers all reads. */
  readonly entities: number
  /** The global stamp that it has reached; null while the database answers all reads. */
  readonly globalStamp: number | null
  /**
   * Settles when it answers reads. Rejects with the reason if it is off, as with `budgetExceeded`
   * for more than `maxEntities`: the database then answers until the process starts again.
   */
  filled(): Promise<void>
}

/** A mirror that has not heard from the database for so many milliseconds answers nothing. */
const MAX_SILENCE = 10_000
/** Milliseconds in which announced commits are gathered, to be read together. */
const GATHERING = 5
/** Milliseconds between attempts to fill, then twice as many … */
const MIN_PAUSE = 100
const MAX_PAUSE = 5000

/** Why a mirror is filled, or off. */
type Reason = 'opened' | Break | 'maxEntities' | 'failed' | 'closed'

/**
 * Some dataclasses of a database in the memory of this process: filled from one snapshot, then fed
 * by the change table. What it shows is the database as of one commit, never older than its reader
 * requires. Where it cannot follow it is filled again, and the database answers meanwhile.
 */
export class Mirror implements SqlMirror {
  readonly classes: ReadonlySet<string>
  readonly #options: MirrorOptions
  readonly #closing = new AbortController()
  /** What reads are answered from; null while the database answers all. */
  #contents: MirrorContents | null = null
  #isFilling = false
  #filling: Promise<void> = Promise.resolve()
  #isPulling = false
  #pulling: Promise<void> = Promise.resolve()
  /** Changes are to be read again once those are there that are being read. */
  #isPullDue = false
  /** When the database answered last. */
  #heardAt = 0
  readonly #waits: MirrorWaits
  readonly #opening = new Set<(error: unknown) => void>()
  #off: { readonly reason: Reason; readonly error: unknown } | null = null
  #unlisten = (): void => {}
  readonly #fills = new Map<Reason, number>()
  readonly #reads = { mirror: 0, behind: 0, database: 0 }

  constructor(options: MirrorOptions) {
    this.#options = options
    this.#waits = new MirrorWaits(options.after)
    this.classes = new Set(options.classes.map(({ name }) => name))
  }

  /** Begins to fill and to follow. Rejects with a `DatabaseError`. */
  async open(): Promise<void> {
    this.#unlisten = await this.#options.poller.listen(({ isNew }) => {
      this.#hear()
      this.#options.checkSessions()
      // After a failure nothing may be new for the poller; a stamp may be without a commit. And the
      // database may have lost one of this process that the poller has never seen.
      const isElsewhere = this.#options.poller.followed !== this.globalStamp
      if (isNew || isElsewhere || this.#isPullDue) this.#pull()
    })
    const { wakeUps, after } = this.#options
    let isDue = false
    const forget = wakeUps?.subscribe((globalStamp) => {
      if (isDue || globalStamp <= (this.globalStamp ?? 0)) return
      isDue = true
      after(GATHERING, () => {
        isDue = false
        this.#pull()
      })
    })
    const unlisten = this.#unlisten
    this.#unlisten = () => {
      forget?.()
      unlisten()
    }
    this.#fill('opened')
  }

  /** Settles when the last statement has ended, and with it whatever was filled. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#unlisten()
    const { name } = this.#options.model.catalog
    const closed = new EntiaError(
      'storeClosed',
      { store: name },
      undefined,
      CORE_ERRORS.storeClosed,
    )
    this.#turnOff('closed', closed)
    await Promise.all([this.#filling, this.#pulling])
  }

  /** Settles when it answers reads; rejects with what turned it off. */
  filled(): Promise<void> {
    if (this.#off !== null) return Promise.reject(this.#off.error)
    if (this.#contents !== null) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#opening.add((error) => (error === null ? resolve() : reject(error)))
    })
  }

  get entities(): number {
    return this.#contents?.entities ?? 0
  }
  /** The global stamp up to which it has every commit; null while it answers nothing. */
  get globalStamp(): number | null {
    return this.#contents?.place.globalStamp ?? null
  }

  /**
   * The contents as of a global stamp or later. Null if they are not there within 50 ms: the
   * database answers then.
   */
  reach(globalStamp: number): Awaitable<MirrorContents | null> {
    const contents = this.#contents
    const { clock } = this.#options
    if (contents === null || clock.monotonic() - this.#heardAt > MAX_SILENCE) return null
    if (contents.place.globalStamp >= globalStamp) return contents
    const found = this.#waits.wait(globalStamp)
    this.#pull()
    return found
  }

  /** Counts a read by who answered it. */
  count(answered: 'mirror' | 'behind' | 'database'): void {
    this.#reads[answered]++
  }

  metrics(): readonly MetricFamily[] {
    return mirrorFamilies({
      entities: this.entities,
      globalStamp: this.globalStamp,
      off: this.#off?.reason ?? null,
      fills: this.#fills,
      reads: Object.entries(this.#reads),
    })
  }

  /** Reads what was committed since, now or right after what is being read. */
  #pull(): void {
    this.#isPullDue = true
    if (!this.#isPulling) this.#pulling = this.#pullAll()
  }

  async #pullAll(): Promise<void> {
    this.#isPulling = true
    try {
      while (this.#isPullDue && this.#contents !== null) {
        this.#isPullDue = false
        const contents = this.#contents
        const { pool, model, classes } = this.#options
        const page = await changesAfter(pool, model, classes, contents.place)
        this.#hear()
        if (this.#contents !== contents) continue
        await this.#take(contents, page)
      }
    } catch (error) {
      // The next answer of the poller tries again.
      this.#isPullDue = true
      if (!(error instanceof DatabaseError)) this.#fail(error)
    } finally {
      this.#isPulling = false
    }
  }

  async #take(contents: MirrorContents, page: MirrorPage): Promise<void> {
    const nextSlice = async (): Promise<void> => {
      this.#waits.settle(contents)
      await this.#options.nextSlice()
    }
    const broken = await takePage({ ...this.#options, nextSlice }, contents, page)
    if (this.#contents !== contents) return
    const isBeside = broken === 'sparse'
    if (broken !== null && !isBeside) this.#drop()
    if (broken !== null) this.#fill(broken)
    if (page.commits.length === COMMITS_OF_PAGE) this.#isPullDue = true
    if (this.#contents === contents) this.#waits.settle(contents)
  }

  /** Fills new contents, which take the place of the present ones when they are current. */
  #fill(reason: Reason): void {
    if (this.#isFilling || this.#off !== null) return
    this.#fills.set(reason, (this.#fills.get(reason) ?? 0) + 1)
    this.#filling = this.#fillAgain()
  }

  /** Tries until there are contents, or it is off. */
  async #fillAgain(): Promise<void> {
    this.#isFilling = true
    for (let pause = MIN_PAUSE; this.#off === null; pause = Math.min(2 * pause, MAX_PAUSE)) {
      try {
        const contents = await currentContents(this.#options, {
          check: () => {
            if (this.#off !== null) throw this.#off.error
          },
          heard: () => this.#hear(),
        })
        // Turned off meanwhile, it has no use for them.
        if (this.#off !== null) contents?.close()
        else if (contents !== null) {
          this.#drop()
          this.#contents = contents
          this.#opened(null)
          break
        }
      } catch (error) {
        if (!(error instanceof DatabaseError) || LASTING.has(error.failure)) {
          this.#fail(error)
          break
        }
      }
      await this.#options.pause(pause, this.#closing.signal)
    }
    this.#isFilling = false
    if (this.#contents !== null) this.#pull()
  }

  /** The database has answered. */
  #hear(): void {
    this.#heardAt = this.#options.clock.monotonic()
  }
  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return
    this.#turnOff(error instanceof EntiaError ? 'maxEntities' : 'failed', error)
    this.#options.onError(error)
  }
  #turnOff(reason: Reason, error: unknown): void {
    this.#off = { reason, error }
    this.#drop()
    this.#opened(error)
  }
  #opened(error: unknown): void {
    for (const settle of this.#opening) settle(error)
    this.#opening.clear()
  }
  #drop(): void {
    this.#contents?.close()
    this.#contents = null
    this.#waits.settle(null)
  }
}

/** Failures that do not end by themselves: the process has another model than the tables. */
const LASTING: ReadonlySet<DatabaseError['failure']> = new Set(['internal', 'migrated'])
