import type { EntiaError, LiveDelta } from '@entia/core'
import {
  type BatchOutcome,
  type FollowedQuery,
  followPredicate,
  handleOf,
  overBudget,
  type PastRecord,
  type StoredValue,
  type StoreHandle,
  slotsOf,
  type Table,
} from '@entia/core/internal'
import { fingerprint } from '../interface/fingerprint.ts'
import type { Feed, FeedQuery } from '../interface/replicas.ts'
import type { KeyValue } from '../interface/selection-source.ts'
import { visibilityOf } from '../interface/visibility.ts'
import type { CallerStore } from './caller-store.ts'
import { FirstContents, PIECE } from './replica-contents.ts'
import { entityLine, type FeedHeading, lineOf, modeOf } from './replica-lines.ts'
import {
  type HeldClass,
  type HeldColumn,
  heldClasses,
  portOf,
  shapesText,
} from './replica-shapes.ts'

/** One dataclass of a feed: what has changed since its position. */
interface Part extends HeldClass {
  readonly number: number
  readonly table: Table
  live: FollowedQuery | null
  /** The first contents, until all of them were sent. */
  contents: FirstContents | null
  /** Keys of entities that are sent as a whole. */
  readonly entered: Set<KeyValue>
  readonly changed: Set<KeyValue>
  readonly left: Set<KeyValue>
}

/**
 * What one replica is sent. It keeps keys only: values are read when a line is written, and the
 * lines up to a complete moment are of that moment. Following a commit costs what a live query
 * costs.
 */
export class StoreFeed implements Feed {
  onNews = (): void => {}
  readonly replica: string
  readonly #callerStore: CallerStore
  readonly #handle: StoreHandle
  readonly #source: FeedSource
  readonly #parts: readonly Part[]
  readonly #ended: () => void
  /** The global stamp that the replica has once it has read all lines that were taken. */
  #position: number
  /**
   * The global stamp before the first commit that has changed something for the replica since its
   * position; null for none. What others have changed meanwhile is not walked through.
   */
  #changedAfter: number | null = null
  #heading: string | null
  /** What the contents depend on besides the commits. */
  readonly #print: string
  /** The replica is asked for marks, with which it opens another stream. */
  readonly #endsAfterHints: boolean
  #outcomes: BatchOutcome[] = []
  readonly #maxEntities: number
  /** More waits than a replica may hold: its client takes nothing. */
  #isTooMuch = false
  #hasNews = true
  #isStopped = false
  #isOpen = true

  /** Throws what `heldClasses` throws, budgetExceeded and argumentInvalid. */
  constructor(callerStore: CallerStore, query: FeedQuery, source: FeedSource, ended: () => void) {
    const { store } = callerStore
    this.replica = query.replica
    this.#callerStore = callerStore
    this.#handle = handleOf(store)
    this.#source = source
    this.#maxEntities = query.maxEntities
    this.#ended = ended
    const { tables } = this.#handle.writer
    this.#parts = heldClasses(callerStore, query.shapes).map((held, number) => ({
      ...held,
      number,
      table: tables[held.dataClass.ordinal]!,
      live: null,
      contents: null,
      entered: new Set(),
      changed: new Set(),
      left: new Set(),
    }))
    const seen = JSON.stringify([shapesText(query.shapes), visibilityOf(callerStore.caller)])
    this.#print = fingerprint(seen)
    const since = this.#knownSince(query)
    this.#position = since ?? store.globalStamp
    const continues = since !== null && this.#follow(since)
    const mode = continues ? 'continue' : modeOf(query)
    if (mode !== 'continue') this.#begin(mode, query)
    this.#endsAfterHints = mode === 'marks'
    this.#heading = lineOf({
      version: 1,
      instance: store.id,
      fingerprint: this.#fingerprintAt(this.#position) ?? '',
      era: query.era,
      user: callerStore.caller.session?.user?.ID ?? null,
      mode,
      classes: this.#parts.map(({ dataClass, columns }) => [
        dataClass.name,
        columns.map(({ name }) => name),
      ]),
    } satisfies FeedHeading)
  }

  get isStopped(): boolean {
    return this.#isStopped
  }
  get isCurrent(): boolean {
    return !this.#hasNews
  }

  take(): string | null {
    if (!this.#hasNews || !this.#isOpen) return null
    if (this.#heading !== null) {
      const heading = this.#heading
      this.#heading = null
      this.#stopAfterHints()
      return heading
    }
    if (this.#isTooMuch) throw this.#tooMuch('changes that wait for a replica')
    for (const part of this.#parts) {
      if (part.contents === null) continue
      const lines = part.contents.take()
      if (part.contents.isSent) part.contents = null
      this.#stopAfterHints()
      if (lines !== null) return lines
    }
    return this.#changes()
  }

  #stopAfterHints(): void {
    if (this.#endsAfterHints && this.#parts.every(({ contents }) => contents === null))
      this.#isStopped = true
  }

  /**
   * Adds outcomes of batches, which are sent with the moment that includes them, unless they have
   * arrived another way: those up to the number `received`.
   */
  decided(outcomes: readonly BatchOutcome[], received: number): void {
    const waiting = this.#outcomes.filter(({ number }) => number > received)
    this.#outcomes = [...waiting, ...outcomes]
    this.#wake()
  }

  stop(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#stopFollowing()
    this.#ended()
  }

  /** The global stamp from which the replica can continue; null if it has other contents. */
  #knownSince({ since }: FeedQuery): number | null {
    const { store } = this.#callerStore
    return since !== null &&
      since.instanceId === store.id &&
      since.globalStamp <= store.globalStamp &&
      since.fingerprint === this.#fingerprintAt(since.globalStamp)
      ? since.globalStamp
      : null
  }

  /** Identifies contents with the commits that led to them; null if these are not known. */
  #fingerprintAt(globalStamp: number): string | null {
    const { commitId } = this.#source
    if (commitId === null) return this.#print
    const id = commitId(globalStamp)
    return id === null ? null : fingerprint(`${this.#print} ${id}`)
  }

  /** The first contents. They are sent in pieces while changes of them collect. */
  #begin(mode: 'marks' | 'compare' | 'whole', query: FeedQuery): void {
    const { globalStamp } = this.#handle.writer
    let count = 0
    for (const part of this.#parts) {
      const { database } = portOf(this.#callerStore, part.dataClass)
      const slots = slotsOf(database.select(part.dataClass, part.predicate))
      count += slots.length
      if (count > query.maxEntities) throw this.#tooMuch('entities of a replica')
      part.contents = new FirstContents(part, slots, mode, query, this.#valueOf)
    }
    this.#position = globalStamp
    // Hints need not be those of one moment.
    if (mode !== 'marks') this.#follow(globalStamp)
  }

  /** False if the history does not reach back so far. Throws argumentInvalid. */
  #follow(since: number): boolean {
    for (const part of this.#parts) {
      const { dataClass, predicate, columns } = part
      const select = columns.flatMap(({ masked }) => (masked === null ? [] : [masked.name])).join()
      const options = {
        since,
        ...(select === '' ? {} : { select }),
        // Not for a query that ends because the history does not reach back.
        stopped: () => {
          if (part.live !== null) this.#closed()
        },
      }
      const listener = (delta: LiveDelta): void => {
        note(part, delta)
        this.#changedAfter ??= part.live!.after
        this.#wake()
      }
      const port = portOf(this.#callerStore, dataClass)
      part.live = followPredicate(port, dataClass, predicate, listener, options)
      if (part.live === null) {
        this.#stopFollowing()
        return false
      }
      note(part, part.live.missed!)
    }
    this.#changedAfter = since
    return true
  }

  #stopFollowing(): void {
    const wasOpen = this.#isOpen
    this.#isOpen = false
    for (const part of this.#parts) {
      part.live?.stop()
      part.live = null
      for (const keys of [part.entered, part.changed, part.left]) keys.clear()
    }
    this.#isOpen = wasOpen
  }

  /** A live query ended. */
  #closed(): void {
    if (!this.#isOpen) return
    this.#isStopped = true
    this.onNews()
  }

  #wake(): void {
    this.#limitWaiting()
    this.#hasNews = true
    this.onNews()
  }

  /** What waits for a client that does not read must not grow with every commit. */
  #limitWaiting(): void {
    let here = 0
    let gone = 0
    for (const { entered, changed, left } of this.#parts) {
      here += entered.size + changed.size
      gone += left.size
    }
    // A commit may replace all entities of a replica by others.
    if (Math.max(here, gone, this.#outcomes.length) <= this.#maxEntities) return
    this.#isTooMuch = true
    this.#outcomes = []
    this.#stopFollowing()
    for (const part of this.#parts) part.contents = null
  }

  #tooMuch(what: string): EntiaError {
    return overBudget(what, this.#maxEntities, 'replicas.maxEntities')
  }

  /**
   * The next piece of what has changed since the last complete moment; the last one ends with this
   * moment. Changes that come between pieces are sent too, also of what was sent before.
   */
  #changes(): string {
    let lines = ''
    let room = PIECE
    for (const part of this.#parts) {
      for (const line of this.#linesOf(part)) {
        lines += line
        if (--room === 0) return lines
      }
    }
    const { globalStamp } = this.#handle.writer
    for (const outcome of this.#outcomes) lines += lineOf(['b', outcome])
    this.#outcomes = []
    this.#position = globalStamp
    this.#changedAfter = null
    this.#hasNews = false
    const print = this.#source.commitId === null ? [] : [this.#fingerprintAt(globalStamp) ?? '']
    return `${lines}${lineOf(['=', globalStamp, ...print])}`
  }

  *#linesOf({ number, table, columns, entered, changed, left }: Part): Generator<string> {
    for (const key of left) {
      left.delete(key)
      yield lineOf([number, key])
    }
    const line = (key: KeyValue, before: PastRecord | undefined): string => {
      const slot = table.findKey(key)
      const isSame = before?.existed === true && before.birth === table.births[slot]
      const written = isSame
        ? columns.flatMap(({ attribute, masked }, at) =>
            // Whether the caller may see the related entity may have changed as well.
            masked !== null || before.values.has(attribute.ordinal) ? [at] : [],
          )
        : null
      const sent = written === null ? columns : written.map((at) => columns[at]!)
      const values = sent.map((column) => this.#valueOf(table, slot, column))
      return entityLine(number, key, table.stamps[slot]!, table.timestamps[slot]!, values, written)
    }
    for (const key of entered) {
      entered.delete(key)
      yield line(key, undefined)
    }
    if (changed.size === 0) return
    const past = this.#source.pastOf(table, this.#changedAfter ?? this.#position)
    for (const key of changed) {
      changed.delete(key)
      yield line(key, past.get(table.findKey(key)))
    }
  }

  readonly #valueOf = (
    table: Table,
    slot: number,
    { attribute, masked }: HeldColumn,
  ): StoredValue => {
    const value = table.read(slot, attribute.ordinal)
    if (masked === null || value === null) return value
    const { target } = masked
    const visible = portOf(this.#callerStore, target).database.visibleIn(target)
    const found = this.#handle.writer.tables[target.ordinal]!.findKey(value)
    return found >= 0 && (visible === null || visible.has(found)) ? value : null
  }
}

/** The history that feeds of one store follow. */
export interface FeedSource {
  readonly pastOf: PastOf
  /**
   * The id of a commit, null if it is not known, for a store whose global stamps may be given again
   * to other commits. Null for any other store.
   */
  readonly commitId: ((globalStamp: number) => string | null) | null
}

/** The records of a table that changed since a global stamp, as they were; null where unknown. */
export type PastOf = (table: Table, globalStamp: number) => ReadonlyMap<number, PastRecord>

function note({ dataClass, entered, changed, left }: Part, delta: LiveDelta): void {
  const { name } = dataClass.key
  const keyIn = (entity: object): KeyValue =>
    (entity as { readonly [name: string]: KeyValue })[name]!
  for (const key of delta.left as readonly KeyValue[]) {
    entered.delete(key)
    changed.delete(key)
    left.add(key)
  }
  for (const entity of delta.entered) {
    const key = keyIn(entity)
    left.delete(key)
    entered.add(key)
  }
  for (const entity of delta.changed) {
    const key = keyIn(entity)
    if (!entered.has(key)) changed.add(key)
  }
}
