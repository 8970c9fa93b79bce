import { EntiaError } from '../errors.ts'
import type * as SessionTypes from '../model/session-types.ts'
import type {
  AnySelection,
  EntitySetInfo,
  EntitySetLimits,
  EntitySetOptions,
  Session,
  SetOperator,
} from '../model/session-types.ts'
import { Selection } from '../query/selection.ts'
import { checkCallOptions, refused } from '../value/check-options.ts'
import { plainUuid } from '../write/port.ts'
import {
  BYTES_PER_MEMBER,
  ExpiringMap,
  type ServerStatePort,
  setIdOf,
  setIdTaken,
  setLifetimeOf,
  setTooLarge,
} from './server-state-limits.ts'
import type { Sessions } from './sessions.ts'

const SET_OPTIONS = ['lifetimeSeconds', 'owner', 'id']

interface EntitySet {
  readonly id: string
  readonly selection: Selection & AnySelection
  readonly lifetimeSeconds: number
  /** Id of the session that owns it, or null. */
  readonly owner: string | null
  /** How many sets had been created, this one included. */
  readonly number: number
}

/**
 * Selections stored under an id. Each read renews the lifetime of its set. When there are too many
 * sets, the least recently read ones are dropped, as if they had expired.
 */
export class EntitySets implements SessionTypes.EntitySets {
  readonly #port: ServerStatePort
  readonly #sessions: Sessions
  readonly #limits: Required<EntitySetLimits>
  readonly #sets: ExpiringMap<EntitySet>
  /** The sets of each owner, the least recently used first. */
  readonly #byOwner = new Map<string, Set<EntitySet>>()
  /** Number of sets created so far. */
  made = 0

  constructor(port: ServerStatePort, limits: Required<EntitySetLimits>, sessions: Sessions) {
    this.#port = port
    this.#sessions = sessions
    this.#limits = limits
    const { max, maxBytes } = limits
    this.#sets = new ExpiringMap(port.clock, { max, maxBytes, gone: (set) => this.#disown(set) })
  }

  get size(): number {
    // Sets end with their owners: this ends the expired sessions.
    void this.#sessions.size
    return this.#sets.size
  }

  /** Stores a selection and returns its id of 32 hexadecimal digits. */
  create(selection: AnySelection, options: EntitySetOptions = {}): string {
    this.#port.writer.guard()
    checkCallOptions(options, SET_OPTIONS)
    if (!(selection instanceof Selection)) {
      throw refused('The selection', 'a selection of this store', typeof selection)
    }
    const { table } = selection
    if (this.#port.writer.tables[table.model.ordinal] !== table)
      throw refused(
        'The selection',
        'a selection of this store',
        'one of another store, or of the past',
      )
    const lifetimeSeconds = setLifetimeOf(options.lifetimeSeconds)
    const owner = options.owner == null ? null : this.#sessions.current(options.owner).id
    const bytes = selection.count * BYTES_PER_MEMBER
    if (bytes > this.#limits.maxBytes) throw setTooLarge(this.#limits.maxBytes)
    // The set may outlive the history, so it must not depend on it.
    const kept = selection.kept()
    const id =
      options.id === undefined ? plainUuid(this.#port.ids.uuid()) : this.#givenId(options.id, owner)
    this.#sets.delete(id)
    // Sets of expired sessions make room before sets that are still in use.
    if (this.#sets.isTight(bytes)) void this.#sessions.size
    if (owner !== null) this.#makeRoom(owner)
    const set: EntitySet = { id, selection: kept, lifetimeSeconds, owner, number: ++this.made }
    this.#use(set)
    this.#sets.set(id, set, lifetimeSeconds, bytes)
    return id
  }

  /** Returns the selection and renews its lifetime. Undefined if it expired or was released. */
  get(id: string, session: Session | null = null): AnySelection | undefined {
    const set = this.#find(id, session)
    if (set === undefined) return undefined
    this.#use(set)
    this.#sets.get(set.id)
    return set.selection
  }
  /** As `get`, without renewing the lifetime. */
  peek(id: string, session: Session | null = null): AnySelection | undefined {
    return this.#find(id, session)?.selection
  }

  /**
   * AND, OR and EXCEPT return a selection of the entities that exist now. INTERSECT returns whether
   * the sets share an entity.
   */
  combine(id: string, operator: 'INTERSECT', other: string, session?: Session | null): boolean
  combine(
    id: string,
    operator: Exclude<SetOperator, 'INTERSECT'>,
    other: string,
    session?: Session | null,
  ): AnySelection
  combine(
    id: string,
    operator: SetOperator,
    other: string,
    session: Session | null = null,
  ): AnySelection | boolean {
    const left = this.#existing(id, session)
    const right = this.#existing(other, session)
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
        throw refused('The operator', 'AND, OR, EXCEPT or INTERSECT', String(operator))
    }
  }

  /** Returns a selection without the removed members. The set itself does not change. */
  clean(id: string, session: Session | null = null): AnySelection {
    return this.#existing(id, session).clean()
  }

  /** True if the set existed. */
  release(id: string, session: Session | null = null): boolean {
    const set = this.#find(id, session)
    return set !== undefined && this.#sets.delete(set.id)
  }

  /** The sets of all owners, for administrators. */
  list(): readonly EntitySetInfo[] {
    this.#port.writer.guard()
    void this.#sessions.size
    const now = this.#port.clock.now()
    return Array.from(this.#sets.values(), ({ id, selection, lifetimeSeconds, owner }) => {
      const expires = Math.round(now + this.#sets.leftOf(id))
      return Object.freeze({
        id,
        dataClass: selection.table.model.name,
        size: selection.count,
        sorted: selection.isSorted,
        refreshed: expires - Math.round(lifetimeSeconds * 1000),
        expires,
        owner,
      })
    })
  }

  /** Drops the sets that a session owns. */
  dropOf(owner: string): void {
    for (const { id } of [...(this.#byOwner.get(owner) ?? [])]) this.#sets.delete(id)
  }
  /** Drops the sets created after the given number. */
  dropAfter(number: number): void {
    for (const set of [...this.#sets.values()]) if (set.number > number) this.#sets.delete(set.id)
  }
  clear(): void {
    this.#sets.clear()
  }

  #find(id: string, session: Session | null): EntitySet | undefined {
    this.#port.writer.guard()
    const set = this.#sets.peek(String(id).toUpperCase())
    if (set === undefined || set.owner === null) return set
    return set.owner === this.#sessions.openId(session) ? set : undefined
  }

  #existing(id: string, session: Session | null): AnySelection {
    const selection = this.get(id, session)
    if (selection === undefined) throw new EntiaError('entitySetNotFound', { id: String(id) })
    return selection
  }

  #givenId(given: string, owner: string | null): string {
    const id = setIdOf(given)
    const there = this.#sets.peek(id)
    if (there === undefined || there.owner === null || there.owner === owner) return id
    if (this.#sessions.infoOf(there.owner) !== null) throw setIdTaken()
    return id
  }

  /** Drops the least recently used sets of an owner to make room for one more. */
  #makeRoom(owner: string): void {
    const own = [...(this.#byOwner.get(owner) ?? [])].filter(
      ({ id }) => this.#sets.peek(id) !== undefined,
    )
    for (const { id } of own.slice(0, Math.max(0, own.length - this.#limits.maxPerSession + 1)))
      this.#sets.delete(id)
  }
  /** Makes a set the most recently used one of its owner. */
  #use(set: EntitySet): void {
    if (set.owner === null) return
    const own = this.#byOwner.get(set.owner) ?? new Set()
    own.delete(set)
    this.#byOwner.set(set.owner, own.add(set))
  }
  #disown(set: EntitySet): void {
    if (set.owner === null) return
    const own = this.#byOwner.get(set.owner)
    own?.delete(set)
    if (own?.size === 0) this.#byOwner.delete(set.owner)
  }
}
