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
  /** Runs a body that may change the store. */
  write(body: () => void): void
  /** The lowest key of a dataclass that batches give and the server may not have. */
  lowest(dataClass: string): number
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
  /** False if another instance of the server may not know the blocks. */
  #isKnown = true

  constructor(port: KeysPort) {
    this.#port = port
  }

  /** Call it at the beginning of a transaction. */
  begin(): void {
    const { store, place } = this.#port
    for (const table of handleOf(store).writer.tables)
      if (hasCountedKey(table.model)) table.sequence = place.keys[table.model.name]?.next ?? 1
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
    for (const [first, last] of this.#blocksOf(dataClass))
      if (position <= last) return Math.max(first, position)
    throw usedUp(
      this.#port.sizes[dataClass] === undefined
        ? `A new ${dataClass} needs a leased key: replicate(…, { lease: { ${dataClass}: 100 } }).`
        : `All leased keys of ${dataClass} are used. ${this.#refused.get(dataClass) ?? 'Connect, and wait for current(); lease more at a time.'}`,
    )
  }

  /** Throws keysUsedUp for a key that is not leased. */
  check(dataClass: string, key: number): void {
    if (!this.#blocksOf(dataClass).some(([first, last]) => first <= key && key <= last))
      throw usedUp(`The key ${key} of the new ${dataClass} is not leased: leave it out.`)
  }

  #blocksOf(dataClass: string): HeldKeys['blocks'] {
    return this.#port.place.keys[dataClass]?.blocks ?? []
  }

  /** What to ask the server for; null for nothing. Half of a block is kept in reserve. */
  get wanted(): { readonly [dataClass: string]: LeaseRequest } | null {
    const { place, sizes, lowest } = this.#port
    const wanted: { [dataClass: string]: LeaseRequest } = {}
    for (const [name, size] of place.at === null ? [] : Object.entries(sizes)) {
      if (this.#refused.has(name)) continue
      const { next = 1, blocks = [] } = place.keys[name] ?? {}
      let free = 0
      for (const [first, last] of blocks) free += Math.max(0, last - Math.max(first, next) + 1)
      if (this.#isKnown && free > size / 2) continue
      const last = this.#isKnown ? (blocks.at(-1)?.[1] ?? 0) : 0
      wanted[name] = { size, lowest: Math.min(next, lowest(name)), last }
    }
    return Object.keys(wanted).length === 0 ? null : wanted
  }

  /** The answer to what was asked for, or why there is none. */
  answered(
    asked: { readonly [dataClass: string]: LeaseRequest },
    answer: { readonly [dataClass: string]: Lease } | string,
  ): void {
    const { place, write, onError } = this.#port
    const kept: { [dataClass: string]: HeldKeys } = { ...place.keys }
    this.#isKnown = true
    for (const name of Object.keys(asked)) {
      const lease = typeof answer === 'string' ? { errors: [{ message: answer }] } : answer[name]
      if (lease !== undefined && 'blocks' in lease)
        kept[name] = { next: kept[name]?.next ?? 1, blocks: lease.blocks }
      else {
        const why = `The server leases no keys of ${name}: ${lease?.errors[0]?.message}`
        this.#refused.set(name, why)
        onError(new ReplicaError('leaseRefused', why))
      }
    }
    write(() => place.setKeys(kept))
  }

  /** A stream is open: what was refused may be granted now. */
  askAgain(): void {
    this.#refused.clear()
  }
  /** Another instance of the server may have been restored from before the lease. */
  confirm(): void {
    this.#isKnown = false
  }
}

const usedUp = (message: string): ReplicaError => new ReplicaError('keysUsedUp', message)
