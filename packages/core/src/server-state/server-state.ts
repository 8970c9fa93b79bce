import type * as SessionTypes from '../model/session-types.ts'
import type { UploadLimits } from '../model/session-types.ts'
import type { Snapshot, StoreServerState } from '../model/store-types.ts'
import type { Media } from '../value/types.ts'
import { plainUuid } from '../write/port.ts'
import { EntitySets } from './entity-sets.ts'
import { Locks } from './locks.ts'
import {
  checkMedia,
  ExpiringMap,
  type MediaOptions,
  type ServerStateLimits,
  type ServerStatePort,
} from './server-state-limits.ts'
import { type HeldBySessions, Sessions } from './sessions.ts'

/**
 * Images and BLOBs stored under an id until writes use them. Reading does not remove one, because
 * the write may be repeated.
 */
export class Uploads implements SessionTypes.Uploads {
  readonly #port: ServerStatePort
  readonly #media: ExpiringMap<Media>
  readonly #maxBytes: number

  constructor(port: ServerStatePort, limits: Required<UploadLimits>) {
    this.#port = port
    this.#media = new ExpiringMap(port.clock, limits)
    this.#maxBytes = limits.maxBytes
  }

  get size(): number {
    return this.#media.size
  }

  put(media: Media, options: MediaOptions = {}): string {
    this.#port.writer.guard()
    const seconds = checkMedia(media, options, this.#maxBytes)
    const id = plainUuid(this.#port.ids.uuid())
    this.#media.set(id, media, seconds, media.size)
    return id
  }

  get(id: string): Media | undefined {
    this.#port.writer.guard()
    return this.#media.peek(String(id).toUpperCase())
  }
  release(id: string): boolean {
    this.#port.writer.guard()
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
  readonly #marks = new WeakMap<Snapshot, { readonly sets: number; readonly locks: number }>()

  constructor(port: ServerStatePort, limits: ServerStateLimits) {
    const held: HeldBySessions = {
      ended: (id) => {
        this.locks.releaseOf(id)
        this.entitySets.dropOf(id)
      },
      holdsLocks: (id) => this.locks.holdsAny(id),
    }
    this.sessions = new Sessions(port, limits.sessions, held)
    this.locks = new Locks(port, limits.locks.maxPerSession, this.sessions)
    this.entitySets = new EntitySets(port, limits.entitySets, this.sessions)
    this.uploads = new Uploads(port, limits.uploads)
  }

  /** Call it after a snapshot was taken. */
  taken(snapshot: Snapshot): void {
    this.#marks.set(snapshot, { sets: this.entitySets.made, locks: this.locks.made })
  }
  /**
   * Call it before a restore: an entity that the restore brings back must not be locked. Locks do
   * not prevent a restore, which an administrator does to the whole store.
   */
  before(): void {
    this.locks.forgetRemoved()
  }
  /** Drops the sets and locks created since a snapshot. Those that ended since do not come back. */
  undone(snapshot: Snapshot): void {
    const { sets, locks } = this.#marks.get(snapshot)!
    this.entitySets.dropAfter(sets)
    this.locks.dropAfter(locks)
  }

  clear(): void {
    this.sessions.clear()
    this.entitySets.clear()
    this.uploads.clear()
  }
}
