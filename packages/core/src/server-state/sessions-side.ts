import type { Snapshot } from '../model/store-types.ts'
import type { Clock, Ids } from '../ports.ts'
import type { Table } from '../storage/table.ts'
import type { Writer } from '../write/writer.ts'
import { EntitySets } from './entity-sets.ts'
import { Locks } from './locks.ts'
import { Sessions } from './sessions.ts'
import type { SideLimits } from './sessions-limits.ts'
import { Uploads } from './uploads.ts'

/**
 * What a store keeps beside its entities: sessions, their locks, entity sets, uploads. None of it is data: no commit changes it,
 * no dump has it. It holds the one rule that binds them: with a session end its locks and sets.
 */
export class SessionsSide {
  readonly sessions: Sessions
  readonly locks: Locks
  readonly entitySets: EntitySets
  readonly uploads: Uploads
  /** How many sets and locks had been made when a snapshot was taken. */
  readonly #marks = new WeakMap<Snapshot, Mark>()

  constructor(port: SidePort, limits: SideLimits) {
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
          if (writer.current !== null) return writer.current.view(table, slot)
          return { slot, birth: table.births[slot], stamp: table.stamps[slot] }
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
   * Before a restore: an entity that it brings back is free. Locks do not refuse the restore itself, which is an administrator's
   * act about the whole store.
   */
  beforeRestore(): void {
    this.locks.forgetRemoved()
  }
  /** Sets and locks made since a snapshot end; those that ended since stay so. */
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

/** What the side needs of the store; the writer is asked for late, as it is made later. */
export interface SidePort {
  readonly clock: Clock
  readonly ids: Ids
  writer(): Writer
  /** Throws `dataClassNotFound`. */
  table(dataClass: string): Table
}
