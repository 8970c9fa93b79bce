import { EntiaError } from '../errors.ts'
import type { EntitySetInfo, EntitySetLimits, EntitySetOptions, Session, SetOperator } from '../model/session-types.ts'
import type { Clock, Ids } from '../ports.ts'
import { Selection } from '../selection/selection.ts'
import type { Table } from '../storage/table.ts'
import { plainUuid } from '../transaction/new-values.ts'
import { refused } from '../value/check-options.ts'
import { ExpiringMap } from './expiring-map.ts'
import { lifetimeOf } from './sessions-limits.ts'

/** Seconds a set lives without being read, where nothing else is asked for. */
const DEFAULT_LIFETIME_SECONDS = 7200
/** What a member counts: see `Selection.kept`. */
const BYTES_PER_MEMBER = 8
const SET_ID = /^[0-9A-F]{32}$/

interface EntitySet {
  readonly id: string
  readonly selection: Selection
  readonly lifetimeSeconds: number
  /** Id of the session that owns it, or null. */
  readonly owner: string | null
  /** Sets made before it, and itself. */
  readonly number: number
}

/** What entity sets need of the store around them. */
export interface EntitySetsPort {
  readonly clock: Clock
  readonly ids: Ids
  /** Throws for a store that is closed or broken. */
  guard(): void
  /** True for the tables of the store itself. */
  owns(table: Table): boolean
  readonly sessions: {
    /** Throws `argumentInvalid` for what is no open session. */
    current(session: unknown): Session
    /** Null for what is no open session. */
    openId(session: unknown): string | null
    /** Null for a session that has ended, which has dropped its sets then. */
    infoOf(id: string): object | null
    /** Asking for it notices every session that has ended. */
    readonly size: number
  }
}

/**
 * Selections kept under an id for a time that each read renews. The least recently read go first when there are too many;
 * to their holders they are as absent as expired ones.
 */
export class EntitySets {
  readonly #port: EntitySetsPort
  readonly #limits: Required<EntitySetLimits>
  readonly #sets: ExpiringMap<EntitySet>
  /** The sets of each owner, in the order of their use. */
  readonly #byOwner = new Map<string, Set<EntitySet>>()
  /** Sets made so far: each set keeps its number. */
  made = 0

  constructor(port: EntitySetsPort, limits: Required<EntitySetLimits>) {
    this.#port = port
    this.#limits = limits
    const { max, maxBytes } = limits
    this.#sets = new ExpiringMap(port.clock, { max, maxBytes, gone: (set) => this.#disown(set) })
  }

  get size(): number {
    // Sets end with their owners.
    void this.#port.sessions.size
    return this.#sets.size
  }

  /** Keeps a selection and returns its id, 32 hexadecimal digits. */
  create(selection: unknown, options: EntitySetOptions = {}): string {
    this.#port.guard()
    if (!(selection instanceof Selection)) {
      throw refused('The selection', 'a selection of this store', typeof selection)
    }
    if (!this.#port.owns(selection.table))
      throw refused('The selection', 'a selection of this store', 'one of another store, or of the past')
    const lifetimeSeconds = lifetimeOf(options.lifetimeSeconds, DEFAULT_LIFETIME_SECONDS)
    const owner = options.owner == null ? null : this.#port.sessions.current(options.owner).id
    const bytes = selection.count * BYTES_PER_MEMBER
    if (bytes > this.#limits.maxBytes) {
      const option = 'entitySets.maxBytes'
      throw new EntiaError('budgetExceeded', { what: 'bytes of an entity set', limit: this.#limits.maxBytes, option })
    }
    // It may be read when the commits since are no longer remembered.
    const kept = selection.kept()
    const id = options.id === undefined ? plainUuid(this.#port.ids.uuid()) : this.#givenId(options.id, owner)
    this.#sets.delete(id)
    // What ended with its owner makes room before what somebody may still read.
    if (this.#sets.isTight(bytes)) void this.#port.sessions.size
    if (owner !== null) this.#makeRoom(owner)
    const set: EntitySet = { id, selection: kept, lifetimeSeconds, owner, number: ++this.made }
    this.#use(set)
    this.#sets.set(id, set, lifetimeSeconds, bytes)
    return id
  }

  /** The selection; its lifetime starts anew. Undefined when it expired or was released. */
  get(id: string, session: Session | null = null): Selection | undefined {
    const set = this.#find(id, session)
    if (set === undefined) return undefined
    this.#use(set)
    this.#sets.get(set.id)
    return set.selection
  }
  /** As `get`, without renewing. */
  peek(id: string, session: Session | null = null): Selection | undefined {
    return this.#find(id, session)?.selection
  }

  /** AND, OR, EXCEPT give a selection of the entities that exist now; INTERSECT tells whether there is a common one. */
  combine(id: string, operator: SetOperator, other: string, session: Session | null = null): Selection | boolean {
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

  /** A selection without the members that no longer exist; the set itself stays as it is. */
  clean(id: string, session: Session | null = null): Selection {
    return this.#existing(id, session).clean()
  }

  /** True when there was such a set. */
  release(id: string, session: Session | null = null): boolean {
    const set = this.#find(id, session)
    return set !== undefined && this.#sets.delete(set.id)
  }

  /** Every set, whoever owns it: for administrators. */
  list(): readonly EntitySetInfo[] {
    this.#port.guard()
    void this.#port.sessions.size
    const now = this.#port.clock.now()
    return Array.from(this.#sets.values(), ({ id, selection, lifetimeSeconds, owner }) => {
      const expires = Math.round(now + this.#sets.leftOf(id))
      return Object.freeze({
        id,
        dataClass: (selection.dataClass as { readonly name: string }).name,
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
  /** Drops the sets made after the n-th. */
  dropAfter(number: number): void {
    for (const set of [...this.#sets.values()]) if (set.number > number) this.#sets.delete(set.id)
  }
  clear(): void {
    this.#sets.clear()
  }

  #find(id: string, session: Session | null): EntitySet | undefined {
    this.#port.guard()
    const set = this.#sets.peek(String(id).toUpperCase())
    if (set === undefined || set.owner === null) return set
    return set.owner === this.#port.sessions.openId(session) ? set : undefined
  }

  #existing(id: string, session: Session | null): Selection {
    const selection = this.get(id, session)
    if (selection === undefined) throw new EntiaError('entitySetNotFound', { id: String(id) })
    return selection
  }

  #givenId(given: string, owner: string | null): string {
    const id = String(given).toUpperCase()
    if (!SET_ID.test(id)) throw refused('The id', '32 hexadecimal digits', `"${id.slice(0, 40)}"`)
    const there = this.#sets.peek(id)
    if (there === undefined || there.owner === null || there.owner === owner) return id
    if (this.#port.sessions.infoOf(there.owner) !== null) {
      throw refused('The id', 'one that is free', 'that of a set of another session')
    }
    return id
  }

  /** The least recently used of an owner's sets make room for one more. */
  #makeRoom(owner: string): void {
    const own = [...(this.#byOwner.get(owner) ?? [])].filter(({ id }) => this.#sets.peek(id) !== undefined)
    for (const { id } of own.slice(0, Math.max(0, own.length - this.#limits.maxPerSession + 1))) this.#sets.delete(id)
  }
  /** Makes a set the most recently used of its owner's. */
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
