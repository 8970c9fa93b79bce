import type { EntitySetInfo, Session } from '@entia/core'
import {
  type CallQuery,
  type EntitySetSource,
  engineError,
  type Keeping,
  type KeyValue,
  type Missing,
  type RemoveQuery,
  type SelectionQuery,
  type SetMembers,
  type WorkingStore,
} from '@entia/engine'
import type { RequestTime } from '../connect/request-time.ts'
import type { SetContext } from '../read/asked-set.ts'
import { type CallerFilters, ruleOfText } from '../read/caller-filters.ts'
import { arrayType } from '../schema/bound-values.ts'
import { keyOf, writtenTypes } from '../schema/row-codec.ts'
import type { SqlEntitySets } from '../server-state/entity-sets.ts'
import type { FoundSet } from '../server-state/set-pieces.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { columnOf, fromPlace, recordAt, rootPlace, storedAt } from '../translate/place.ts'
import type { Concluded } from '../write/decided.ts'
import { refuseMoreThan } from '../write/missing-sql.ts'
import { repeated } from './bounded-calls.ts'
import type { LocalBody } from './local-runs.ts'

/** An entity set of the database, to be put into a working store. */
interface LoadedSet {
  readonly set: FoundSet
  /** Null for a member that was removed. */
  readonly keys: readonly (KeyValue | null)[]
}

/** An entity set that a decision created in its working store. */
interface CreatedSet {
  readonly info: EntitySetInfo
  readonly members: SetMembers
  readonly owner: Session | null
}

/** The result of a body, and the sets that it created. */
interface Made<R> {
  readonly result: R
  readonly created: readonly CreatedSet[]
}

/**
 * Entity sets between the database and working stores: those that a request names are put in, and
 * those that a decision creates are stored after its commit.
 */
export class EntitySetTransfer {
  readonly #context: SetContext
  readonly #filters: CallerFilters
  readonly #maxRows: number
  #loaded: readonly LoadedSet[] = []
  /** The sessions that own new sets, as the database has them, by id. */
  readonly #owners = new Map<string, Session>()

  /** `filters`: those of the caller. `maxRows`: the most entities that a decision loads. */
  constructor(context: SetContext, filters: CallerFilters, maxRows: number) {
    this.#context = context
    this.#filters = filters
    this.#maxRows = maxRows
  }

  /**
   * Reads the sets that a request names: one round trip for each, and one for its members. Throws
   * `budgetExceeded` for a set with too many.
   */
  async load(ids: readonly string[], session: Session | null): Promise<void> {
    const loaded: LoadedSet[] = []
    for (const id of new Set(ids.map((each) => each.toUpperCase()))) {
      const set = await this.#context.sets.get(id, session)
      if (set !== undefined) loaded.push({ set, keys: await this.#keysOf(set) })
    }
    this.#loaded = loaded
  }

  /** The members, which a decision will ask for. */
  get predicted(): readonly Missing[] {
    return this.#loaded.flatMap(({ set, keys }) => {
      const dataClass = this.#context.model.catalog.byName.get(set.dataClass)!
      return keys
        .filter((key) => key !== null)
        .map((key): Missing => ({ kind: 'entity', dataClass, key }))
    })
  }

  /** Puts the sets into a working store. */
  put(working: WorkingStore, session: Session | null): void {
    for (const { set, keys } of this.#loaded) {
      const owner = set.owner === null ? null : session
      working.putSet({ ...set, keys, owner, rule: this.#ruleTextOf(set) })
    }
  }

  /** The row filter of the caller if it is that of the set; else a text that none has. */
  #ruleTextOf({ dataClass, rule }: FoundSet): string | null {
    const model = this.#context.model.catalog.byName.get(dataClass)!
    return this.#filters.ruleOf(model) === rule ? this.#filters.ruleTextOf(model) : rule
  }

  /** Opens the owner of a new set once, however often the decision runs. */
  once(keep: Keeping | null, working: WorkingStore): Keeping | null {
    if (keep === null) return null
    return {
      ...keep,
      owner: async () => {
        const owner = await (this.#owner ??= Promise.resolve(keep.owner()))
        if (owner === null) return null
        this.#owners.set(owner.id, owner)
        return working.adopt(owner)
      },
    }
  }
  #owner: Promise<Session | null> | null = null

  /** The sets that the run created. */
  #created(working: WorkingStore, session: Session | null): readonly CreatedSet[] {
    const known = new Set(this.#loaded.map(({ set }) => set.id.toUpperCase()))
    return working.store.entitySets
      .list()
      .filter(({ id }) => !known.has(id.toUpperCase()))
      .map((info) => {
        const owner = info.owner === null ? null : (this.#owners.get(info.owner) ?? session)
        const members = working.membersOfSet(info.id, owner && (session ?? owner))
        return { info, members, owner }
      })
  }

  /**
   * Decides with the loaded sets put into the working store, and stores the sets that the body
   * creates. `time` is that of a request that writes.
   */
  async around<R>(
    time: RequestTime | null,
    body: LocalBody<R>,
    decide: (body: LocalBody<Made<R>>) => Promise<Concluded<Made<R>>>,
  ): Promise<Concluded<R>> {
    const { value, globalStamp } = await decide(async (local, as, working) => {
      this.put(working, as.session)
      const result = await body(local, as, working)
      return { result, created: this.#created(working, as.session) }
    })
    const { result, created } = value
    if (time === null) await this.#keep(created, null)
    else await this.#keepWithin(time, created)
    return { value: result, globalStamp }
  }

  /** Stores them in the database. A removed member has no record number. */
  async #keep(created: readonly CreatedSet[], time: RequestTime | null): Promise<void> {
    const { model, sets } = this.#context
    for (const { info, members, owner } of created) {
      const dataClass = model.catalog.byName.get(info.dataClass)!
      const at = rootPlace(model, dataClass)
      const column = columnOf(at, dataClass.key)
      const given = members.keys.map((key) => (typeof key === 'string' ? keyOf(column, key) : key))
      const records = sql`SELECT ${recordAt(at)} FROM unnest(${given}::${arrayType(writtenTypes(column)[0]!)}) WITH ORDINALITY AS v(key, place) LEFT JOIN ${fromPlace(at)} ON ${storedAt(at, dataClass.key)} = v.key ORDER BY v.place`
      const options = {
        id: info.id,
        sorted: info.sorted,
        lifetimeSeconds: Math.max(1, Math.round((info.expires - info.refreshed) / 1000)),
        owner,
        rule: members.rule === null ? null : ruleOfText(members.rule),
      }
      await repeated(time, () => sets.create(info.dataClass, records, options))
    }
  }

  /**
   * As `#keep`, within the time of a request that wrote. What it wrote is stored, and the answer
   * must say so: a set that could not be kept is then as one that expired.
   */
  async #keepWithin(time: RequestTime, created: readonly CreatedSet[]): Promise<void> {
    try {
      await time.cut(this.#keep(created, time))
    } catch (error) {
      if (!time.isStored) throw error
    }
  }

  async #keysOf(set: FoundSet): Promise<readonly (KeyValue | null)[]> {
    const { model, sets, pool } = this.#context
    const dataClass = model.catalog.byName.get(set.dataClass)!
    const members = sets.members(set)
    const at = rootPlace(model, dataClass)
    const { rows } = await pool.query(
      statementOf(
        sql`SELECT ${storedAt(at, dataClass.key)} FROM (${members}) m LEFT JOIN ${fromPlace(at)} ON ${recordAt(at)} = m.rec ORDER BY m.n LIMIT ${this.#maxRows + 1}::bigint`,
      ),
    )
    refuseMoreThan(this.#maxRows, dataClass, rows)
    return rows.map(([key]) => key as KeyValue | null)
  }
}

/**
 * Releases a set that the session finds, and answers whether there was one: an attempt whose answer
 * got lost may have released it. Throws `entitySetOfOtherClass` for a set of another dataclass than
 * `dataClass`; null for any.
 */
export async function releaseSet(
  time: RequestTime | null,
  sets: SqlEntitySets,
  id: string,
  session: Session | null,
  dataClass: string | null,
): Promise<boolean> {
  const found = await repeated(time, () => sets.peek(id, session))
  if (found === undefined) return false
  if (dataClass !== null && found.dataClass !== dataClass)
    throw engineError('entitySetOfOtherClass', { id: id.slice(0, 40), dataClass })
  return repeated(time, async (losses) => (await sets.release(id, session)) || losses > 0)
}

/** The ids of the sets that a deletion names. */
export const setsOfRemoval = ({ entitySet }: RemoveQuery): readonly string[] =>
  entitySet === null ? [] : setsOfSource(entitySet)

/** The ids of the sets that a call names. */
export const setsOfCall = ({ target, parameters }: CallQuery): readonly string[] => [
  ...(target.kind === 'selection' ? setsOfSelection(target.query) : []),
  ...parameters.flatMap((parameter) => (parameter.kind === 'selection' ? [parameter.id] : [])),
]

/** The ids of the sets that a selection is made of. */
export const setsOfSelection = ({ source }: SelectionQuery): readonly string[] =>
  source.kind === 'entitySet' ? setsOfSource(source) : []

const setsOfSource = ({ id, combination }: EntitySetSource): readonly string[] =>
  [id, combination?.other ?? null].filter((each) => each !== null)
