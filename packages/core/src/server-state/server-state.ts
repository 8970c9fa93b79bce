import { EntiaError } from '../errors.ts'
import type * as SessionTypes from '../model/session-types.ts'
import type { UploadLimits } from '../model/session-types.ts'
import type { Snapshot, StoreServerState } from '../model/store-types.ts'
import type { Clock, Ids } from '../ports.ts'
import type { Table } from '../storage/table.ts'
import { checkCallOptions, describeFound, refused } from '../value/check-options.ts'
import { isMedia, type Media } from '../value/types.ts'
import { plainUuid } from '../write/port.ts'
import type { Writer } from '../write/writer.ts'
import { EntitySets } from './entity-sets.ts'
import { Locks } from './locks.ts'
import { ExpiringMap, lifetimeOf, type ServerStateLimits } from './server-state-limits.ts'
import { Sessions } from './sessions.ts'

/** How long an upload waits for the write that uses it. */
const DEFAULT_LIFETIME_SECONDS = 120

/**
 * Images and BLOBs stored under an id until writes use them. Reading does not remove one, because
 * the write may be repeated.
 */
export class Uploads implements SessionTypes.Uploads {
  readonly #ids: Ids
  readonly #guard: () => void
  readonly #media: ExpiringMap<Media>
  readonly #maxBytes: number

  constructor(
    port: { readonly clock: Clock; readonly ids: Ids; guard(): void },
    limits: Required<UploadLimits>,
  ) {
    this.#ids = port.ids
    this.#guard = () => port.guard()
    this.#media = new ExpiringMap(port.clock, limits)
    this.#maxBytes = limits.maxBytes
  }

  get size(): number {
    return this.#media.size
  }

  put(media: Media, options: { readonly lifetimeSeconds?: number | undefined } = {}): string {
    this.#guard()
    checkCallOptions(options, ['lifetimeSeconds'])
    if (!isMedia(media)) throw refused('The upload', 'a value of createMedia', describeFound(media))
    const seconds = lifetimeOf(options.lifetimeSeconds, DEFAULT_LIFETIME_SECONDS)
    if (media.size > this.#maxBytes) {
      const option = 'uploads.maxBytes'
      throw new EntiaError('budgetExceeded', {
        what: 'bytes of an upload',
        limit: this.#maxBytes,
        option,
      })
    }
    const id = plainUuid(this.#ids.uuid())
    this.#media.set(id, media, seconds, media.size)
    return id
  }

  get(id: string): Media | undefined {
    this.#guard()
    return this.#media.peek(String(id).toUpperCase())
  }
  release(id: string): boolean {
    this.#guard()
    return this.#media.delete(String(id).toUpperCase())
  }
  clear(): void {
    this.#media.clear()
  }
}

/**
 * What a store holds for its callers: sessions, their locks, entity sets and uploads. It is not
 * data: commits do not change it and dumps do not contain it. When a session ends, its locks and
 * entity sets end with it.
 */
export class ServerState implements Omit<StoreServerState, 'as'> {
  readonly sessions: Sessions
  readonly locks: Locks
  readonly entitySets: EntitySets
  readonly uploads: Uploads
  /** The number of sets and locks created before each snapshot. */
  readonly #marks = new WeakMap<Snapshot, Mark>()

  constructor(port: ServerStatePort, limits: ServerStateLimits) {
    const { clock, ids } = port
    const guard = (): void => port.writer().guard()
    this.sessions = new Sessions(
      {
        clock,
        ids,
        guard,
        ended: (id) => {
          this.locks.releaseOf(id)
          this.entitySets.dropOf(id)
        },
        holdsLocks: (id) => this.locks.holdsAny(id),
      },
      limits.sessions,
    )
    const { sessions } = this
    this.locks = new Locks(
      {
        guard,
        get isInTransaction() {
          return port.writer().current !== null
        },
        table: (dataClass) => port.table(dataClass),
        record(table, key) {
          const writer = port.writer()
          const slot = writer.find(table, key)
          if (slot < 0) return null
          const number = table.recordNumber(slot)
          const stage = writer.stages.of(table)
          return { slot, birth: stage.birthOf(slot), stamp: stage.stampOf(slot), number }
        },
        sessions,
      },
      limits.locks.maxPerSession,
    )
    const owns = (table: Table): boolean => port.writer().tables[table.model.ordinal] === table
    this.entitySets = new EntitySets({ clock, ids, guard, owns, sessions }, limits.entitySets)
    this.uploads = new Uploads({ clock, ids, guard }, limits.uploads)
  }

  mark(snapshot: Snapshot): Snapshot {
    this.#marks.set(snapshot, { sets: this.entitySets.made, locks: this.locks.made })
    return snapshot
  }
  /**
   * Call it before a restore: an entity that the restore brings back must not be locked. Locks do
   * not prevent a restore, which an administrator does to the whole store.
   */
  beforeRestore(): void {
    this.locks.forgetRemoved()
  }
  /** Drops the sets and locks created since a snapshot. Those that ended since do not come back. */
  dropSince(snapshot: Snapshot): void {
    const mark = this.#marks.get(snapshot) as Mark
    this.entitySets.dropAfter(mark.sets)
    this.locks.dropAfter(mark.locks)
  }

  clear(): void {
    this.sessions.clear()
    this.entitySets.clear()
    this.uploads.clear()
  }
}

interface Mark {
  readonly sets: number
  readonly locks: number
}

/**
 * What the server state needs from the store. `writer` is a function because the writer is created
 * later.
 */
interface ServerStatePort {
  readonly clock: Clock
  readonly ids: Ids
  writer(): Writer
  /** Throws `dataClassNotFound`. */
  table(dataClass: string): Table
}
