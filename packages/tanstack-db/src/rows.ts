import type { AnyAsyncEntity } from '@entia/core'
import type { SyncConfig } from '@tanstack/db'

export type Key = string | number
/** An entity as the client copies it, of a dataclass that is not known here. */
export type Row = AnyAsyncEntity
type Sync = Parameters<SyncConfig<Row, Key>['sync']>[0]

/** Something that follows a part of the rows. */
export interface Holder {
  readonly keys: Set<Key>
}

/** A state of the rows of a holder, or a change of it. */
export interface Change {
  /** True for the whole state: what is not among the rows has left. */
  readonly isWhole: boolean
  /** Of the server. An older change of a row does not replace a newer one. */
  readonly globalStamp: number
  readonly rows: Iterable<readonly [Key, Row]>
  readonly left: Iterable<Key>
}

interface Held {
  readonly row: Row
  readonly globalStamp: number
  readonly holders: Set<Holder>
}

/**
 * The rows of a collection as the server has them. A row is here while a holder follows it, so
 * that no row is older than the server's for longer than its change takes to arrive.
 */
export class Rows {
  readonly #sync: Pick<Sync, 'begin' | 'write' | 'commit'>
  readonly #held = new Map<Key, Held>()
  readonly #waits = new Set<() => void>()

  constructor(sync: Pick<Sync, 'begin' | 'write' | 'commit'>) {
    this.#sync = sync
  }

  get(key: Key): Row | undefined {
    return this.#held.get(key)?.row
  }

  isHeldByOthers(key: Key, holder: Holder): boolean {
    const { holders } = this.#held.get(key) ?? {}
    return holders !== undefined && holders.size > (holders.has(holder) ? 1 : 0)
  }

  /** Leaves a row here, if it is, when nobody else follows it, until `release`. */
  keep(key: Key, holder: Holder): void {
    const held = this.#held.get(key)
    if (held === undefined) return
    held.holders.add(holder)
    holder.keys.add(key)
  }
  release(key: Key, holder: Holder): void {
    if (!holder.keys.has(key)) return
    this.#sync.begin()
    this.#release(key, holder)
    this.#end()?.catch(() => {})
  }

  /** Resolves when the collection shows the change. */
  async apply(holder: Holder, { isWhole, globalStamp, rows, left }: Change): Promise<void> {
    const fresh = new Map(rows)
    this.#sync.begin()
    for (const key of isWhole ? [...holder.keys] : left)
      if (!fresh.has(key)) this.#release(key, holder)
    for (const [key, row] of fresh) {
      const held = this.#held.get(key)
      const holders = held?.holders ?? new Set()
      holders.add(holder)
      holder.keys.add(key)
      if (held !== undefined && !isWhole && held.globalStamp > globalStamp) continue
      // The same state again is not a change.
      const isSame = held !== undefined && JSON.stringify(held.row) === JSON.stringify(row)
      this.#held.set(key, { row: isSame ? held.row : row, globalStamp, holders })
      if (!isSame) this.#sync.write({ type: held === undefined ? 'insert' : 'update', value: row })
    }
    await this.#end()
  }

  /** Removes what no other holder follows. */
  drop(holder: Holder): void {
    if (holder.keys.size === 0) return
    this.#sync.begin()
    for (const key of [...holder.keys]) this.#release(key, holder)
    this.#end()?.catch(() => {})
  }

  /** Resolves when the row, or its absence, satisfies a condition. */
  until(key: Key, isReached: (row: Row | undefined) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const wait = (): void => {
        if (!isReached(this.get(key))) return
        this.#waits.delete(wait)
        resolve()
      }
      this.#waits.add(wait)
      wait()
    })
  }

  #release(key: Key, holder: Holder): void {
    holder.keys.delete(key)
    const held = this.#held.get(key)
    if (!held?.holders.delete(holder) || held.holders.size > 0) return
    this.#held.delete(key)
    this.#sync.write({ type: 'delete', key })
  }

  /** Null if the collection shows it already. */
  #end(): Promise<void> | null {
    const shown = this.#sync.commit()
    for (const wait of [...this.#waits]) wait()
    return shown === true ? null : shown
  }
}
