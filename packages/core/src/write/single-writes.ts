import type { RemoveOptions } from '../model/table-types.ts'
import type { ChangeList } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import type { DirectTarget } from './direct-write.ts'
import { PatchDraft } from './patch.ts'
import type { Transaction } from './transaction.ts'
import type { Edit } from './write-entity.ts'

/** What single writes need from the writer. */
export interface SingleWritePort {
  /** The transaction that is open, or null. */
  readonly current: Transaction | null
  guard(): void
  transact<R>(body: (transaction: Transaction) => R): R
  /** Undoes a failed direct write, and returns its error. */
  takeBack(error: unknown): unknown
  conclude(list: ChangeList): void
}

/**
 * Writes of one entity. They are part of the open transaction; without one they are direct where
 * possible, or else a transaction of their own. The input is read completely before the write
 * begins: getters and proxies in it may write to the store, and such writes come first.
 */
export class SingleWrites {
  readonly #direct: DirectTarget
  readonly #port: SingleWritePort
  /** Null while a write uses it. */
  #draft: PatchDraft | null = new PatchDraft()

  constructor(direct: DirectTarget, port: SingleWritePort) {
    this.#direct = direct
    this.#port = port
  }

  /** Reads the input for an entity. Throws only the errors of `guard`. */
  read({ model }: Table, given: unknown): PatchDraft {
    this.#port.guard()
    const draft = this.#draft ?? new PatchDraft()
    this.#draft = null
    return draft.read(model, given)
  }
  /** As `read`, for an update, which may be a function that edits a draft. */
  readEdit(table: Table, given: unknown): PatchDraft | Edit {
    return typeof given === 'function' ? (given as Edit) : this.read(table, given)
  }

  /** An insertion of an input that was read. */
  insert(table: Table, given: PatchDraft): number {
    const port = this.#port
    port.guard()
    if (port.current !== null) return this.#done(given, port.current.insert(table, given))
    const direct = this.#direct
    if (!direct.takes(table))
      return port.transact((transaction) => transaction.insert(table, given))
    let slot: number
    try {
      slot = direct.writer.insert(table, given)
    } catch (error) {
      throw port.takeBack(error)
    }
    this.#done(given, slot)
    if (direct.list !== null) port.conclude(direct.list)
    return slot
  }

  /** An update with an input that was read. */
  save(table: Table, key: unknown, given: PatchDraft | Edit, stamp: number | undefined): number {
    const port = this.#port
    port.guard()
    if (port.current !== null)
      return this.#done(given, port.current.update(table, key, given, stamp))
    const direct = this.#direct
    if (typeof given === 'function' || !direct.takes(table)) {
      return port.transact((transaction) => transaction.update(table, key, given, stamp))
    }
    let slot: number
    try {
      slot = direct.writer.update(table, key, given, stamp)
    } catch (error) {
      throw port.takeBack(error)
    }
    this.#done(given, slot)
    if (direct.list !== null) port.conclude(direct.list)
    return slot
  }

  remove(table: Table, key: unknown, options?: RemoveOptions): void {
    const port = this.#port
    const stamp = options?.stamp
    const maxCascade = options?.maxCascade
    port.guard()
    if (port.current !== null) {
      port.current.remove(table, key, stamp, maxCascade)
      return
    }
    const direct = this.#direct
    let isDone = false
    try {
      isDone = direct.takesRemoval(table, key) && direct.writer.remove(table, key, stamp) < 0
    } catch (error) {
      throw port.takeBack(error)
    }
    if (!isDone) port.transact((transaction) => transaction.remove(table, key, stamp, maxCascade))
    else if (direct.list !== null) port.conclude(direct.list)
  }

  /** Keeps a draft for the next write. */
  #done(given: PatchDraft | Edit, slot: number): number {
    if (typeof given !== 'function') this.#draft = given.empty()
    return slot
  }
}
