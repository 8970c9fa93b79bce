import type { EntitySetInfo, Session } from '@entia/core'
import type { Missing, WorkingStore } from '@entia/core/kit'
import type {
  CallQuery,
  EntitySetSource,
  Keeping,
  KeyValue,
  RemoveQuery,
  SelectionQuery,
} from '@entia/rest/engine'
import type { SetContext } from '../read/asked-set.ts'
import { arrayType } from '../schema/array-type.ts'
import { keyOf, writtenTypes } from '../schema/row-codec.ts'
import { type FoundSet, noMembers } from '../state/set-pieces.ts'
import { sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import { columnOf, fromPlace, recordAt, rootPlace, storedAt } from '../translate/place.ts'

/** An entity set of the database, to be put into a working store. */
interface LoadedSet {
  readonly set: FoundSet
  readonly keys: readonly KeyValue[]
}

/** An entity set that a decision created in its working store. */
export interface CreatedSet {
  readonly info: EntitySetInfo
  readonly keys: readonly KeyValue[]
  readonly owner: Session | null
}

/**
 * Entity sets between the database and working stores: those that a request names are put in, and
 * those that a decision creates are stored after its commit.
 */
export class CarriedSets {
  readonly #context: SetContext
  readonly #maxRows: number
  #loaded: readonly LoadedSet[] = []
  /** The sessions that own new sets, as the database has them, by id. */
  readonly #owners = new Map<string, Session>()

  constructor(context: SetContext, maxRows: number) {
    this.#context = context
    this.#maxRows = maxRows
  }

  /** Reads the sets that a request names: one round trip for each, and one for its members. */
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
      return keys.map((key): Missing => ({ kind: 'entity', dataClass, key }))
    })
  }

  /** Puts the sets into a working store. */
  put({ store }: WorkingStore, session: Session | null): void {
    for (const { set, keys } of this.#loaded) {
      const selection = store.dataClass(set.dataClass).from(keys)
      const owner = set.owner === null ? null : session
      store.entitySets.create(selection, { id: set.id, owner })
    }
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
  created({ store }: WorkingStore, session: Session | null): readonly CreatedSet[] {
    const known = new Set(this.#loaded.map(({ set }) => set.id.toUpperCase()))
    return store.entitySets
      .list()
      .filter(({ id }) => !known.has(id.toUpperCase()))
      .map((info) => {
        const owner = info.owner === null ? null : (this.#owners.get(info.owner) ?? session)
        const set = store.entitySets.peek(info.id, owner && (session ?? owner))
        return { info, keys: set === undefined ? [] : set.keys(), owner }
      })
  }

  /** Stores them in the database. Members are entities that exist. */
  async keep(created: readonly CreatedSet[]): Promise<void> {
    const { model, sets } = this.#context
    for (const { info, keys, owner } of created) {
      const dataClass = model.catalog.byName.get(info.dataClass)!
      const at = rootPlace(model, dataClass)
      const column = columnOf(at, dataClass.key)
      const given = keys.map((key) => (typeof key === 'string' ? keyOf(column, key) : key))
      const records = sql`SELECT ${recordAt(at)} FROM unnest(${given}::${arrayType(writtenTypes(column)[0]!)}) WITH ORDINALITY AS v(key, place) JOIN ${fromPlace(at)} ON ${storedAt(at, dataClass.key)} = v.key ORDER BY v.place`
      await sets.create(info.dataClass, records, {
        id: info.id,
        sorted: info.sorted,
        lifetimeSeconds: Math.max(1, Math.round((info.expires - info.refreshed) / 1000)),
        owner,
      })
    }
  }

  async #keysOf(set: FoundSet): Promise<readonly KeyValue[]> {
    const { model, sets, pool } = this.#context
    const dataClass = model.catalog.byName.get(set.dataClass)!
    const members = (await sets.members(set)) ?? noMembers
    const at = rootPlace(model, dataClass)
    const { rows } = await pool.query(
      statementOf(
        sql`SELECT ${storedAt(at, dataClass.key)} FROM (${members}) m JOIN ${fromPlace(at)} ON ${recordAt(at)} = m.rec ORDER BY m.n LIMIT ${this.#maxRows}::bigint`,
      ),
    )
    return rows.map(([key]) => key as KeyValue)
  }
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
