import type { AnyDataStore } from '@entia/core'
import { handleOf, hasCountedKey, type Lease, type LeaseRequest } from '@entia/core/internal'
import type { HeldKeys } from './own-classes.ts'
import type { Place } from './place.ts'
import { ReplicaError } from './replica-error.ts'

interface KeysPort {
  readonly store: AnyDataStore
  readonly place: Place
  /** How many keys are asked for at a time, by dataclass. */
  readonly sizes: { readonly [dataClass: string]: number }
  readonly onError: (error: unknown) => void
  /** Runs a body that may change the store in one commit. */
  write(body: () => void): void
  /** The keys of a dataclass that batches give and the server may not have, in any order. */
  waiting(dataClass: string): readonly number[]
}

/**
 * The whole-number keys that the server has leased to this replica. Between transactions the place
 * says which is next, because entities of the server move the sequence of a table that a journal
 * brings back; within a transaction the sequence does.
 */
export class Keys {
  readonly #port: KeysPort
  /** Why the server leases none, by dataclass. */
  readonly #refused = new Map<string, string>()

  constructor(port: KeysPort) {
    this.#port = port
  }

  /** Call it at the beginning of a transaction. */
  begin(): void {
    const { store } = this.#port
    for (const table of handleOf(store).writer.tables)
      if (hasCountedKey(table.model)) table.sequence = this.#heldOf(table.model.name).next
  }

  /** Notes which keys the open transaction has given. */
  keep(): void {
    const { store, place } = this.#port
    for (const { model, sequence } of handleOf(store).writer.tables) {
      const held = place.keys[model.name]
      if (held !== undefined && held.next !== sequence)
        place.setKeys({ ...place.keys, [model.name]: { ...held, next: sequence } })
    }
  }

  /** The first leased key from a position on. Throws keysUsedUp. */
  from(dataClass: string, position: number): number {
    for (const [first, last] of this.#heldOf(dataClass).blocks)
      if (position <= last) return Math.max(first, position)
    throw usedUp(
      this.#port.sizes[dataClass] === undefined
        ? `A new ${dataClass} needs a leased key: replicate(…, { lease: { ${dataClass}: 100 } }).`
        : `All leased keys of ${dataClass} are used. ${this.#refused.get(dataClass) ?? 'Connect, and wait for current(); lease more at a time.'}`,
    )
  }

  /**
   * Throws keysUsedUp for a key that is not leased, and for one below a key that was given: the
   * server may have forgotten its block.
   */
  check(dataClass: string, key: number): void {
    const { next, blocks } = this.#heldOf(dataClass)
    if (key < next || !blocks.some(([first, last]) => first <= key && key <= last))
      throw usedUp(`The key ${key} of the new ${dataClass} is not leased: leave it out.`)
  }

  #heldOf(dataClass: string): HeldKeys {
    return this.#port.place.keys[dataClass] ?? NONE
  }

  /** What to ask the server for; null for nothing. Half of a block is kept in reserve. */
  get wanted(): { readonly [dataClass: string]: LeaseRequest } | null {
    const { place, sizes, waiting } = this.#port
    const { at } = place
    if (at === null) return null
    const wanted: { [dataClass: string]: LeaseRequest } = {}
    for (const [name, size] of Object.entries(sizes)) {
      if (this.#refused.has(name)) continue
      const { next, blocks, instance } = this.#heldOf(name)
      // Another instance may have been restored from before the lease, and leased these keys too.
      const isKnown = instance === at.instance
      let free = 0
      for (const [first, last] of blocks) free += Math.max(0, last - Math.max(first, next) + 1)
      if (isKnown && free > size / 2) continue
      const last = isKnown ? (blocks.at(-1)?.[1] ?? 0) : next - 1
      wanted[name] = { size, lowest: Math.min(next, ...waiting(name)), last }
    }
    return Object.keys(wanted).length === 0 ? null : wanted
  }

  /**
   * The answer of an instance of the server to what was asked for. False if it says nothing here,
   * because the contents are those of another instance.
   */
  answered(
    asked: { readonly [dataClass: string]: LeaseRequest },
    answer: { readonly [dataClass: string]: Lease },
    instance: string,
  ): boolean {
    const { place, write } = this.#port
    if (place.at?.instance !== instance) return false
    const kept: { [dataClass: string]: HeldKeys } = { ...place.keys }
    for (const name of Object.keys(asked)) {
      const lease = answer[name]
      if (lease !== undefined && 'blocks' in lease)
        kept[name] = { instance, blocks: lease.blocks, next: this.#nextIn(name, lease.blocks) }
      else this.#refuse(name, lease?.errors[0]?.message ?? 'no answer')
    }
    write(() => place.setKeys(kept))
    return true
  }

  /** The server cannot read what was asked for. */
  refused(asked: { readonly [dataClass: string]: LeaseRequest }, message: string): void {
    for (const name of Object.keys(asked)) this.#refuse(name, message)
  }

  #refuse(name: string, message: string): void {
    const why = `The server leases no keys of ${name}: ${message}`
    this.#refused.set(name, why)
    this.#port.onError(new ReplicaError('leaseRefused', why))
  }

  /**
   * The next key that is free. Keys rise, except for a server that was restored: it leases a new
   * block below them, of which only transactions that wait may have keys.
   */
  #nextIn(dataClass: string, blocks: HeldKeys['blocks']): number {
    const { next } = this.#heldOf(dataClass)
    const [first, last] = blocks.at(-1) ?? [next, next]
    if (next <= last + 1) return next
    const given = this.#port.waiting(dataClass).filter((key) => first <= key && key <= last)
    return Math.max(first, ...given.map((key) => key + 1))
  }

  /** A stream is open: what was refused may be granted now. */
  askAgain(): void {
    this.#refused.clear()
  }
}

const NONE: HeldKeys = { instance: '', next: 1, blocks: [] }

const usedUp = (message: string): ReplicaError => new ReplicaError('keysUsedUp', message)
