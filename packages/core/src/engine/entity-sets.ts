import { LRUCache } from 'lru-cache'
import { EntiaError } from '../errors.ts'
import type { SetOperator } from '../model/session-types.ts'
import type { Clock, Ids } from '../ports.ts'
import { Selection } from '../selection/selection.ts'

/** Seconds a set lives without being read, where nothing else is asked for. */
export const DEFAULT_LIFETIME_SECONDS = 7200
const MAX_LIFETIME_SECONDS = 86_400

interface EntitySet {
  readonly selection: Selection
  readonly number: number
}

/**
 * Selections kept under an id for a time that each read renews. The least recently read go first when there are too many;
 * to their holders they are as absent as expired ones.
 */
export class EntitySets {
  readonly #sets: LRUCache<string, EntitySet>
  readonly #ids: Ids
  /** Sets made so far: each set keeps its number. */
  made = 0

  constructor(clock: Clock, ids: Ids, maxSets: number) {
    this.#ids = ids
    // Whole microseconds, so that a lifetime can end at an instant and not just after it. The cache takes 0 for "no start",
    // so a clock that begins there is moved on by one.
    const now = (): number => Math.floor(clock.monotonic() * 1000) + 1
    this.#sets = new LRUCache({
      max: maxSets,
      perf: { now },
      ttlResolution: 0,
      updateAgeOnGet: true,
      allowStale: false,
    })
  }

  get size(): number {
    this.#sets.purgeStale()
    return this.#sets.size
  }

  /** Keeps a selection and returns its id, 32 hexadecimal digits. */
  create(selection: unknown, options: { readonly lifetimeSeconds?: number } = {}): string {
    if (!(selection instanceof Selection)) {
      throw new EntiaError('argumentInvalid', {
        argument: 'The selection',
        expected: 'a selection of this store',
        found: typeof selection,
      })
    }
    const seconds = options.lifetimeSeconds ?? DEFAULT_LIFETIME_SECONDS
    if (!(seconds > 0)) {
      throw new EntiaError('argumentInvalid', {
        argument: 'lifetimeSeconds',
        expected: 'a number above 0',
        found: String(seconds),
      })
    }
    const id = this.#ids.uuid().replaceAll('-', '').toUpperCase()
    this.#sets.set(
      id,
      { selection, number: ++this.made },
      { ttl: Math.ceil(Math.min(seconds, MAX_LIFETIME_SECONDS) * 1_000_000) - 1 },
    )
    return id
  }

  /** The selection; its lifetime starts anew. Undefined when it expired or was released. */
  get(id: string): Selection | undefined {
    return this.#sets.get(id)?.selection
  }
  /** As `get`, without renewing. */
  peek(id: string): Selection | undefined {
    return this.#sets.get(id, { updateAgeOnGet: false })?.selection
  }

  /** AND, OR, EXCEPT give a selection of the entities that exist now; INTERSECT tells whether there is a common one. */
  combine(id: string, operator: SetOperator, other: string): Selection | boolean {
    const left = this.#existing(id)
    const right = this.#existing(other)
    switch (operator) {
      case 'AND':
        return left.and(right)
      case 'OR':
        return left.or(right)
      case 'EXCEPT':
        return left.except(right)
      case 'INTERSECT':
        return left.intersects(right)
      default:
        throw new EntiaError('argumentInvalid', {
          argument: 'The operator',
          expected: 'AND, OR, EXCEPT or INTERSECT',
          found: String(operator),
        })
    }
  }

  /** A selection without the members that no longer exist; the set itself stays as it is. */
  clean(id: string): Selection {
    return this.#existing(id).clean()
  }

  /** True when there was such a set. */
  release(id: string): boolean {
    return this.peek(id) !== undefined && this.#sets.delete(id)
  }
  /** Drops the sets made after the n-th. */
  dropAfter(number: number): void {
    for (const [id, set] of [...this.#sets.entries()]) if (set.number > number) this.#sets.delete(id)
  }
  clear(): void {
    this.#sets.clear()
  }

  #existing(id: string): Selection {
    const selection = this.get(id)
    if (selection === undefined) throw new EntiaError('entitySetNotFound', { id: String(id) })
    return selection
  }
}
